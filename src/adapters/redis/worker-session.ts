import { randomBytes } from 'node:crypto'
import type { Clock } from '../../base/clock.ts'
import { ConfigurationError, CrawlError } from '../../base/crawl-error.ts'
import type { JsonObject } from '../../base/json.ts'
import type { FleetState } from '../../domain/frontier/fleet.ts'
import { finishClearing } from './crawl-control.ts'
import type { Job } from './job.ts'
import { ConnectionClosed } from './redis-connection.ts'
import { SCRIPTS, type Script } from './redis-scripts.ts'
import {
  describeSeen,
  ownFingerprint,
  readSeenText,
  type SeenFingerprint,
  seenFingerprint,
} from './seen-options.ts'

/** What `call` gives when the lease of this process had ended: all that it had is with others now. */
export const LOST: unique symbol = Symbol('lost')

export interface WorkerSessionOptions {
  /** For display. */
  readonly name: string
  /** How the crawl is to remember what it has seen, as `seenText` says it; '' as it does. */
  readonly seen: string
  /** The time of day of this machine: it also passes while the machine is suspended, when a steady clock stands still. */
  readonly wallClock: Clock
  /** What it says about itself when it says that it lives. */
  readonly status: () => JsonObject
  /** The lease has ended, or Redis has forgotten what we did under it; a new one begins. */
  readonly onLost: () => void
  /** The throttle state of hosts as we know it, in parts (`scripts/restore-throttle.ts`): a Redis that we come back to may have forgotten it. @default none is known */
  readonly throttles?: () => ReadonlyArray<readonly string[]>
  /** The crawl was paused, drained or resumed. */
  readonly onState: (state: FleetState | undefined) => void
}

/**
 * One process at work on a job: its lease, which holds for all its hosts and is renewed while it lives, and its calls. These go out one
 * at a time, each with a number, so that one whose reply was lost can be repeated without taking effect twice, and so that a Redis that comes
 * back without its last moments is found out.
 */
export class WorkerSession {
  readonly #job: Job
  readonly #clock: Clock
  readonly #wallClock: Clock
  readonly #name: string
  readonly #seen: string
  readonly #status: () => JsonObject
  readonly #onLost: () => void
  readonly #throttles: () => ReadonlyArray<readonly string[]>
  readonly #onState: (state: FleetState | undefined) => void
  #state: FleetState | undefined
  #fence: string | undefined
  #joined = false
  #fingerprint = ownFingerprint
  #calls = 0
  #last: Promise<unknown> = Promise.resolve()
  /** By `#clock`, and by `#wallClock`. */
  #heldUntil = NEVER_HELD
  #cancelTimer = (): void => {}
  #closed = false

  constructor(
    job: Job,
    clock: Clock,
    { name, wallClock, seen, status, onLost, throttles = () => [], onState }: WorkerSessionOptions,
  ) {
    this.#job = job
    this.#clock = clock
    this.#wallClock = wallClock
    this.#name = name
    this.#seen = seen
    this.#status = status
    this.#onLost = onLost
    this.#throttles = throttles
    this.#onState = onState
  }

  /** As it was last heard. */
  get state(): FleetState | undefined {
    return this.#state
  }

  /** @param text what Redis says the state is; '' none */
  hear(text: unknown): void {
    const state = text === 'paused' || text === 'draining' ? text : undefined
    if (state === this.#state) return
    this.#state = state
    this.#onState(state)
  }

  /** `undefined` while there is no lease. */
  get fence(): string | undefined {
    return this.#fence
  }

  /** What stands for a request in the seen set of this crawl. It is known from the first join on. */
  get fingerprint(): SeenFingerprint {
    return this.#fingerprint
  }

  /** Calls do so by themselves. */
  async join(): Promise<void> {
    await this.#inTurn(() => this.#join())
  }

  /**
   * Whether all that we have is ours for certain. It is so until well before others may take it: a request that goes out in the last moment
   * has time to end.
   */
  get isSure(): boolean {
    const [steady, wall] = this.#heldUntil
    return this.#clock.now() < steady && this.#wallClock.now() < wall
  }

  /**
   * Its reply, or `LOST`.
   * @param under the fence that it belongs to: it is not sent under another. @default the one of now
   */
  call<Arguments extends readonly string[]>(
    script: Script<Arguments>,
    args: NoInfer<Arguments>,
    under?: string,
  ): Promise<unknown> {
    return this.#inTurn(async () => {
      // The lease ended while the call waited for its turn: what it names may be with others, or ours again under the same number.
      if (under !== undefined && under !== this.#fence) return LOST
      const fence = await this.#join()
      const call = this.#calls + 1
      for (;;) {
        const reply = await this.#job.run(script, { fence, call }, args)
        const [status] = Array.isArray(reply) ? (reply as unknown[]) : [reply]
        if (status === 'again') continue
        if (status === 'lost' || status === 'behind') {
          await this.#beginAnew(fence, status)
          return LOST
        }
        // One that Redis refused has no number: it took no effect.
        this.#calls = call
        return reply
      }
    })
  }

