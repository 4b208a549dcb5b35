import { type Clock, wallClock } from '../../base/clock.ts'
import { ConfigurationError } from '../../base/crawl-error.ts'
import type { JsonObject } from '../../base/json.ts'
import type { FrontierOrder } from '../../domain/frontier/frontier.ts'
import type {
  EntryToMove,
  ImportedDupefilter,
  ImportSession,
  ImportTarget,
  Moved,
  MovedRange,
  PeekedEntry,
  TargetSeenRule,
} from '../scrapy/import-target.ts'
import { crawlRules, crawlShards, guestOf, Job } from './job.ts'
import { checkTag, type JobKeys, type JobKeysOptions, jobKeys, sharedKey } from './keys.ts'
import type { RedisConnection } from './redis-connection.ts'
import { SCRIPTS } from './redis-scripts.ts'
import { describeSeen, seenText } from './seen-options.ts'
import { requestArguments } from './stored-request.ts'
import { LOST, WorkerSession } from './worker-session.ts'

export interface RedisImportTargetOptions extends JobKeysOptions {
  /** Order of a new crawl: the same as its spider's. @default 'hosts' */
  readonly order?: FrontierOrder
}

/** The Redis side of `importScrapyRedis`. Each call is one script. */
export class RedisImportTarget implements ImportTarget {
  readonly crawl: string
  readonly #connection: RedisConnection
  readonly #clock: Clock
  readonly #options: RedisImportTargetOptions
  readonly #keys: JobKeys
  readonly #guest: Job

  /** @param clock the time of the fleet: a `RedisClock` */
  constructor(
    connection: RedisConnection,
    clock: Clock,
    crawl: string,
    options: RedisImportTargetOptions = {},
  ) {
    this.crawl = crawl
    this.#connection = connection
    this.#clock = clock
    this.#options = options
    this.#keys = jobKeys(crawl, connection.isCluster, options)
    this.#guest = guestOf(connection, this.#keys)
  }

  scrapyKey(spider: string, name: 'requests' | 'dupefilter', key?: string): string {
    const { isCluster } = this.#connection
    const chosen = key ?? sharedKey(spider, isCluster, name)
    const what = name === 'requests' ? 'the pending requests' : 'the dupefilter'
    if (isCluster) checkTag(this.crawl, chosen, what)
    return chosen
  }

  async keySize(key: string): Promise<readonly [type: string, size: number]> {
    return (await this.#guest.run(SCRIPTS.scrapyKeySize, {}, [key])) as [string, number]
  }

  async peek(queueKey: string, first: number, last: number, maxBytes: number): Promise<PeekedEntry[]> {
    const limits = [String(maxBytes), String(MAX_CALL_BYTES)] as const
    const args = [queueKey, String(first), String(last), ...limits] as const
    const list = (await this.#guest.run(SCRIPTS.peekScrapy, {}, args)) as string[]
    const entries: PeekedEntry[] = []
    for (let i = 0; i < list.length; i += 2) {
      const [digest = '', hex = ''] = list.slice(i, i + 2)
      entries.push(hex === 'long' ? { digest } : { digest, bytes: Buffer.from(hex, 'hex') })
    }
    return entries
  }

  async countMembers(key: string, families: number, fingerprints: readonly string[]): Promise<number[]> {
    const args = [key, String(families), ...fingerprints] as const
    return (await this.#guest.run(SCRIPTS.countMembers, {}, args)) as number[]
  }

  async seenRule(): Promise<TargetSeenRule | undefined> {
    const rules = await crawlRules(this.#connection, this.#keys)
    return rules && { ...rules.seen, description: describeSeen(rules.seen) }
  }

  async join(dupefilter: ImportedDupefilter | undefined, status: () => JsonObject): Promise<ImportSession> {
    const stored = await crawlRules(this.#connection, this.#keys)
    const { length: shards } = await crawlShards(this.#connection, this.crawl, this.#options)
    if (shards > 1 && dupefilter !== undefined)
      throw new ConfigurationError(
        'CRAWL_MISMATCH',
        `the dupefilter ${dupefilter.key} is one set, which ${shards} shards cannot share: import into a crawl with 1 shard, or without the dupefilter (--family none), which fetches known URLs again`,
      )
    const order = this.#options.order ?? stored?.order ?? 'hosts'
    const rules = { order, leaseMs: 30_000, maxDeliveries: 10, keepThrottleMs: 0 }
    const seen = dupefilter && { dupefilter: dupefilter.kind, dupefilterKey: dupefilter.key }
    const session = new WorkerSession(new Job(this.#connection, this.#keys, rules), this.#clock, {
      name: `import to ${this.crawl}`,
      wallClock,
      seen: seenText(this.crawl, this.#connection.isCluster, seen, this.#options),
      ...{ status, shards },
      onLost: () => {},
      onState: () => {},
    })
    await session.join()
    return {
      move: (range, entries) => moveEntries(session, range, entries),
      leave: () => session.leave(),
    }
  }
}

const MAX_CALL_BYTES = 1024 * 1024

async function moveEntries(
  session: WorkerSession,
  { queueKey, unreadableKey, keep, first, last }: MovedRange,
  entries: readonly EntryToMove[],
): Promise<Moved> {
  for (;;) {
    const args = entries.flatMap((entry) => {
      if ('request' in entry)
        return [entry.digest, '', ...requestArguments(entry.request, entry.host, session.fingerprint)]
      // The script adds the score.
      return [entry.digest, JSON.stringify(entry.problem).slice(0, -1), '', '', '', '', '']
    })
    const range = [String(first), String(last)] as const
    const places = [queueKey, unreadableKey, keep ? 'keep' : '', ...range] as const
    const reply = await session.call(SCRIPTS.importScrapy, [...places, ...args])
    if (reply === LOST) continue
    const [imported = 0, known = 0, unreadable = 0] = String(reply).split(' ').map(Number)
    return { imported, known, unreadable }
  }
}
