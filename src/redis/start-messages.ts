import { randomBytes } from 'node:crypto'
import type { Clock } from '../base/clock.ts'
import { readStartMessage } from '../scrapy/start-message.ts'
import type { StartReading, StartRequest } from '../scrapy/start-request.ts'
import type { RedisConnection } from './connection.ts'
import { type StartKeys, type StartKeysOptions, startKeys } from './keys.ts'
import { ACKNOWLEDGE_STARTS } from './scripts/acknowledge-starts.ts'
import { COUNT_STARTS } from './scripts/count-starts.ts'
import { TAKE_STARTS } from './scripts/take-starts.ts'
import { type StartKind, wrongKind } from './start-kind.ts'

export interface StartMessagesOptions extends StartKeysOptions {
  /** What the key must hold. @default whatever it holds */
  readonly as?: StartKind
  /** As `readStartMessage` has it. @default 'rich' */
  readonly reading?: 'strict' | 'rich'
  /** A batch that is not acknowledged after this goes to whoever takes next: its taker has died. @default 60000 */
  readonly keepMs?: number
}

/** Messages that nobody else gets, until they are acknowledged. */
export interface StartBatch {
  /** In their order. Empty: no message waits. */
  readonly requests: readonly StartRequest[]
  /**
   * To be called when the requests are in the frontier; before, they are not lost if this process dies. What could not be read goes to
   * `<key>:malformed` with its reason.
   */
  acknowledge(): Promise<void>
}

/**
 * The start messages of a crawl: what people, and Python's programs, push to `<spider>:start_urls` while it runs.
 *
 * Each is handed out at least once. It is handed out again when its taker died before it acknowledged, or stood still for `keepMs`.
 */
export class StartMessages {
  readonly #connection: RedisConnection
  readonly #clock: Clock
  readonly #keys: StartKeys
  readonly #as: StartKind | undefined
  readonly #reading: 'strict' | 'rich'
  readonly #keepMs: number
  readonly #name = randomBytes(6).toString('hex')
  #batches = 0

  /**
   * @param clock the same time for all of the fleet: a `RedisClock`
   * @throws ConfigurationError for a key that a cluster keeps elsewhere
   */
  constructor(connection: RedisConnection, clock: Clock, crawl: string, options: StartMessagesOptions = {}) {
    const { as, reading = 'rich', keepMs = 60_000 } = options
    this.#connection = connection
    this.#clock = clock
    this.#keys = startKeys(crawl, connection.isCluster, options)
    this.#as = as
    this.#reading = reading
    this.#keepMs = keepMs
  }

  /** At most `n`, and no more than 500, or the whole batch of a taker that died. @throws ConfigurationError when the key holds something else */
  async take(n: number): Promise<StartBatch> {
    for (;;) {
      const batch = `${this.#name}-${++this.#batches}`
      const most = Math.max(1, Math.min(n, MAX_BATCH))
      const messages = (await this.#run(TAKE_STARTS, [batch, String(most), String(this.#keepMs)])) as string[]
      const requests: StartRequest[] = []
      const malformed: string[] = []
      for (const message of messages) {
        const read = this.#read(message)
        if (read.ok) requests.push(read.start)
        else
          malformed.push(JSON.stringify({ reason: read.reason, message, at: Math.floor(this.#clock.now()) }))
      }
      const acknowledge = async () => {
        const { base, malformedStarts } = this.#keys
        await this.#connection.run(ACKNOWLEDGE_STARTS, [base, malformedStarts], [batch, ...malformed])
      }
      if (requests.length > 0 || messages.length === 0) return { requests, acknowledge }
      // Nobody has a use for it, but there may be more.
      await acknowledge()
    }
  }

  /** Messages whose requests are not in the frontier for certain: those that wait, and those that somebody has taken. */
  async count(): Promise<number> {
    return Number(await this.#run(COUNT_STARTS, []))
  }

  #read(message: string): StartReading {
    // The connection puts it for bytes that are no UTF-8.
    if (message.includes('\uFFFD')) return { ok: false, reason: 'not UTF-8' }
    return readStartMessage(message, { reading: this.#reading })
  }

  async #run(script: typeof TAKE_STARTS, args: readonly string[]): Promise<unknown> {
    const { base, startUrls } = this.#keys
    const now = String(Math.floor(this.#clock.now()))
    const reply = await this.#connection.run(script, [base, startUrls], [this.#as ?? '', now, ...args])
    const [status, value] = reply as [string, unknown]
    if (status !== 'ok') throw wrongKind(startUrls, String(value), this.#as)
    return value
  }
}

/** Messages that one script moves at most: Redis does nothing else meanwhile. */
const MAX_BATCH = 500
