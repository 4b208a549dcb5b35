import { spawnSync } from 'node:child_process'
import { existsSync, realpathSync } from 'node:fs'
import { pathToFileURL } from 'node:url'
import { ConfigurationError } from '../../base/crawl-error.ts'

/**
 * The default export of a module that a user wrote, TypeScript as it is.
 * @param file absolute
 * @param wanted what it should say: `export default { … }`
 * @param ifNotInstalled what to do when the file cannot import us
 * @throws ConfigurationError with the file and the line
 */
export async function importDefault(file: string, wanted: string, ifNotInstalled = ''): Promise<unknown> {
  let module: { readonly default?: unknown }
  try {
    module = (await import(pathToFileURL(file).href)) as { readonly default?: unknown }
  } catch (cause) {
    // What our own code complains about while the module runs is for the user to read as it is.
    if (cause instanceof ConfigurationError) throw cause
    throw new ConfigurationError('CONFIG_FILE_INVALID', failureIn(file, cause, ifNotInstalled), { cause })
  }
  if (module.default === undefined)
    throw new ConfigurationError('CONFIG_FILE_INVALID', `${file}: has no default export; write ${wanted}`)
  return module.default
}

/** What a user's module threw, with the place in it. */
export function failureIn(file: string, cause: unknown, ifNotInstalled = ''): string {
  const message = cause instanceof Error ? cause.message : String(cause)
  const hint = /Cannot find package 'orbweaver'/.test(message) ? `. ${ifNotInstalled}` : ''
  return `${placeOf(file, cause)}: ${message}${hint}`
}

/**
 * `file:line` of an error. What a module throws has it in its stack, and so have mistakes in TypeScript. Mistakes in plain
 * JavaScript have it only in what Node prints at its end, so Node is asked to check the file.
 */
function placeOf(file: string, cause: unknown): string {
  if (!(cause instanceof Error) || !existsSync(file)) return file
  const line =
    lineIn(cause.stack ?? '', file) ?? (cause instanceof SyntaxError ? checkedLine(file) : undefined)
  return line === undefined ? file : `${file}:${line}`
}

function checkedLine(file: string): string | undefined {
  const { stderr } = spawnSync(process.execPath, ['--check', file], { encoding: 'utf8', timeout: 10_000 })
  return lineIn(stderr ?? '', file)
}

function lineIn(text: string, file: string): string | undefined {
  // Node resolves links before it loads, and writes some places as URLs and others as paths.
  const names = [file, realpathSync(file)].flatMap((path) => [pathToFileURL(path).href, path])
  for (const name of names) {
    const at = text.indexOf(`${name}:`)
    const [line] = at === -1 ? [] : (/^\d+/.exec(text.slice(at + name.length + 1)) ?? [])
    if (line !== undefined) return line
  }
  return undefined
}
