import { readFileSync } from 'node:fs'
import { dirname, extname, resolve } from 'node:path'
import { ConfigurationError } from '../../base/crawl-error.ts'
import { checkConfig } from './complete-config.ts'
import type { OrbweaverConfig } from './config-schema.ts'
import { importDefault } from './import-default.ts'

/**
 * The configuration in a file: the default export of a module, or JSON. File names in it are made absolute, from its folder.
 * @param file absolute
 * @throws ConfigurationError with the file, and the line or key, for everything that can be wrong with it
 */
export async function loadConfigFile(file: string): Promise<OrbweaverConfig> {
  const value =
    extname(file) === '.json' ? readJson(file) : await importDefault(file, 'export default { … }', INSTALL)
  const config = checkConfig(value, file)
  const absolute = (name: string) => resolve(dirname(file), name)
  const { filters, redis } = config
  return {
    ...config,
    ...(typeof filters?.rules === 'string' && { filters: { ...filters, rules: absolute(filters.rules) } }),
    ...(redis !== undefined && { redis: { ...redis, ...mapped(redis, REDIS_FILES, absolute) } }),
  }
}

const REDIS_FILES = ['caFile', 'certFile', 'keyFile'] as const

/** Those of `keys` that are there, each by way of `change`. */
function mapped<Key extends string>(
  values: Readonly<Partial<Record<Key, string>>>,
  keys: readonly Key[],
  change: (value: string) => string,
): Partial<Record<Key, string>> {
  const changed: Partial<Record<Key, string>> = {}
  for (const key of keys) {
    const value = values[key]
    if (value !== undefined) changed[key] = change(value)
  }
  return changed
}

function readJson(file: string): unknown {
  let text: string
  try {
    text = readFileSync(file, 'utf8').replace(/^\ufeff/, '')
  } catch (cause) {
    throw new ConfigurationError(
      'CONFIG_FILE_INVALID',
      `${file}: cannot be read: ${(cause as Error).message}`,
      { cause },
    )
  }
  try {
    return JSON.parse(text)
  } catch (cause) {
    const { message } = cause as SyntaxError
    throw new ConfigurationError(
      'CONFIG_FILE_INVALID',
      `${file}:${lineOfMistake(text)}: not JSON: ${message}`,
      { cause },
    )
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

const INSTALL = 'Install it beside the file, or export a plain object, which needs no import'
