import { ConfigurationError } from '../base/crawl-error.ts'
import { normalizeUrl } from '../domain/url/normalize-url.ts'

/** The normal form of a URL that a user typed. @throws ConfigurationError when it has none */
export function usableUrl(input: string): string {
  const normalized = normalizeUrl(input)
  if (normalized.ok) return normalized.url
  const guess = normalizeUrl(`https://${input}`)
  const hint = guess.ok && /^[^\s/:]+\.[^\s/:]+/.test(input) ? `; did you mean ${guess.url}` : ''
  throw new ConfigurationError(
    'URL_INVALID',
    `${JSON.stringify(input)} is not a URL that can be crawled: ${normalized.detail}${hint}`,
  )
}
