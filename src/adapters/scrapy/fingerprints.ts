import { createHash } from 'node:crypto'
import type { CrawlRequest } from '../../domain/frontier/crawl-request.ts'
import { canonicalUrl } from './canonical-url.ts'
import { pythonString } from './python-json.ts'
import type { W3libOptions } from './safe-url.ts'

/**
 * Which Python workers share the set of seen requests. They do not know each other's numbers.
 * - `scrapy-redis`: scrapy-redis since 0.8.0
 * - `legacy`: scrapy-redis until 0.7.3, Scrapy until 2.6, and later ones that are set to "2.6"
 * - `scrapy`: Scrapy's own filter and HTTP cache since 2.7
 */
export type FingerprintFamily = 'scrapy-redis' | 'legacy' | 'scrapy'

/** Settings of `dupefilter` → the family of the fingerprints in that set. */
export const DUPEFILTER_FAMILIES = {
  'scrapy-a': 'legacy',
  'scrapy-b': 'scrapy-redis',
  'scrapy-c': 'scrapy',
} as const satisfies Readonly<Record<string, FingerprintFamily>>

export type ScrapyDupefilter = keyof typeof DUPEFILTER_FAMILIES

export interface FingerprintOptions extends W3libOptions {
  /** @default 'scrapy-redis' */
  readonly family?: FingerprintFamily
}

/**
 * The member of `<spider>:dupefilter` that stands for a request: SHA-1 in lower-case hex. Headers, cookies, meta and the
 * fragment do not count. `undefined` for a URL that Scrapy could not request.
 */
export function scrapyFingerprint(
  request: Pick<CrawlRequest, 'url' | 'method' | 'body' | 'base64'>,
  { family = 'scrapy-redis', ...options }: FingerprintOptions = {},
): string | undefined {
  const url = canonicalUrl(request.url, options)
  if (url === undefined) return undefined
  const method = (request.method ?? 'GET').toUpperCase()
  const body = Buffer.from(request.body ?? '', request.base64 === true ? 'base64' : 'utf8')
  const sha1 = createHash('sha1')
  if (family === 'legacy') return sha1.update(method).update(url).update(body).digest('hex')

  // As Python's json writes it: sorted names, spaces after the separators.
  const headers = family === 'scrapy' ? '"headers": {}, ' : ''
  const text = `{"body": "${body.toString('hex')}", ${headers}"method": ${pythonString(method)}, "url": ${pythonString(url)}}`
  return sha1.update(text).digest('hex')
}
