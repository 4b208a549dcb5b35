import { randomBytes } from 'node:crypto'
import type { Clock } from '../../base/clock.ts'
import { ConfigurationError, CrawlError } from '../../base/crawl-error.ts'
import type { LoggedItem } from '../../domain/frontier/item-log.ts'
import { type JobKeys, type JobKeysOptions, jobKeys } from './keys.ts'
import type { RedisConnection } from './redis-connection.ts'
import { readItem } from './redis-item-log.ts'
import { SCRIPTS, type Script } from './redis-scripts.ts'
import { numberIn } from './stored-request.ts'

export interface ItemTakerOptions extends JobKeysOptions {
  /**
   * Who takes. A process that comes back under its name gets at once what it had not acknowledged, and what it remembered; one that
   * still runs under it is stopped. @default a unique name
   */
  readonly name?: string
  /** Taken at once; no more than 1000. @default 500 */
  readonly batch?: number
  /** Items that are not acknowledged after this time go to the next consumer. @default 60000 */
  readonly keepMs?: number
}

/** Items that are reserved for this consumer until they are acknowledged or the reservation expires. */
export interface TakenItems {
  /** Oldest first. Empty: none waits. `position` is a number that no other item of the crawl that was ever taken has. */
  readonly items: readonly LoggedItem[]
  /** Number of skipped values that are not items; they are moved to the list `<key>:malformed`. */
  readonly malformed: number
  /**
   * They are safe elsewhere.
   * @param state what to remember with that, for `join`; '': what was remembered before
   * @returns whether they were still reserved. If not, another consumer has them, and what was done with them must be undone.
   * @throws ConsumerReplaced
   */
  acknowledge(state?: string): Promise<boolean>
}

/** The items of a crawl, for one consumer of any number. */
export interface ConsumableItems {
  readonly name: string
  /** The list for values that are not items. */
  readonly malformedKey: string

  /** To be called first. Returns what was remembered under this name; '': nothing. */
  join(): Promise<string>

  /** @throws ConsumerReplaced, ConfigurationError when the key holds something else */
  take(): Promise<TakenItems>

  /** Without anything that was taken. @throws ConsumerReplaced */
  remember(state: string): Promise<void>

  /** Number of items that are not acknowledged. */
  count(): Promise<number>

  /** Items that are not acknowledged go to the next consumer at once. The stored state of a named consumer stays for a month. */
  leave(): Promise<void>
}

/**
 * Another process takes items under the same consumer name.
 * Remedy: Give each consumer a name of its own.
 */
export class ConsumerReplaced extends CrawlError {
  readonly code = 'CONSUMER_REPLACED'
  readonly retryable = false
}

/**
 * A consumer of the items of one shard, one of any number. Items leave the list when they are taken, and Redis when they are acknowledged: one that dies in
 * between loses nothing.
 */
export class ItemTaker implements ConsumableItems {
  readonly name: string
  readonly #connection: RedisConnection
  readonly #clock: Clock
  readonly #keys: JobKeys
  readonly #batch: number
  readonly #keepMs: number
  readonly #token = randomBytes(9).toString('hex')
  #takings = 0

  /** @param clock the same time for all consumers: a `RedisClock` */
  constructor(connection: RedisConnection, clock: Clock, crawl: string, options: ItemTakerOptions = {}) {
    const { name, batch = 500, keepMs = 60_000 } = options
    this.name = name ?? this.#token
    this.#connection = connection
    this.#clock = clock
    this.#keys = jobKeys(crawl, connection.isCluster, options)
    this.#batch = Math.max(1, Math.min(batch, MAX_BATCH))
    this.#keepMs = keepMs
  }

  get malformedKey(): string {
    return `${this.#keys.items}:malformed`
  }

  async join(): Promise<string> {
    return String(await this.#run(SCRIPTS.joinItems))
  }

  async take(): Promise<TakenItems> {
    for (let passedOver = 0; ; ) {
      const reply = await this.#run(SCRIPTS.takeItems, [this.#batch, MAX_BYTES, this.#keepMs].map(String))
      const [status, value] = reply as [string, unknown]
      if (status === 'replaced') throw this.#replaced()
      if (status !== 'ok')
        throw new ConfigurationError(
          'REDIS_KEY_INVALID',
          `${this.#keys.items} must hold a list of items; it is a ${value}`,
        )
      const { items, malformed } = readTaken(value as string[])
      const taking = ++this.#takings
      const acknowledge = async (state = '') =>
        // Not for what was taken after it.
        taking === this.#takings && this.#acknowledge([String(taking), state, ...malformed])
      if (items.length > 0 || malformed.length === 0)
        return { items, malformed: passedOver + malformed.length, acknowledge }
      // None of them is an item, but there may be more.
      if (await acknowledge()) passedOver += malformed.length
    }
  }

  async remember(state: string): Promise<void> {
    await this.#acknowledge(['', state])
  }

  async count(): Promise<number> {
    return Number(await this.#run(SCRIPTS.countItems))
  }

  async leave(): Promise<void> {
    await this.#run(SCRIPTS.leaveItems)
  }

  async #acknowledge(args: readonly string[]): Promise<boolean> {
    const reply = await this.#run(SCRIPTS.acknowledgeItems, args)
    if (reply === 'replaced') throw this.#replaced()
    return reply === 'ok'
  }

  #run(script: Script, args: readonly string[] = []): Promise<unknown> {
    const { base, items } = this.#keys
    const now = String(Math.floor(this.#clock.now()))
    return this.#connection.run(script, [base, items], [now, this.name, this.#token, ...args])
  }

  #replaced(): ConsumerReplaced {
    return new ConsumerReplaced(
      `another process takes items as ${this.name} now: each needs a name and files of its own`,
    )
  }
}

/** What one script moves at most: Redis does nothing else meanwhile. A single item may be larger. */
const MAX_BATCH = 1_000
const MAX_BYTES = 4_000_000

function readTaken(reply: readonly string[]): { items: LoggedItem[]; malformed: string[] } {
  const items: LoggedItem[] = []
  const malformed: string[] = []
  for (let i = 0; i < reply.length; i += 3) {
    const [json = '', url = '', position = ''] = reply.slice(i, i + 3)
    const item = readItem(json)
    if (item === undefined) malformed.push(String(i / 3))
    else items.push({ position: numberIn(position), url, item })
  }
  return { items, malformed }
}
