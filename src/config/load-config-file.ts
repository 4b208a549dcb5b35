import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync, realpathSync } from 'node:fs'
import { dirname, extname, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { ConfigurationError } from '../base/crawl-error.ts'
import { checkConfig } from './complete-config.ts'
import type { OrbweaverConfig } from './config-schema.ts'

/**
 * The configuration in a file: the default export of a module, or JSON. File names in it are made absolute, from its folder.
 * @param file absolute
 * @throws ConfigurationError with the file, and the line or key, for everything that can be wrong with it
 */
export async function loadConfigFile(file: string): Promise<OrbweaverConfig> {
  const value = extname(file) === '.json' ? readJson(file) : await importDefault(file)
  const config = checkConfig(value, file)
  const rules = config.filters?.rules
  if (typeof rules !== 'string') return config
  return { ...config, filters: { ...config.filters, rules: resolve(dirname(file), rules) } }
}

function readJson(file: string): unknown {
  let text: string
  try {
    text = readFileSync(file, 'utf8').replace(/^\ufeff/, '')
  } catch (cause) {
    throw new ConfigurationError(`${file}: cannot be read: ${(cause as Error).message}`, { cause })
  }
  try {
    return JSON.parse(text)
  } catch (cause) {
    const { message } = cause as SyntaxError
    throw new ConfigurationError(`${file}:${lineOfMistake(text)}: not JSON: ${message}`, { cause })
  }
}

/** The line that JSON goes wrong in: the first that, as the last one, is wrong in another way than by being the last. */
function lineOfMistake(text: string): number {
  const lines = text.split('\n')
  for (let count = 1; count < lines.length; count++) {
    const start = lines.slice(0, count).join('\n')
    try {
      JSON.parse(start)
    } catch (error) {
      const { message } = error as SyntaxError
      const [, position = '0'] = /at position (\d+)/.exec(message) ?? []
      const endsTooSoon = /end of JSON|Unterminated/.test(message) || Number(position) >= start.length
      if (!endsTooSoon) return count
    }
  }
  return lines.length
}

async function importDefault(file: string): Promise<unknown> {
  let module: { readonly default?: unknown }
  try {
    module = (await import(pathToFileURL(file).href)) as { readonly default?: unknown }
  } catch (cause) {
    throw unreadable(file, cause)
  }
  if (module.default === undefined)
    throw new ConfigurationError(`${file}: has no default export; write export default { … }`)
  return module.default
}

function unreadable(file: string, cause: unknown): ConfigurationError {
  const message = cause instanceof Error ? cause.message : String(cause)
  const hint = /Cannot find package 'orbweaver'/.test(message)
    ? '. Install it beside the file, or export a plain object, which needs no import'
    : ''
  return new ConfigurationError(`${placeOf(file, cause)}: ${message}${hint}`, { cause })
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
