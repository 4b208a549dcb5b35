import { type HeaderList, header, headerValues } from './headers.ts'

/**
 * Seconds for which a response is fresh by its headers: Cache-Control max-age, otherwise Expires (RFC 9111, 4.2.1). `undefined` if they do not
 * say, or forbid to reuse it.
 */
export function cacheLifetime(headers: HeaderList): number | undefined {
  let seconds: number | undefined
  for (const value of headerValues(headers, 'cache-control')) {
    for (const directive of value.toLowerCase().split(',')) {
      const [name = '', argument = ''] = directive.split('=', 2).map((text) => text.trim())
      if (name === 'no-store' || name === 'no-cache') return undefined
      if (name === 'max-age') seconds = Number.parseInt(argument.replaceAll('"', ''), 10)
    }
  }
  seconds ??= expiresAfter(headers)
  return seconds > 0 ? Math.round(seconds) : undefined
}

function expiresAfter(headers: HeaderList): number {
  const expires = Date.parse(header(headers, 'expires') ?? '')
  return (expires - Date.parse(header(headers, 'date') ?? '')) / 1000
}
