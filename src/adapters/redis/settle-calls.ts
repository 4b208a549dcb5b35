import type { Settled } from '../../domain/frontier/frontier.ts'
import { batches } from './batches.ts'
import { RedisRefused } from './redis-connection.ts'
import { SCRIPTS } from './redis-scripts.ts'
import { type SettlementArguments, unsettledArguments } from './settlement-arguments.ts'
import { LOST, type WorkerSession } from './worker-session.ts'

/** What came of a request of ours. */
export interface OwnSettlement extends SettlementArguments {
  readonly id: string
  readonly host: string
}

/** Settles requests of one lease in as many calls as it takes. */
export class SettleCalls {
  readonly #session: WorkerSession
  readonly #fence: string | undefined
  readonly #throttleOf: ReadonlyMap<string, readonly string[]>
  readonly #sum = { added: 0, duplicates: 0, ignored: 0 }

  /**
   * @param fence that they were leased under
   * @param throttleOf the throttle state of their hosts, as `throttleArguments` writes it
   */
  constructor(
    session: WorkerSession,
    fence: string | undefined,
    throttleOf: ReadonlyMap<string, readonly string[]>,
  ) {
    this.#session = session
    this.#fence = fence
    this.#throttleOf = throttleOf
  }

  /** @param max requests that one script settles or adds */
  async settle(settlements: readonly OwnSettlement[], max: number): Promise<Settled> {
    const parts = batches(
      settlements.map(({ args }) => args),
      max,
    )
    let done = 0
    for (const { length } of parts) {
      await this.#part(settlements.slice(done, done + length), max)
      done += length
    }
    return this.#sum
  }

  /** When Redis refuses it, each by itself. One that it refuses then is a dead letter: it must not end the worker, nor the next one that is handed it. */
  async #part(part: readonly OwnSettlement[], max: number): Promise<void> {
    try {
      return await this.#call(part, max)
    } catch (error) {
      if (!(error instanceof RedisRefused)) throw error
    }
    for (const one of part)
      await this.#call([one], max).catch((error: unknown) => {
        if (!(error instanceof RedisRefused)) throw error
        const { id, host } = one
        return this.#call([{ id, host, before: [], args: unsettledArguments(id, host, error) }], max)
      })
  }

  async #call(part: readonly OwnSettlement[], max: number): Promise<void> {
    const before = part.flatMap((one) => one.before)
    for (const links of batches(before, max))
      this.#count(await this.#session.call(SCRIPTS.add, ['', '', ...links.flat()], this.#fence), 0)
    const hosts = new Set(part.map(({ host }) => host))
    const throttles = [...hosts].flatMap((host) => this.#throttleOf.get(host) ?? [])
    const args = [String(throttles.length / 4), ...throttles, ...part.flatMap((one) => one.args)] as const
    const reply = await this.#session.call(SCRIPTS.settle, args, this.#fence)
    if (reply === LOST && throttles.length > 0) await this.#session.restoreThrottle(throttles)
    this.#count(reply, part.length)
  }

  /** @param settlements those that change nothing when the lease is lost */
  #count(reply: unknown, settlements: number): void {
    const numbers = reply === LOST ? [0, 0, settlements] : String(reply).split(' ').map(Number)
    const [added = 0, duplicates = 0, ignored = 0] = numbers
    this.#sum.added += added
    this.#sum.duplicates += duplicates
    this.#sum.ignored += ignored
  }
}
