import { readFileSync } from 'node:fs'
import { dirname, extname, resolve } from 'node:path'
import { ConfigurationError } from '../../base/crawl-error.ts'
import { checkConfig } from './complete-config.ts'
import type { OrbweaverConfig } from './config-schema.ts'
import { importDefault } from './import-default.ts'

/**
 * Loads a configuration file: JSON, or a module with a default export. Relative file names in it start at its folder.
 * @param file absolute path
 * @throws ConfigurationError with the file, and the line or key
 */
export async function loadConfigFile(file: string): Promise<OrbweaverConfig> {
  const value =
    extname(file) === '.json' ? readJson(file) : await importDefault(file, 'export default { … }', INSTALL)
  const config = checkConfig(value, file)
  const absolute = (name: string) => resolve(dirname(file), name)
  const { filters, links, log, normalizer, redis } = config
  return {
    ...config,
    ...(filters && { filters: { ...filters, ...mapNames(filters, ['rules', 'fast'], absolute) } }),
    ...(links && { links: { ...links, ...mapNames(links, ['exempt'], absolute) } }),
    ...(log && { log: { ...log, ...mapNames(log, ['file'], absolute) } }),
    ...(normalizer && { normalizer: { ...normalizer, ...mapNames(normalizer, NORMALIZER_FILES, absolute) } }),
    ...(redis && { redis: { ...redis, ...mapNames(redis, ['caFile', 'certFile', 'keyFile'], absolute) } }),
  }
}

const NORMALIZER_FILES = ['patterns', 'hosts', 'protocols', 'slashes'] as const

/** The values of those `keys` that are texts, changed. Other values of them are not file names. */
function mapNames<Key extends string>(
  values: Readonly<Partial<Record<Key, unknown>>>,
  keys: readonly Key[],
  change: (name: string) => string,
): Partial<Record<Key, string>> {
  const changed: Partial<Record<Key, string>> = {}
  for (const key of keys) {
    const value = values[key]
    if (typeof value === 'string') changed[key] = change(value)
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
      `${file}: cannot read the file: ${(cause as Error).message}`,
      { cause },
    )
  }
  try {
    return JSON.parse(text)
  } catch (cause) {
    // It quotes the text, with its line ends.
    const message = (cause as SyntaxError).message.replace(/\s+/g, ' ')
    throw new ConfigurationError(
      'CONFIG_FILE_INVALID',
      `${file}:${lineOfMistake(text)}: not JSON: ${message}`,
      { cause },
    )
  }
}

/** The line of a syntax error: the first up to which the text is invalid for another reason than its end. */
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

const INSTALL = 'Install it next to the file, or export a plain object, which needs no import'
