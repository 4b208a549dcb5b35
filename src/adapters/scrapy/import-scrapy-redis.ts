import type { Clock } from '../../base/clock.ts'
import { ConfigurationError } from '../../base/crawl-error.ts'
import { withoutUndefined } from '../../base/without-undefined.ts'
import { cutChars } from '../../domain/html/characters.ts'
import { hostOf } from '../../domain/url/host-of.ts'
import { normalizeUrl, type UrlNormalizer } from '../../domain/url/normalize-url.ts'
import type { ScrapyDupefilter } from './fingerprints.ts'
import type { EntryToMove, ImportSession, ImportTarget, Moved, TargetSeenRule } from './import-target.ts'
import { detectDupefilter, dupefilterSize } from './scrapy-dupefilter.ts'
import { SCRAPY_BATCH, type ScrapyEntry, ScrapyQueue } from './scrapy-queue.ts'
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

interface ScrapyMoverOptions {
  /** The requests stay in the queue as well. */
  readonly keep: boolean
  /** The host queue of a URL, as the spider has it. */
  readonly keyOf: (url: string) => string
}

/** Moves all requests of a queue of scrapy-redis to a crawl in batches, and yields the result of each batch. */
async function* moveRequests(
  session: ImportSession,
  clock: Clock,
  queue: ScrapyQueue,
  { keep, keyOf }: ScrapyMoverOptions,
): AsyncGenerator<{ readonly entries: readonly ScrapyEntry[]; readonly moved: Moved }> {
  const toMove = ({ digest, reading }: ScrapyEntry): EntryToMove =>
    reading.ok
      ? { digest, request: reading.request, host: keyOf(reading.request.url) }
      : { digest, problem: { reason: reading.reason, at: Math.floor(clock.now()) } }
  const keys = { queueKey: queue.key, unreadableKey: unreadableKey(queue.key), keep }
  for (let first = 0, failures = 0; failures < MAX_FAILURES; ) {
    const entries = await queue.peek(first)
    if (entries.length === 0) return
    const range = { ...keys, first, last: first + SCRAPY_BATCH - 1 }
    const moved = await session.move(range, entries.map(toMove))
    yield { entries, moved }
    if (keep) first += entries.length
    else failures = moved.imported + moved.known + moved.unreadable === 0 ? failures + 1 : 0
  }
}

/** After so many batches in a row that other processes took first, the queue is left to them. */
const MAX_FAILURES = 10

/** The list that gets unreadable requests. */
export function unreadableKey(queueKey: string): string {
  return `${queueKey}:unreadable`
}

export interface ImportFindings extends Moved {
  /** What could not be read: the first few reasons. */
  readonly problems: readonly string[]
  /** The handlers that the spider must have, with the requests for each. */
  readonly handlers: Readonly<Record<string, number>>
  /** Rules of a `CrawlSpider` without a handler name, with the requests of each. */
  readonly unknownRules: Readonly<Record<string, number>>
  /** What requests had that has no place here, with how many had it. */
  readonly dropped: Readonly<Record<string, number>>
}

/** Counts what the requests contain. Other programs wrote them, so the number of names and their length are limited. */
class ImportTally {
  readonly #handlers = new Map<string, number>()
  readonly #unknownRules = new Map<string, number>()
  readonly #dropped = new Map<string, number>()
  readonly #problems: string[] = []
  readonly #sum = { imported: 0, known: 0, unreadable: 0 }

  /** Counts entries that were moved. */
  moved(entries: readonly ScrapyEntry[], { imported, known, unreadable }: Moved): void {
    this.#sum.imported += imported
    this.#sum.known += known
    this.#sum.unreadable += unreadable
    for (const entry of entries) this.#count(entry)
  }

  /** Counts entries that were only read. */
  found(entries: readonly ScrapyEntry[]): void {
    const imported = entries.filter(({ reading }) => reading.ok).length
    this.moved(entries, { imported, known: 0, unreadable: entries.length - imported })
  }

  report(): ImportFindings {
    return {
      ...this.#sum,
      handlers: Object.fromEntries(this.#handlers),
      unknownRules: Object.fromEntries(this.#unknownRules),
      dropped: Object.fromEntries(this.#dropped),
      problems: this.#problems,
    }
  }

  #count({ reading }: ScrapyEntry): void {
    if (!reading.ok) {
      if (this.#problems.length < MAX_PROBLEMS) this.#problems.push(cutChars(reading.reason, MAX_NAME))
      return
    }
    if (reading.unknownRule !== undefined) countName(this.#unknownRules, String(reading.unknownRule))
    countName(this.#handlers, reading.request.handler)
    for (const name of reading.dropped) countName(this.#dropped, name)
  }
}

const MAX_PROBLEMS = 20
const MAX_NAMES = 50
const MAX_NAME = 200

function countName(counts: Map<string, number>, name: string): void {
  const short = cutChars(name, MAX_NAME)
  const key = counts.has(short) || counts.size < MAX_NAMES ? short : 'others'
  counts.set(key, (counts.get(key) ?? 0) + 1)
}
