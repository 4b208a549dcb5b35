import { randomBytes } from 'node:crypto'
import { TextDecoder } from 'node:util'
import type { Clock } from '../../base/clock.ts'
import { ConfigurationError } from '../../base/crawl-error.ts'
import { readStartMessage, type StartReading, type StartRequest } from '../scrapy/start-message.ts'
import { type StartKeys, type StartKeysOptions, startKeys } from './keys.ts'
import type { RedisConnection } from './redis-connection.ts'
import { SCRIPTS, type Script } from './redis-scripts.ts'

/**
 * Type of the key of start messages. As in scrapy-redis, a list is read from its head, a set in any order, a sorted set from its highest
 * score.
 */
export type StartKind = 'list' | 'set' | 'zset'

/** @param found as Redis calls it */
export function wrongKind(key: string, found: string, wanted: StartKind | undefined): ConfigurationError {
  const should = wanted === undefined ? 'a list, a set or a sorted set' : NAMES[wanted]
  return new ConfigurationError(
    'REDIS_KEY_INVALID',
    `${key} must hold ${should} of start messages; it is ${kindName(found)}`,
  )
}

/** `a sorted set`. */
function kindName(kind: string): string {
  return Object.hasOwn(NAMES, kind) ? NAMES[kind as StartKind] : `a ${kind}`
}

const NAMES: Readonly<Record<StartKind, string>> = { list: 'a list', set: 'a set', zset: 'a sorted set' }

export interface StartMessagesOptions extends StartKeysOptions {
  /** What the key must hold. @default whatever it holds */
  readonly as?: StartKind
  /** As `readStartMessage` has it. @default 'rich' */
  readonly reading?: 'strict' | 'rich'
  /** Taken at once; no more than 500. @default 100 */
  readonly batch?: number
  /** Of their text: a name that web pages use for it, as `utf-8`, `gbk`, `windows-1252`. @default 'utf-8' */
  readonly encoding?: string
  /** Why no page can go to the handler of that name; `undefined` if one can. @default every name is good */
  readonly handlerFault?: (name: string) => string | undefined
  /** Called for each message that is put aside, with the reason. */
  readonly onRefused?: (reason: string, key: string) => void
  /** A batch that is not added after this time goes to the next worker: its worker was lost. @default 60000 */
  readonly keepMs?: number
}

/** Messages that are reserved for this worker until `RedisFrontier.addStarts` is called with the name of the batch. */
export interface TakenStarts {
  readonly batch: string
  /** In their order. Empty: no message waits. */
  readonly requests: readonly StartRequest[]
}

interface StartCounts {
  /** Messages whose requests may not be in the frontier yet: they wait, or a worker has taken them. */
  readonly waiting: number
  readonly malformed: number
}

/**
 * The start messages of a crawl: what people, and Python's programs, push to `<spider>:start_urls` while it runs.
 *
 * Each takes effect once. It is handed out again when its taker died before it added it, or stood still for `keepMs`; of two that have it,
 * only the second can add it. What cannot be read goes to `<key>:malformed` with its reason.
 */
export class StartMessages {
  readonly #connection: RedisConnection
  readonly #clock: Clock
  readonly #keys: StartKeys
  readonly #as: StartKind | undefined
  readonly #reading: 'strict' | 'rich'
  readonly #batch: number
  readonly #decoder: StartDecoder
  readonly #handlerFault: (name: string) => string | undefined
  readonly #onRefused: (reason: string, key: string) => void
  readonly #keepMs: number
  readonly #name = randomBytes(6).toString('hex')
  #batches = 0

  /**
   * @param clock the same time for all of the fleet: a `RedisClock`
   * @throws ConfigurationError for a key that a cluster keeps elsewhere, or an encoding that is none
   */
  constructor(connection: RedisConnection, clock: Clock, crawl: string, options: StartMessagesOptions = {}) {
    const { as, reading = 'rich', batch = 100, encoding = 'utf-8', keepMs = 60_000 } = options
    this.#connection = connection
    this.#clock = clock
    this.#keys = startKeys(crawl, connection.isCluster, options)
    this.#as = as
    this.#reading = reading
    this.#batch = Math.max(1, Math.min(batch, MAX_BATCH))
    this.#decoder = new StartDecoder(encoding)
    this.#handlerFault = options.handlerFault ?? (() => undefined)
    this.#onRefused = options.onRefused ?? (() => {})
    this.#keepMs = keepMs
  }

