import { randomBytes } from 'node:crypto'
import type { Clock } from '../../base/clock.ts'
import { ConfigurationError, CrawlError } from '../../base/crawl-error.ts'
import type { JsonObject } from '../../base/json.ts'
import type { FleetState, HostDelays } from '../../domain/frontier/fleet.ts'
import { finishClearing } from './crawl-control.ts'
import { readHostDelays } from './host-delays.ts'
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
import { wrongShards } from './shards.ts'

/** The result of a call after the lease of this worker has ended: other workers may own its hosts now. */
export const LOST: unique symbol = Symbol('lost')

/** @param id of the clearing, as the home shard has it */
export type FinishClearing = (id: string) => Promise<void>

export interface WorkerSessionOptions {
  /** For display. */
  readonly name: string
  /** The seen rule in the form of `seenText`; '' to use that of the crawl. */
  readonly seen: string
  /** Number of shards of the crawl. */
  readonly shards: number
  /** Twelve letters or digits that no other process has: it is the same in all shards of a crawl. @default random */
  readonly identity?: string
  /** Removes the rest of a crawl that is being cleared. @default of this shard */
  readonly finishClearing?: FinishClearing
  /** The wall clock of this machine: unlike the steady clock, it advances while the machine is suspended. */
  readonly wallClock: Clock
  /** The status that this worker sends with each renewal. */
  readonly status: () => JsonObject
  /** Called when the lease has ended, or Redis lost calls made under it, and a new lease begins. */
  readonly onLost: () => void
  /** The throttle state of this worker's hosts, in batches for `scripts/restore-throttle.lua`: Redis may have lost it in a restart. @default none */
  readonly throttles?: () => ReadonlyArray<readonly string[]>
  /** Called when the crawl was paused, drained or resumed. */
  readonly onState: (state: FleetState | undefined) => void
  /** Called after each join, before its first call, and when an operator changed the delay of a host. @default ignores them */
  readonly onHostDelays?: (delays: HostDelays) => void
}

/**
 * One worker of a crawl: its lease, which covers all its hosts and is renewed while the worker runs, and its calls. Calls are sent one at
 * a time and numbered: one whose reply was lost can be repeated without taking effect twice, and a Redis that lost its latest writes is
 * detected.
 */
export class WorkerSession {
  readonly #job: Job
  readonly #clock: Clock
  readonly #wallClock: Clock
  readonly #name: string
  readonly #seen: string
  readonly #shards: number
  readonly #identity: string
  readonly #finishClearing: FinishClearing
  readonly #status: () => JsonObject
  readonly #onLost: () => void
  readonly #throttles: () => ReadonlyArray<readonly string[]>
  readonly #onState: (state: FleetState | undefined) => void
  readonly #onHostDelays: (delays: HostDelays) => void
  #state: FleetState | undefined
  /** Of the delays that `#onHostDelays` was last called with. */
  #delaysVersion = ''
  #fence: string | undefined
  #joined = false
  #fingerprint = ownFingerprint
  #calls = 0
  #last: Promise<unknown> = Promise.resolve()
  /** By `#clock`, and by `#wallClock`. */
  #heldUntil = NEVER_HELD
  #cancelTimer = (): void => {}
  #closed = false

  constructor(job: Job, clock: Clock, options: WorkerSessionOptions) {
    const { name, wallClock, seen, status, onLost, throttles = () => [], onState } = options
    const { onHostDelays = () => {}, identity = randomIdentity() } = options
    this.#job = job
    this.#clock = clock
    this.#wallClock = wallClock
    this.#name = name
    this.#seen = seen
    this.#shards = options.shards
    this.#identity = identity
    this.#finishClearing = options.finishClearing ?? (() => finishClearing([job], ''))
    this.#status = status
    this.#onLost = onLost
    this.#throttles = throttles
    this.#onState = onState
    this.#onHostDelays = onHostDelays
  }

  /** The state in the last reply. */
  get state(): FleetState | undefined {
    return this.#state
  }

  /** @param text the state in Redis; '' for none */
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

  /** The fingerprint function of this crawl's seen set. Known after the first join. */
  get fingerprint(): SeenFingerprint {
    return this.#fingerprint
  }

  /** Not needed before a call, which joins when necessary. */
  async join(): Promise<void> {
    await this.#inTurn(() => this.#join())
  }

  /**
   * Whether this worker certainly owns its hosts. It becomes false well before other workers may take them, so that a request sent at the
   * last moment has time to end.
   */
  get isSure(): boolean {
    const [steady, wall] = this.#heldUntil
    return this.#clock.now() < steady && this.#wallClock.now() < wall
  }

