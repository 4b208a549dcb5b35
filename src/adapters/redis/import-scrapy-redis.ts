import { type Clock, wallClock } from '../../base/clock.ts'
import { ConfigurationError } from '../../base/crawl-error.ts'
import { withoutUndefined } from '../../base/without-undefined.ts'
import type { FrontierOrder } from '../../domain/frontier/frontier.ts'
import { hostOf } from '../../domain/url/host-of.ts'
import { normalizeUrl, type UrlNormalizer } from '../../domain/url/normalize-url.ts'
import type { ScrapyRule } from '../scrapy/scrapy-request.ts'
import { type CrawlRules, crawlRules, guestOf } from './crawl-rules.ts'
import { type ImportFindings, ImportTally } from './import-tally.ts'
import { Job } from './job.ts'
import { checkTag, type JobKeysOptions, jobKeys, sharedKey } from './keys.ts'
import type { RedisConnection } from './redis-connection.ts'
import { detectDupefilter, dupefilterSize, type ScrapyDupefilter } from './scrapy-dupefilter.ts'
import { ScrapyMover, unreadableKey } from './scrapy-mover.ts'
import { ScrapyQueue } from './scrapy-queue.ts'
import { describeSeen, seenText } from './seen-options.ts'
import { WorkerSession } from './worker-session.ts'

export interface ScrapyImportOptions extends JobKeysOptions {
  /** The crawl that gets them. @default the name of the spider */
  readonly crawl?: string
  /** @default '<spider>:requests', '<spider>:dupefilter'; in a cluster '{<spider>}:…' */
  readonly requestsKey?: string
  readonly dupefilterKey?: string
  /** Whose fingerprints the dupefilter has; `none`: the new crawl does not look at it. @default what is found out */
  readonly dupefilter?: ScrapyDupefilter | 'none'
  /** Of the new crawl: the same as its spider's. @default 'hosts' */
  readonly order?: FrontierOrder
  /** Leave the requests where they are, too. What is imported so is marked, and not imported twice. @default false */
  readonly keep?: boolean
  /** Look at all, and change nothing. @default false */
  readonly dryRun?: boolean
  /** Of Python's spider, if it is a `CrawlSpider`: what becomes of the requests of each rule, in their order. */
  readonly rules?: readonly ScrapyRule[]
  /** As the spider's. @default hostOf, normalizeUrl */
  readonly keyOf?: (url: string) => string
  readonly normalize?: UrlNormalizer
}

export interface ScrapyImport extends ImportFindings {
  readonly crawl: string
  readonly requestsKey: string
  /** Requests that waited there when it began. */
  readonly waiting: number
  /** Whether anything was moved or copied. Not when there is nothing that could be read. */
  readonly isChanged: boolean
  /** The list that has those now which could not be read, when something was moved. */
  readonly unreadableKey: string
  /** What Python has seen, which the new crawl does not ask for again. Absent: it does not look there. */
  readonly dupefilter?: { readonly key: string; readonly size: number; readonly kind: ScrapyDupefilter }
}

/**
 * Takes over a crawl of scrapy-redis: moves its pending requests to the frontier of a crawl, and lets that crawl go by the dupefilter as it is, which
 * Python's workers may go on using. The fingerprints in it are hashes, of which no URL can be made again.
 *
 * Each batch is one script: a request is in the queue or in the frontier, never in both or in neither, whoever is killed when. A request that
 * waits is asked for although its fingerprint is in the dupefilter: that is where its own is.
 *
 * All requests are looked at first: when none of them can be read, or the handler of one is not known, everything stays as it is.
 *
 * @param clock the time of the fleet: a `RedisClock`
 * @throws ConfigurationError when a key holds something else, the crawl was begun in another way, or rules have no handlers
 */
export async function importScrapyRedis(
  connection: RedisConnection,
  clock: Clock,
  spider: string,
  options: ScrapyImportOptions = {},
): Promise<ScrapyImport> {
  const { isCluster } = connection
  const { crawl = spider, normalize = normalizeUrl, keyOf = hostOf, keep = false, dryRun = false } = options
  const { requestsKey = sharedKey(spider, isCluster, 'requests') } = options
  const { dupefilterKey = sharedKey(spider, isCluster, 'dupefilter') } = options
  if (isCluster) checkTag(crawl, requestsKey, 'the pending requests')
  if (isCluster) checkTag(crawl, dupefilterKey, 'the dupefilter')
  const keys = jobKeys(crawl, isCluster, options)
  const guest = guestOf(connection, keys)
  const queue = new ScrapyQueue(guest, requestsKey, normalize, options.rules)
  const waiting = await queue.count()
  const rules = await crawlRules(connection, keys)
  let tally = new ImportTally()
  for await (const entries of queue.entries()) tally.found(entries)
  const { imported: readable, unknownRules } = tally.report()
  if (Object.keys(unknownRules).length > 0) throw noHandlersForRules(requestsKey, unknownRules)
  const isUnreadable = waiting > 0 && readable === 0
  const dupefilter = isUnreadable ? undefined : await chooseDupefilter()
  // For nothing, the crawl is not begun: whoever runs it decides how it remembers, and in which order.
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
    const size = await dupefilterSize(guest, dupefilterKey)
    if (size === 0 && options.dupefilter === undefined) return undefined
    const kind =
      rules === undefined
        ? (options.dupefilter ?? (await detectDupefilter(guest, dupefilterKey, queue)))
        : kindOf(rules, crawl, dupefilterKey, options.dupefilter)
    return { key: dupefilterKey, size, kind }
  }

  async function moveAll(): Promise<void> {
    const order = options.order ?? rules?.order ?? 'hosts'
    const job = new Job(connection, keys, { order, leaseMs: 30_000, maxDeliveries: 10, keepPaceMs: 0 })
    const seen = dupefilter && { dupefilter: dupefilter.kind, dupefilterKey }
    const session = new WorkerSession(job, clock, {
      name: `import of ${requestsKey}`,
      wallClock,
      seen: seenText(crawl, isCluster, seen, options),
      status: () => ({ imported: tally.report().imported }),
      onLost: () => {},
      onState: () => {},
    })
    try {
      const mover = new ScrapyMover(session, clock, queue, { keep, keyOf })
      for await (const { entries, moved } of mover.moveAll()) tally.moved(entries, moved)
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

/** What a crawl that is there goes by. @throws ConfigurationError when that is not the dupefilter that is to be imported */
function kindOf(
  { seen }: CrawlRules,
  crawl: string,
  dupefilterKey: string,
  wanted: ScrapyDupefilter | undefined,
): ScrapyDupefilter {
  const { dupefilter, where } = seen
  const isSame = where === dupefilterKey && (wanted ?? dupefilter) === dupefilter
  if (dupefilter !== 'own' && isSame) return dupefilter
  throw new ConfigurationError(
    'CRAWL_MISMATCH',
    `the crawl ${crawl} is there already, and remembers what it has seen in another way (${describeSeen(seen)}): import to another one (--crawl), clear it first, ` +
      'or give --family none; then it may ask again for what Python has asked for',
  )
}
