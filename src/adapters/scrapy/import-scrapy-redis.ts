import type { Clock } from '../../base/clock.ts'
import { ConfigurationError } from '../../base/crawl-error.ts'
import { withoutUndefined } from '../../base/without-undefined.ts'
import { hostOf } from '../../domain/url/host-of.ts'
import { normalizeUrl, type UrlNormalizer } from '../../domain/url/normalize-url.ts'
import type { ScrapyDupefilter } from './fingerprints.ts'
import { type ImportFindings, ImportTally } from './import-tally.ts'
import type { ImportTarget, TargetSeenRule } from './import-target.ts'
import { detectDupefilter, dupefilterSize } from './scrapy-dupefilter.ts'
import { moveRequests, unreadableKey } from './scrapy-mover.ts'
import { ScrapyQueue } from './scrapy-queue.ts'
import type { ScrapyRule } from './scrapy-request.ts'

export interface ScrapyImportOptions {
  /** @default '<spider>:requests', '<spider>:dupefilter'; in a cluster '{<spider>}:…' */
  readonly requestsKey?: string
  readonly dupefilterKey?: string
  /** Family of the fingerprints in the dupefilter; `none`: the crawl does not use it. @default detected */
  readonly dupefilter?: ScrapyDupefilter | 'none'
  /** Leave the requests in the queue as well. They are marked, and not imported twice. @default false */
  readonly keep?: boolean
  /** Read all requests, change nothing. @default false */
  readonly dryRun?: boolean
  /** The rules of a `CrawlSpider`, in their order: handler and meta of the requests of each. */
  readonly rules?: readonly ScrapyRule[]
  /** As the spider has them. @default hostOf, normalizeUrl */
  readonly keyOf?: (url: string) => string
  readonly normalize?: UrlNormalizer
}

export interface ScrapyImport extends ImportFindings {
  readonly crawl: string
  readonly requestsKey: string
  /** Requests in the queue at the start. */
  readonly waiting: number
  /** Whether anything was moved or copied. */
  readonly isChanged: boolean
  /** The list that has the unreadable requests, if something was moved. */
  readonly unreadableKey: string
  /** The dupefilter that the crawl uses from now on. Absent: none. */
  readonly dupefilter?: { readonly key: string; readonly size: number; readonly kind: ScrapyDupefilter }
}

/**
 * Imports a crawl of scrapy-redis: moves its pending requests to the frontier of a crawl, and makes that crawl use the dupefilter in place, which
 * Scrapy workers may continue to use. It holds hashes, from which no URL can be restored.
 *
 * Each batch is one script, so a request is either in the queue or in the frontier even if a process is killed. A pending request is
 * fetched although its fingerprint is in the dupefilter: scrapy-redis adds it there when it queues the request.
 *
 * All requests are read first. If none can be read, or the handler of one is unknown, nothing is changed.
 *
 * @param clock the time of the fleet
 * @throws ConfigurationError if a key holds something else, the crawl has other settings, or rules have no handlers
 */
export async function importScrapyRedis(
  target: ImportTarget,
  clock: Clock,
  spider: string,
  options: ScrapyImportOptions = {},
): Promise<ScrapyImport> {
  const { crawl } = target
  const { normalize = normalizeUrl, keyOf = hostOf, keep = false, dryRun = false } = options
  const requestsKey = target.scrapyKey(spider, 'requests', options.requestsKey)
  const dupefilterKey = target.scrapyKey(spider, 'dupefilter', options.dupefilterKey)
  const queue = new ScrapyQueue(target, requestsKey, normalize, options.rules)
  const waiting = await queue.count()
  const seen = await target.seenRule()
  let tally = new ImportTally()
  for await (const entries of queue.entries()) tally.found(entries)
  const { imported: readable, unknownRules } = tally.report()
  if (Object.keys(unknownRules).length > 0) throw noHandlersForRules(requestsKey, unknownRules)
  const isUnreadable = waiting > 0 && readable === 0
  const dupefilter = isUnreadable ? undefined : await chooseDupefilter()
  // Without anything to import, the crawl is not created: its first worker chooses its settings.
  const isChanged = !dryRun && !isUnreadable && (readable > 0 || dupefilter !== undefined)
  if (isChanged) {
    tally = new ImportTally()
    await moveAll()
  }
  return {
    ...{ crawl, requestsKey, waiting, isChanged, unreadableKey: unreadableKey(requestsKey) },
    ...tally.report(),
    ...withoutUndefined({ dupefilter }),
  }

  async function chooseDupefilter(): Promise<ScrapyImport['dupefilter']> {
    if (options.dupefilter === 'none') return undefined
    const size = await dupefilterSize(target, dupefilterKey)
    if (size === 0 && options.dupefilter === undefined) return undefined
    const kind =
      seen === undefined
        ? (options.dupefilter ?? (await detectDupefilter(target, dupefilterKey, queue)))
        : kindOf(seen, crawl, dupefilterKey, options.dupefilter)
    return { key: dupefilterKey, size, kind }
  }

  async function moveAll(): Promise<void> {
    const session = await target.join(dupefilter, () => ({ imported: tally.report().imported }))
    try {
      for await (const { entries, moved } of moveRequests(session, clock, queue, { keep, keyOf }))
        tally.moved(entries, moved)
    } finally {
      await session.leave()
    }
  }
}

function noHandlersForRules(queue: string, rules: Readonly<Record<string, number>>): ConfigurationError {
  const counts = Object.entries(rules).map(([rule, requests]) => `rule ${rule}: ${requests}`)
  return new ConfigurationError(
    'CRAWL_MISMATCH',
    `requests in ${queue} come from the rules of a CrawlSpider (${counts.join(', ')}), and Redis holds no names of their callbacks. ` +
      'Name the callback of each rule, in their order, with - for a rule without one: --rules parse_item,-,parse_list:follow. Nothing was moved',
  )
}

/** The dupefilter of an existing crawl. @throws ConfigurationError if it is not the one to import */
function kindOf(
  seen: TargetSeenRule,
  crawl: string,
  dupefilterKey: string,
  wanted: ScrapyDupefilter | undefined,
): ScrapyDupefilter {
  const { dupefilter, where } = seen
  const isSame = where === dupefilterKey && (wanted ?? dupefilter) === dupefilter
  if (dupefilter !== 'own' && isSame) return dupefilter
  throw new ConfigurationError(
    'CRAWL_MISMATCH',
    `the crawl ${crawl} exists and stores seen URLs elsewhere (${seen.description}): import to another crawl (--crawl), clear it first, ` +
      'or use --family none; then URLs that Scrapy has fetched may be fetched again',
  )
}
