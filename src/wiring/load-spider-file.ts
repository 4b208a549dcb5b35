import { existsSync, statSync } from 'node:fs'
import { registerHooks } from 'node:module'
import { resolve } from 'node:path'
import { failureIn, importDefault } from '../adapters/config/import-default.ts'
import { ConfigurationError } from '../base/crawl-error.ts'
import { programModule } from '../base/program-files.ts'
import { checkSpider, type Spider } from './define-spider.ts'

/** The arguments of the command line (`--arg name=value`). */
export type SpiderArguments = Readonly<Record<string, string>>

/**
 * Loads a spider from a file: its default export, or if that is a function, its result for the arguments. TypeScript needs no build.
 * @throws ConfigurationError for a file without a valid spider
 */
export async function loadSpiderFile(file: string, args: SpiderArguments): Promise<Spider> {
  const path = resolve(file)
  if (!existsSync(path)) throw new ConfigurationError('SPIDER_FILE_INVALID', `${file}: there is no such file`)
  if (statSync(path).isDirectory())
    throw new ConfigurationError('SPIDER_FILE_INVALID', `${file} is a directory; name the file of a spider`)
  letSpidersImportUs()
  const exported = await importDefault(path, 'export default spider({ … })')
  const made = typeof exported === 'function' ? await callWith(exported, args, path) : exported
  if (typeof exported !== 'function' && Object.keys(args).length > 0)
    throw new ConfigurationError(
      'SPIDER_FILE_INVALID',
      `${file} takes no arguments: for --arg, let it export a function, export default (args) => spider({ … })`,
    )
  if (typeof made !== 'object' || made === null)
    throw new ConfigurationError(
      'SPIDER_FILE_INVALID',
      `${file}: export default spider({ … }); found ${String(made)}`,
    )
  checkSpider(made)
  return made as Spider
}

async function callWith(make: unknown, args: SpiderArguments, path: string): Promise<unknown> {
  try {
    return await (make as (args: SpiderArguments) => unknown)(args)
  } catch (cause) {
    if (cause instanceof ConfigurationError) throw cause
    throw new ConfigurationError('SPIDER_FILE_INVALID', failureIn(path, cause), { cause })
  }
}

let hooked = false

/**
 * A spider file needs no installed packages: it imports `orbweaver` from the program that runs it, so that both use the same classes, and zod
 * from there unless its own is installed.
 */
function letSpidersImportUs(): void {
  if (hooked) return
  hooked = true
  registerHooks({
    resolve(specifier, context, nextResolve) {
      if (specifier === 'orbweaver') return { url: OWN_DOOR, shortCircuit: true }
      if (specifier !== 'zod') return nextResolve(specifier, context)
      try {
        return nextResolve(specifier, context)
      } catch {
        return nextResolve(specifier, { ...context, parentURL: import.meta.url })
      }
    },
  })
}

const OWN_DOOR = programModule('index').href