  /** Tells Redis of hosts that it may not know so. @param part as `scripts/restore-throttle.ts` takes it */
  async restoreThrottle(part: readonly string[]): Promise<void> {
    await this.#inTurn(async () =>
      this.#job.run(SCRIPTS.restoreThrottle, { fence: await this.#join() }, part),
    )
  }

  /** Tells the others that we live. */
  renew(): Promise<void> {
    return this.#inTurn(async () => {
      const fence = this.#fence
      if (fence === undefined) return
      for (;;) {
        const sentAt = this.#times()
        const about = JSON.stringify(this.#status())
        const reply = await this.#job.run(SCRIPTS.renew, { fence, call: this.#calls }, [about])
        const [status, state] = reply as string[]
        if (status === 'lost' || status === 'behind') return this.#beginAnew(fence, status)
        this.#renewed(sentAt)
        if (status !== 'ok') continue
        this.hear(state)
        return
      }
    })
  }

  /** Requeues the unsettled requests and frees the hosts. */
  async leave(): Promise<void> {
    this.#closed = true
    this.#cancelTimer()
    await this.#inTurn(async () => {
      const fence = this.#fence
      this.#fence = undefined
      this.#heldUntil = NEVER_HELD
      if (fence === undefined) return
      await this.#giveBack(fence, '')
    })
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#last.then(work)
    this.#last = result.catch(() => {})
    return result
  }

  async #join(): Promise<string> {
    if (this.#closed) throw new ConnectionClosed('the frontier was closed')
    if (this.#fence !== undefined) return this.#fence
    const sentAt = this.#times()
    // Repeated after a lost reply, it leaves a worker behind that holds nothing and is soon forgotten.
    const unique = randomBytes(6).toString('hex')
    const args = [this.#name, unique, this.#joined ? 'again' : '', this.#seen] as const
    const [status, fence = '', more = ''] = (await this.#job.run(SCRIPTS.join, {}, args)) as string[]
    if (status === 'clearing') {
      await finishClearing(this.#job)
      return this.#join()
    }
    if (status === 'order') throw wrongOrder(this.#job.rules.order, fence)
    const { base } = this.#job.keys
    if (status === 'rule') throw wrongSeen(describeSeen(readSeenText(fence, base)))
    if (status === 'kind') throw noDupefilter(more, fence)
    if (status === 'forgotten')
      throw new CrawlForgotten('Redis has lost the crawl: was it restarted without its data, or cleared?')
    if (this.#joined)
      for (const part of this.#throttles()) await this.#job.run(SCRIPTS.restoreThrottle, { fence }, part)
    this.#fence = fence
    this.#joined = true
    this.#fingerprint = seenFingerprint(readSeenText(more, base).dupefilter)
    this.#calls = 0
    this.#renewed(sentAt)
    this.#renewLater()
    return this.#fence
  }

  #times(): readonly [number, number] {
    return [this.#clock.now(), this.#wallClock.now()]
  }

  #renewed([steady, wall]: readonly [number, number]): void {
    const sureMs = this.#job.rules.leaseMs * SURE
    this.#heldUntil = [steady + sureMs, wall + sureMs]
  }

  #renewLater(): void {
    this.#cancelTimer()
    this.#cancelTimer = this.#clock.after(this.#job.rules.leaseMs * RENEW_AFTER, () => {
      // It fails when the connection is closed, or Redis does not understand us: then the lease ends.
      this.renew().catch(() => {})
      if (!this.#closed) this.#renewLater()
    })
  }

  /**
   * What we had is lost. When Redis only forgot our last calls, it takes pages for leased that we have settled, and hosts for ours that we have let go: all of
   * it is given back, to be handed out again.
   */
  async #beginAnew(fence: string, status: 'lost' | 'behind'): Promise<void> {
    this.#cancelTimer()
    this.#fence = undefined
    this.#heldUntil = NEVER_HELD
    this.#onLost()
    if (status === 'behind') await this.#giveBack(fence, 'under way')
    // At once: others wait for what we know of the hosts that we had.
    // Should that fail, the next call says so.
    if (!this.#closed) await this.#join().catch(() => {})
  }

  /** @param underWay `'under way'` when we may be requesting what we give back */
  async #giveBack(fence: string, underWay: 'under way' | ''): Promise<void> {
    while ((await this.#job.run(SCRIPTS.leave, { fence }, [underWay])) === 'again');
  }
}

/** Redis has lost the crawl and its pending requests. */
export class CrawlForgotten extends CrawlError {
  readonly code = 'CRAWL_FORGOTTEN'
  readonly retryable = false
}

function wrongOrder(wanted: string, order: string): ConfigurationError {
  return new ConfigurationError(
    'CRAWL_MISMATCH',
    `this crawl hands out its requests in the order '${order}', not '${wanted}': use that order, or clear the crawl first`,
  )
}

/** @param rule as the crawl has it, or the one it was to share with */
function wrongSeen(rule: string): ConfigurationError {
  return new ConfigurationError(
    'CRAWL_MISMATCH',
    `this crawl was begun with other settings for what it has seen (${rule}): use the same dupefilter, dupefilterKey, seenWith and seenSeconds, or clear the crawl first`,
  )
}

function noDupefilter(key: string, kind: string): ConfigurationError {
  return new ConfigurationError(
    'CRAWL_MISMATCH',
    `${key} holds a ${kind}, and no set of fingerprints as scrapy-redis keeps it: look at dupefilterKey`,
  )
}

const NEVER_HELD: readonly [number, number] = [Number.NEGATIVE_INFINITY, Number.NEGATIVE_INFINITY]

/** Parts of a lease: when it is renewed, and how much of it we use. */
const RENEW_AFTER = 1 / 6
const SURE = 2 / 3
