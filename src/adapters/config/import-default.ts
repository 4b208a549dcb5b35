import { spawnSync } from 'node:child_process'
import { existsSync, realpathSync } from 'node:fs'
import { pathToFileURL } from 'node:url'
import { ConfigurationError } from '../../base/crawl-error.ts'

/**
 * Imports the default export of a user's module; TypeScript needs no build.
 * @param file absolute path
 * @param expected example of a default export, for the message: `export default { … }`
 * @param ifNotInstalled advice for a file that cannot import `orbweaver`
 * @throws ConfigurationError with the file and the line
 */
export async function importDefault(file: string, expected: string, ifNotInstalled = ''): Promise<unknown> {
  let module: { readonly default?: unknown }
  try {
    module = (await import(pathToFileURL(file).href)) as { readonly default?: unknown }
  } catch (cause) {
    // Thrown by one of our functions that the module calls; the message is complete.
    if (cause instanceof ConfigurationError) throw cause
    throw new ConfigurationError('CONFIG_FILE_INVALID', failureIn(file, cause, ifNotInstalled), { cause })
  }
  if (module.default === undefined)
    throw new ConfigurationError('CONFIG_FILE_INVALID', `${file}: no default export; write ${expected}`)
  return module.default
}

/** The message of an error in a user's module, with its file and line. */
export function failureIn(file: string, cause: unknown, ifNotInstalled = ''): string {
  const message = cause instanceof Error ? cause.message : String(cause)
  const hint = /Cannot find package 'orbweaver'/.test(message) ? `. ${ifNotInstalled}` : ''
  return `${placeOf(file, cause)}: ${message}${hint}`
}

/**
 * `file:line` of an error. The stack has the line, except for syntax errors in JavaScript: for these, `node --check` prints it.
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
  // Node resolves symbolic links, and prints some locations as URLs and others as paths.
  const names = [file, realpathSync(file)].flatMap((path) => [pathToFileURL(path).href, path])
  for (const name of names) {
    const at = text.indexOf(`${name}:`)
    const [line] = at === -1 ? [] : (/^\d+/.exec(text.slice(at + name.length + 1)) ?? [])
    if (line !== undefined) return line
  }
  return undefined
}
