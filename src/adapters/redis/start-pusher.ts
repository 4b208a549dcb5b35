import { randomBytes } from 'node:crypto'
import { batches } from './batches.ts'
import { type StartKeys, type StartKeysOptions, startKeys } from './keys.ts'
import type { RedisConnection } from './redis-connection.ts'
import { SCRIPTS } from './redis-scripts.ts'
import { type StartKind, wrongKind } from './start-messages.ts'

export interface StartPusherOptions extends StartKeysOptions {
  /** What the key is to hold. @default what it holds; a list when it is not there */
  readonly as?: StartKind
}

export interface StartToPush {
  /** A bare URL or JSON: what `readStartMessage` reads. */
  readonly message: string
  /** In a sorted set: the highest is read first. */
  readonly score: number
}

/** Adds start messages to a crawl, which need not exist yet; in a list, after the pending ones. */
export class StartPusher {
  readonly #connection: RedisConnection
  readonly #keys: StartKeys
  readonly #as: StartKind | undefined
  readonly #name = randomBytes(6).toString('hex')
  #calls = 0

  constructor(connection: RedisConnection, crawl: string, options: StartPusherOptions = {}) {
    this.#connection = connection
    this.#keys = startKeys(crawl, connection.isCluster, options)
    this.#as = options.as
  }

  get key(): string {
    return this.#keys.startUrls
  }

  /**
   * How many were new: in a set, what is there already is not added again.
   * @throws ConfigurationError when the key holds something else than `as`, or nothing of the kind
   */
  async push(starts: readonly StartToPush[]): Promise<number> {
    const { base, startUrls } = this.#keys
    let pushed = 0
    const args = starts.map(({ message, score }) => [String(score), message])
    for (const part of batches(args, MAX_BATCH)) {
      const call = [this.#as ?? '', this.#name, String(++this.#calls)]
      const reply = await this.#connection.run(
        SCRIPTS.pushStarts,
        [base, startUrls],
        [...call, ...part.flat()],
      )
      const [status, value] = reply as [string, unknown]
      if (status !== 'ok') throw wrongKind(startUrls, String(value), this.#as)
      pushed += Number(value)
    }
    return pushed
  }
}

/** Messages that one script moves at most: Redis does nothing else meanwhile. */
const MAX_BATCH = 500
