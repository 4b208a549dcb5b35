import { InvalidArgumentError } from 'commander'
import { ConfigurationError } from '../base/crawl-error.ts'
import { createNormalizer, normalizeUrl } from '../domain/url/normalize-url.ts'

/** Parsers for arguments of options. An invalid value becomes a one-line error that describes valid ones. */

/** Seconds, fractions too, as milliseconds. */
export function seconds(text: string): number {
  return parseNumber(text, 'a number of seconds, like 1.5', (value) => value >= 0) * 1000
}

export function positiveSeconds(text: string): number {
  return parseNumber(text, 'a number of seconds greater than 0, like 30', (value) => value > 0) * 1000
}

export function wholeNumber(text: string): number {
  return parseNumber(text, 'a whole number, 0 or more', (value) => value >= 0 && Number.isInteger(value))
}

export function positiveNumber(text: string): number {
  return parseNumber(text, 'a whole number, 1 or more', (value) => value >= 1 && Number.isInteger(value))
}

export function someNumber(text: string): number {
  return parseNumber(text, 'a number', () => true)
}

const UNITS: Readonly<Record<string, number>> = { '': 1, k: 1024, m: 1024 ** 2, g: 1024 ** 3 }

/** `500000`, `512k`, `10m`, `1g`: bytes. */
export function byteSize(text: string): number {
  const [, digits = '', unit = ''] = /^(\d+)\s*([kmg]?)i?b?$/i.exec(text.trim()) ?? []
  const bytes = Number(digits) * (UNITS[unit.toLowerCase()] ?? Number.NaN)
  if (digits === '' || !(bytes >= 1))
    throw new InvalidArgumentError('Give a size in bytes, like 500000, 512k or 10m.')
  return bytes
}

/** For flags that may be repeated. */
export function collected(value: string, earlier: readonly string[] = []): string[] {
  return [...earlier, value]
}

/** `Name: value`, collected into one object. */
export function headerField(
  text: string,
  earlier: Readonly<Record<string, string>> = {},
): Record<string, string> {
  const [, name, value] = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+)\s*:\s*([\t\x20-\x7e]*)$/.exec(text.trim()) ?? []
  if (name === undefined || value === undefined)
    throw new InvalidArgumentError('Give a header as "Name: value", in plain ASCII.')
  return { ...earlier, [name]: value }
}

function parseNumber(text: string, wanted: string, isValid: (value: number) => boolean): number {
  const value = /^\s*[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?\s*$/i.test(text) ? Number(text) : Number.NaN
  if (!Number.isFinite(value) || !isValid(value)) throw new InvalidArgumentError(`Give ${wanted}.`)
  return value
}

/** Normalizes the URL of a record, which may be of any protocol. @throws ConfigurationError if it cannot be crawled */
export function storedUrl(input: string): string {
  const scheme = /^[a-z][a-z\d+.-]*:(?=\/\/)/i.exec(input)?.[0].toLowerCase()
  return usableUrl(input, scheme === undefined ? [] : [scheme])
}

/**
 * Normalizes the URL of an argument.
 * @param schemes protocols besides HTTP that the settings enable
 * @throws ConfigurationError if it cannot be crawled
 */
export function usableUrl(input: string, schemes: readonly string[] = []): string {
  const normalized = createNormalizer({ schemes })(input)
  if (normalized.ok) return normalized.url
  const suggestion = normalizeUrl(`https://${input}`)
  const hint = suggestion.ok && /^[^\s/:]+\.[^\s/:]+/.test(input) ? `; did you mean ${suggestion.url}?` : ''
  throw new ConfigurationError(
    'URL_INVALID',
    `${JSON.stringify(input)} is not a URL that can be crawled: ${normalized.detail}${hint}`,
  )
}
