import { existsSync, readFileSync } from 'node:fs'
import { createRequire, Module } from 'node:module'
import { dirname, join, relative, sep } from 'node:path'
import { cachedDataVersionTag } from 'node:v8'
import { Script } from 'node:vm'
import { crc32 } from 'node:zlib'
import { type CodeCache, type CompiledFile, readCodeCache, writeCodeCache } from './code-cache-file.ts'

/**
 * Loads the files of the built program with the compiled code of earlier runs. The compile cache of Node.js is written when a file is
 * loaded, so it has none of the functions that are called later; this one is written when they were called.
 *
 * The files are CommonJS, and are kept where `require` keeps them: what Node.js loads itself, such as the library for a spider, uses the
 * same instances.
 */
export class ProgramLoader {
  readonly #folder: string
  readonly #place: CodeCachePlace | undefined
  readonly #cachePath: string | undefined
  readonly #cache: CodeCache | undefined
  readonly #loaded = new Map<string, { readonly script: Script; readonly sourceCrc: number }>()
  /** Some code was not in the cache, or V8 refused it. */
  #isIncomplete = false
  /** On the clock of `performance`; infinite: it was saved, or is not saved. */
  #saveAt = Number.POSITIVE_INFINITY

  /**
   * @param folder of the built program
   * @param cache where the compiled code is. Absent: everything is compiled.
   */
  constructor(folder: string, cache?: CodeCachePlace) {
    this.#folder = folder
    this.#place = cache
    this.#cachePath = cache && pathIn(cache)
    this.#cache = this.#cachePath === undefined ? undefined : readCodeCache(this.#cachePath)
  }

  /** @param path below the folder of the program */
  load(path: string): unknown {
    return this.#load(join(this.#folder, path))
  }

  /** Saves the code once: after some time, or when the process or thread exits before that without an error. */
  saveAfter(ms: number): void {
    this.#saveAt = performance.now() + ms
    setTimeout(() => this.#saveOnce(), ms).unref()
    process.once('exit', (code) => code === 0 && this.#saveOnce())
  }

  /** For a thread whose timers do not run because it waits for its next task without an event loop. */
  saveIfDue(): void {
    if (performance.now() >= this.#saveAt) this.#saveOnce()
  }

  #saveOnce(): void {
    if (this.#saveAt === Number.POSITIVE_INFINITY) return
    this.#saveAt = Number.POSITIVE_INFINITY
    this.save()
  }

  /**
   * Writes the compiled code of all functions called so far. The first runs of a command do it, because they call different functions;
   * later runs do nothing.
   */
  save(): void {
    if (this.#place === undefined) return
    const path = pathIn(this.#place)
    // After a flag of V8 has changed, the code is for threads that start after that, too.
    if (path !== this.#cachePath && existsSync(path)) return
    const runs = this.#isIncomplete ? 0 : (this.#cache?.runs ?? 0)
    if (runs >= WRITING_RUNS) return
    const files = new Map<string, CompiledFile>()
    for (const [name, { script, sourceCrc }] of this.#loaded)
      files.set(name, { sourceCrc, code: script.createCachedData() })
    writeCodeCache(path, { runs: runs + 1, files })
  }

  #load(filename: string): unknown {
    const known = require.cache[filename]
    if (known !== undefined) return known.exports
    const module = new Module(filename)
    module.filename = filename
    require.cache[filename] = module
    try {
      this.#run(module, filename)
    } catch (error) {
      delete require.cache[filename]
      throw error
    }
    module.loaded = true
    return module.exports
  }

  #run(module: Module, filename: string): void {
    const bytes = readFileSync(filename)
    const sourceCrc = crc32(bytes)
    const name = relative(this.#folder, filename).replaceAll(sep, '/')
    const cached = this.#cache?.files.get(name)
    const cachedData = cached?.sourceCrc === sourceCrc ? cached.code : undefined
    // The build writes only ASCII.
    const script = new Script(`${WRAPPER[0]}${bytes.toString('latin1')}${WRAPPER[1]}`, {
      filename,
      ...(cachedData !== undefined && { cachedData }),
    })
    if (cachedData === undefined || script.cachedDataRejected === true) this.#isIncomplete = true
    this.#loaded.set(name, { script, sourceCrc })
    const run = script.runInThisContext() as RunModule
    run.call(module.exports, module.exports, this.#requireFor(filename), module, filename, dirname(filename))
  }

  #requireFor(filename: string): (id: string) => unknown {
    const folder = dirname(filename)
    let others: NodeJS.Require | undefined
    return (id) => {
      if (id.startsWith('.') && !id.endsWith(IMPORTING_FILE)) return this.#load(join(folder, id))
      others ??= createRequire(filename)
      return others(id)
    }
  }
}

/** The compiled code of a command or thread: each has its own, because code that is not called takes time to read. */
export interface CodeCachePlace {
  readonly folder: string
  readonly name: string
}

type RunModule = (
  exports: unknown,
  require: (id: string) => unknown,
  module: Module,
  filename: string,
  dirname: string,
) => void

/** V8 refuses code of other versions and flags. */
function pathIn({ folder, name }: CodeCachePlace): string {
  return join(folder, `${name}-${cachedDataVersionTag()}.code`)
}

const WRITING_RUNS = 3
/** It must be loaded by Node.js (`src/base/import-module.ts`). */
const IMPORTING_FILE = '/import-module.cjs'
const WRAPPER = ['(function(exports,require,module,__filename,__dirname){', '\n})'] as const
const require = createRequire(import.meta.url)
