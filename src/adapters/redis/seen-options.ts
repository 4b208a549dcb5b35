import { createHash } from 'node:crypto'
import { ConfigurationError } from '../../base/crawl-error.ts'
import { type CrawlRequest, fingerprintOf } from '../../domain/frontier/crawl-request.ts'
import { DUPEFILTER_FAMILIES, type ScrapyDupefilter, scrapyFingerprint } from '../scrapy/fingerprints.ts'
import { checkTag, type JobKeysOptions, jobKeys, sharedKey } from './keys.ts'

/** How a crawl stores seen requests. Options that are left out are those of the crawl; a new crawl gets its own set, without expiry. */
export interface SeenOptions {
  /**
   * `own`: fingerprints of 64 bits, some nine bytes each. The others: the set of scrapy-redis, which Python's workers share, with the
   * fingerprints of scrapy-redis before 0.8 (`scrapy-a`), since (`scrapy-b`), or of Scrapy since 2.7 (`scrapy-c`). @default 'own'
   */
  readonly dupefilter?: Dupefilter
  /** The key of that set. @default '<crawl>:dupefilter', which is scrapy-redis's; '{<crawl>}:dupefilter' in a cluster */
  readonly dupefilterKey?: string
  /** Another crawl whose seen set this one shares: a URL that one has fetched is not fetched by the other. Not in a cluster. */
  readonly seenWith?: string
  /** A URL counts as seen for at least this time, and at most twice. @default no expiry */
  readonly seenSeconds?: number
}

type Dupefilter = 'own' | ScrapyDupefilter

/** What `SeenOptions` come to. */
export interface SeenRule {
  readonly dupefilter: Dupefilter
  /** 0: no expiry. */
  readonly periodMs: number
  /** The base of the keys of the crawl whose set it is, or the key of the dupefilter. */
  readonly where: string
}

/**
 * The seen rule of the options, as stored with the crawl: `own 0 orbweaver:{books}`. Empty if they are the default.
 * @param cluster whether all keys must be on one node
 * @throws ConfigurationError for options that contradict each other, or that a cluster cannot do
 */
export function seenText(
  crawl: string,
  cluster: boolean,
  options: SeenOptions = {},
  keys: JobKeysOptions = {},
): string {
  const { dupefilter = 'own', dupefilterKey, seenWith, seenSeconds } = options
  if (dupefilter !== 'own') {
    if (seenWith !== undefined)
      throw new ConfigurationError(
        'CRAWL_MISMATCH',
        `seenWith shares a crawl's own seen set; to share Scrapy's (${dupefilter}), give both crawls the same dupefilterKey`,
      )
    if (seenSeconds !== undefined)
      throw new ConfigurationError(
        'CRAWL_MISMATCH',
        `seenSeconds cannot be with ${dupefilter}: Python's workers write to that set, and its members do not expire`,
      )
    const where = dupefilterKey ?? sharedKey(crawl, cluster, 'dupefilter')
    if (cluster) checkTag(crawl, where, 'the dupefilter')
    return textOf({ dupefilter, periodMs: 0, where })
  }
  if (dupefilterKey !== undefined)
    throw new ConfigurationError(
      'CRAWL_MISMATCH',
      'dupefilterKey needs dupefilter: scrapy-a, scrapy-b or scrapy-c, whichever made the fingerprints',
    )
  if (seenWith === undefined && seenSeconds === undefined) return ''
  if (seenSeconds !== undefined && !(seenSeconds >= 1 && seenSeconds <= MAX_SECONDS))
    throw new ConfigurationError('CRAWL_MISMATCH', `seenSeconds must be 1 to ${MAX_SECONDS}: ${seenSeconds}`)
  if (cluster && seenWith !== undefined && seenWith !== crawl)
    throw new ConfigurationError(
      'CRAWL_MISMATCH',
      `seenWith: ${seenWith} is not possible in a Redis Cluster: a script sees the keys of one node only, and two crawls may be on two. ` +
        'Use a Redis that is not a cluster, or one crawl for both',
    )
  const periodMs = Math.round((seenSeconds ?? 0) * 1000)
  return textOf({ dupefilter, periodMs, where: jobKeys(seenWith ?? crawl, cluster, keys).base })
}

/** A thousand years. */
const MAX_SECONDS = 31_557_600_000

/** Parses a stored seen rule. Any program may have written it: an invalid one means the default, as in the scripts. @param base of its keys */
export function readSeenText(text: string, base: string): SeenRule {
  const match = /^(own|scrapy-[abc]) (\d{1,15}) (.+)$/s.exec(text)
  const [, dupefilter = 'own', periodMs = '0', where = base] = match ?? []
  return { dupefilter: dupefilter as Dupefilter, periodMs: Number(periodMs), where }
}

/** For messages. */
export function describeSeen({ dupefilter, periodMs, where }: SeenRule): string {
  if (dupefilter !== 'own') return `dupefilter ${dupefilter} in ${where}`
  const crawl = /\{(.*)\}$/.exec(where)?.[1] ?? where
  const age = periodMs === 0 ? 'without expiry' : `with seenSeconds ${periodMs / 1000}`
  return `the seen set of ${crawl}, ${age}`
}

function textOf({ dupefilter, periodMs, where }: SeenRule): string {
  return `${dupefilter} ${periodMs} ${where}`
}

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
