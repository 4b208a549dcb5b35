import { createHash } from 'node:crypto'
import { type CrawlRequest, fingerprintOf } from '../../domain/frontier/crawl-request.ts'
import { DUPEFILTER_FAMILIES, scrapyFingerprint } from '../scrapy/fingerprints.ts'
import type { Dupefilter } from './seen-options.ts'

/** What stands for a request in a seen set. */
export type SeenFingerprint = (request: CrawlRequest) => string

/** @param dupefilter `own`: a signed number of 64 bits in decimal; else SHA-1 in hex, as Python has it */
export function seenFingerprint(dupefilter: Dupefilter): SeenFingerprint {
  if (dupefilter === 'own') return ownFingerprint
  const family = DUPEFILTER_FAMILIES[dupefilter]
  return (request) => scrapyFingerprint(request, { family }) ?? unknownToScrapy(request)
}

export const ownFingerprint: SeenFingerprint = (request) => String(BigInt.asIntN(64, fingerprintOf(request)))

/** A URL that Scrapy could not request gets a fingerprint that Scrapy never writes. */
function unknownToScrapy(request: CrawlRequest): string {
  return createHash('sha1')
    .update(`orbweaver ${fingerprintOf(request)}`)
    .digest('hex')
}
