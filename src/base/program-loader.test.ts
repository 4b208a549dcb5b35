import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { readCodeCache } from './code-cache-file.ts'
import { ProgramLoader } from './program-loader.ts'

interface Entry {
  readonly result: () => number
  readonly base: () => Promise<string>
}

const require = createRequire(import.meta.url)
let folder: string
let cacheFolder: string

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'orbweaver-loader-'))
  cacheFolder = join(folder, 'cache')
  for (const name of ['cache', 'cli', 'chunks']) mkdirSync(join(folder, name))
  const source = `const part = require('../chunks/part.cjs')
    exports.result = () => part.number() + 1
    exports.base = async () => (await require('./import-module.cjs').importModule('node:path')).basename(__filename)`
  writeFileSync(join(folder, 'cli/main.cjs'), source)
  writeFileSync(join(folder, 'cli/import-module.cjs'), `exports.importModule = (name) => import(name)`)
  writePart(41)
})
afterEach(() => {
  forgetModules()
  rmSync(folder, { recursive: true })
})

function writePart(number: number): void {
  writeFileSync(join(folder, 'chunks/part.cjs'), `exports.number = () => ${number}`)
}

/** As in a new process. */
function newLoader(): ProgramLoader {
  forgetModules()
  return new ProgramLoader(folder, { folder: cacheFolder, name: 'crawl' })
}

function forgetModules(): void {
  for (const name of Object.keys(require.cache)) if (name.startsWith(folder)) delete require.cache[name]
}

function loadEntry(loader: ProgramLoader): Entry {
  return loader.load('cli/main.cjs') as Entry
}

/** Runs the program once. */
function runOnce(): number {
  const loader = newLoader()
  const result = loadEntry(loader).result()
  loader.save()
  return result
}

function savedRuns(): number | undefined {
  const [name = ''] = readdirSync(cacheFolder)
  return readCodeCache(join(cacheFolder, name))?.runs
}

it('shares its modules with require', () => {
  const entry = loadEntry(newLoader())
  expect(require(join(folder, 'cli/main.cjs'))).toBe(entry)
  expect(require(join(folder, 'chunks/part.cjs'))).toBe(require(join(folder, 'chunks/part.cjs')))
})

it('lets a file import modules later', async () => {
  expect(await loadEntry(newLoader()).base()).toBe('main.cjs')
})

it('saves the code in the first three runs', () => {
  const runs = [1, 2, 3, 4].map(() => [runOnce(), savedRuns()])
  expect(runs).toEqual([1, 2, 3, 3].map((saved) => [42, saved]))
})

it('compiles a file again after its source changed, even to the same length', () => {
  for (let run = 0; run < 3; run++) runOnce()
  writePart(22)
  expect(runOnce()).toBe(23)
  expect(savedRuns()).toBe(1)
})

it('works without a cache folder', () => {
  rmSync(cacheFolder, { recursive: true })
  expect(runOnce()).toBe(42)
})

it('does not keep a file that throws', () => {
  writeFileSync(join(folder, 'chunks/part.cjs'), `throw new Error('part')`)
  const loader = newLoader()
  expect(() => loadEntry(loader)).toThrow('part')
  writePart(41)
  expect(loadEntry(loader).result()).toBe(42)
})

it('saves once, when it is due', () => {
  const loader = newLoader()
  loadEntry(loader).result()
  loader.saveIfDue()
  expect(savedRuns()).toBeUndefined()
  loader.saveAfter(0)
  loader.saveIfDue()
  expect(savedRuns()).toBe(1)
  rmSync(cacheFolder, { recursive: true })
  mkdirSync(cacheFolder)
  loader.saveIfDue()
  expect(savedRuns()).toBeUndefined()
})