  /** At most `batch` of them, or all that a taker had who died. @throws ConfigurationError when the key holds something else */
  async take(): Promise<TakenStarts> {
    for (;;) {
      const batch = `${this.#name}-${++this.#batches}`
      const now = Math.floor(this.#clock.now())
      const args = [now, batch, this.#batch, MAX_BYTES, this.#keepMs].map(String)
      const messages = (await this.#run(SCRIPTS.takeStarts, args)) as string[]
      const requests: StartRequest[] = []
      const refused: string[] = []
      for (const [i, wire] of messages.entries()) {
        const { text, fault } = this.#decoder.decode(wire)
        const read = fault ?? this.#read(text)
        if (read.ok) requests.push(read.start)
        else {
          refused.push(String(i), JSON.stringify({ ...read, ok: undefined, message: text, at: now }))
          this.#onRefused(read.reason, this.#keys.malformedStarts)
        }
      }
      if (refused.length > 0) await this.#refuse([batch, String(messages.length), ...refused])
      // If no message could be read, there may be more.
      if (requests.length > 0 || messages.length === 0) return { batch, requests }
    }
  }

  /** Those that wait: while there are some, the crawl is not at its end. */
  async count(): Promise<number> {
    return (await this.counts()).waiting
  }

  async counts(): Promise<StartCounts> {
    const reply = await this.#run(SCRIPTS.countStarts, [this.#keys.malformedStarts])
    const [waiting, malformed] = reply as [number, number]
    return { waiting, malformed }
  }

  #read(text: string): StartReading {
    const read = readStartMessage(text, { reading: this.#reading })
    const fault = read.ok ? this.#handlerFault(read.start.options.handler ?? 'parse') : undefined
    return fault === undefined ? read : { ok: false, reason: `handler: ${fault}` }
  }

  async #refuse(args: readonly string[]): Promise<void> {
    const { base, malformedStarts } = this.#keys
    await this.#connection.run(SCRIPTS.refuseStarts, [base, malformedStarts], args)
  }

  async #run(script: Script, args: readonly string[]): Promise<unknown> {
    const { base, startUrls } = this.#keys
    const reply = await this.#connection.run(script, [base, startUrls], [this.#as ?? '', ...args])
    const [status, value] = reply as [string, unknown]
    if (status !== 'ok') throw wrongKind(startUrls, String(value), this.#as)
    return value
  }
}

/** What one script moves at most, since Redis does nothing else meanwhile; it is added by one script, too. A single message may be larger. */
const MAX_BATCH = 500
const MAX_BYTES = 1_000_000

/** A message as text. */
interface DecodedStart {
  /** With U+FFFD for what cannot be read. */
  readonly text: string
  /** Why it is not text, and the original message; absent if it is text. */
  readonly fault?: { readonly ok: false; readonly reason: string; readonly base64: string }
}

/** Decodes messages as `scripts/take-starts.lua` returns them, in the encoding in which they were pushed. */
export class StartDecoder {
  readonly #encoding: string
  readonly #strict: TextDecoder
  readonly #lenient: TextDecoder

  /** @throws ConfigurationError */
  constructor(encoding: string) {
    try {
      this.#strict = new TextDecoder(encoding, { fatal: true, ignoreBOM: true })
      this.#lenient = new TextDecoder(encoding)
    } catch (cause) {
      throw new ConfigurationError(
        'SETTING_INVALID',
        `start messages cannot be read as ${JSON.stringify(encoding)}: name an encoding as web pages do, such as utf-8, gbk, shift_jis or windows-1252`,
        { cause },
      )
    }
    this.#encoding = encoding
  }

  decode(wire: string): DecodedStart {
    const bytes = Buffer.from(wire.slice(1), wire.startsWith('x') ? 'hex' : 'latin1')
    try {
      return { text: this.#strict.decode(bytes) }
    } catch {
      const reason = `not ${this.#encoding === 'utf-8' ? 'UTF-8' : this.#encoding}`
      return {
        text: this.#lenient.decode(bytes),
        fault: { ok: false, reason, base64: bytes.toString('base64') },
      }
    }
  }
}