  /**
   * The reply, or `LOST`.
   * @param under the fencing token that the call belongs to: it is not sent under another. @default the current one
   */
  call<Arguments extends readonly string[]>(
    script: Script<Arguments>,
    args: NoInfer<Arguments>,
    under?: string,
  ): Promise<unknown> {
    return this.#inTurn(async () => {
      // The lease ended while the call waited: other workers may own its hosts, or this one again under another lease.
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
        // A call that Redis rejected gets no number: it had no effect.
        this.#calls = call
        return reply
      }
    })
  }

  /** Writes the throttle state of hosts that Redis may have lost. @param part arguments of `scripts/restore-throttle.lua` */
  async restoreThrottle(part: readonly string[]): Promise<void> {
    await this.#inTurn(async () =>
      this.#job.run(SCRIPTS.restoreThrottle, { fence: await this.#join() }, part),
    )
  }

  /** Renews the lease. */
  renew(): Promise<void> {
    return this.#inTurn(async () => {
      const fence = this.#fence
      if (fence === undefined) return
      for (;;) {
        const sentAt = this.#times()
        const about = JSON.stringify(this.#status())
        const args = [about, this.#delaysVersion] as const
        const reply = await this.#job.run(SCRIPTS.renew, { fence, call: this.#calls }, args)
        const [status, state, version, delays] = reply as [string, string?, string?, unknown?]
        if (status === 'lost' || status === 'behind') return this.#beginAnew(fence, status)
        this.#renewed(sentAt)
        if (status !== 'ok') continue
        this.hear(state)
        if (version !== undefined) this.#hearDelays(version, delays)
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
    // Repeated after a lost reply, it leaves a worker without hosts, which expires soon.
    const unique = this.#identity + randomIdentity()
    const again = this.#joined ? 'again' : ''
    const args = [this.#name, unique, again, this.#seen, String(this.#shards)] as const
    const reply = (await this.#job.run(SCRIPTS.join, {}, args)) as [
      string,
      string?,
      string?,
      string?,
      unknown?,
    ]
    const [status, fence = '', more = '', version = '', delays] = reply
    if (status === 'clearing') {
      await this.#finishClearing(fence)
      return this.#join()
    }
    if (status === 'shards') throw wrongShards(this.#shards, Number(fence))
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
    this.#hearDelays(version, delays)
    this.#renewed(sentAt)
    this.#renewLater()
    return this.#fence
  }

  #hearDelays(version: string, delays: unknown): void {
    this.#delaysVersion = version
    this.#onHostDelays(readHostDelays(delays))
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
      // It fails when the connection is closed or Redis rejects the call: then the lease ends.
      this.renew().catch(() => {})
      if (!this.#closed) this.#renewLater()
    })
  }

  /**
   * The hosts of this worker are lost. If Redis lost only its latest calls, it still lists settled pages as leased and released hosts as
   * owned: all of them are released, to be leased again.
   */
  async #beginAnew(fence: string, status: 'lost' | 'behind'): Promise<void> {
    this.#cancelTimer()
    this.#fence = undefined
    this.#heldUntil = NEVER_HELD
    this.#onLost()
    if (status === 'behind') await this.#giveBack(fence, 'under way')
    // At once: other workers need the throttle state of the hosts that this worker had.
    // If it fails, the next call reports it.
    if (!this.#closed) await this.#join().catch(() => {})
  }

  /** @param underWay `'under way'` if requests to the released hosts may still be running */
  async #giveBack(fence: string, underWay: 'under way' | ''): Promise<void> {
    while ((await this.#job.run(SCRIPTS.leave, { fence }, [underWay])) === 'again');
  }
}

/**
 * Redis has lost the crawl and its pending requests while a worker was running.
 * Remedy: Turn on persistence in Redis, then start the workers again.
 */
export class CrawlForgotten extends CrawlError {
  readonly code = 'CRAWL_FORGOTTEN'
  readonly retryable = false
}

/** Unique, and of the length that `identityOf` expects. */
export function randomIdentity(): string {
  return randomBytes(6).toString('hex')
}

/** The part of a fence that is the same in all shards of a crawl. */
export function identityOf(fence: string): string {
  return fence.slice(fence.indexOf('.') + 1).slice(0, 12)
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

/** Fractions of a lease: when it is renewed, and how long it counts as certain. */
const RENEW_AFTER = 1 / 6
const SURE = 2 / 3
