import type { Clock } from '../../base/clock.ts'
import type { Frontier, HostLease, LeasedRequest, Pending } from '../../domain/frontier/frontier.ts'
import type { Settlement } from '../../domain/frontier/settlement.ts'

export interface RequestSupplyOptions {
  /** Maximum number of requests taken from the frontier in advance. */
  readonly depth: number
  /**
   * Whether the order of the frontier applies across hosts. Then one request per host is leased at a time, because a request that precedes
   * the others may be added meanwhile. Otherwise up to `depth` requests are leased in advance.
   */
  readonly strict: boolean
  /** Maximum number of requests per host and lease. @default depends on `depth` and the number of hosts */
  readonly perHost?: number
  /** Whether the frontier leases no requests for now, even if some are ready. @default never */
  readonly isHalted?: () => boolean
  /** Called for each leased host, before the first request to it. */
  readonly onLease?: (lease: HostLease) => void
}

/** A leased request that is not settled. */
export interface Supplied {
  readonly host: string
  readonly leased: LeasedRequest
}

/** Leases requests from the frontier in advance, and decides when to lease more. */
export class RequestSupply {
  readonly #clock: Clock
  readonly #frontier: Frontier
  readonly #options: RequestSupplyOptions
  #underWay = 0
  /** The last lease was empty, and no request has been added since. */
  #dry = false
  #nextDueAt: number | undefined
  /** Number of requests of other workers at the last lease. */
  #elsewhere = 0
  /** Grows by 1 when requests may have been added. */
  #additions = 0
  #perHost: number
  #onChange = Promise.withResolvers<void>()
  #cancelTimer = (): void => {}

  constructor(clock: Clock, frontier: Frontier, options: RequestSupplyOptions) {
    this.#clock = clock
    this.#frontier = frontier
    this.#options = options
    this.#perHost = options.perHost ?? (options.strict ? 1 : options.depth)
  }

  get underWay(): number {
    return this.#underWay
  }

  /** When the first delayed request is due (ms since the epoch), if no other request is available. */
  get nextDueAt(): number | undefined {
    return this.#dry ? this.#nextDueAt : undefined
  }

  /** Number of requests that other workers have, or that wait for their hosts, if no other request is available. */
  get elsewhere(): number {
    return this.#dry ? this.#elsewhere : 0
  }

  /** Whether the frontier has no requests for this worker now. */
  get isDry(): boolean {
    return this.#dry
  }

  /** Leases at most `max` requests. Call `ended` once for each. */
  async take(max: number): Promise<readonly Supplied[]> {
    const { depth, strict } = this.#options
    const room = Math.min(max, depth - this.#underWay)
    if (this.#dry || room <= 0 || (!strict && this.#underWay > depth / 2)) return []
    const additions = this.#additions
    const leases = await this.#frontier.lease({
      requests: room,
      perHost: this.#perHost,
      now: this.#clock.now(),
    })
    const supplied = this.#supplied(leases)
    if (leases.length === 0 && additions === this.#additions) await this.#checkIfDry()
    // Divides `depth` among the hosts.
    if (this.#options.perHost === undefined && !strict && leases.length > 0)
      this.#perHost = Math.max(16, Math.ceil(depth / leases.length))
    return supplied
  }

  /**
   * Leases at most `max` requests of settlements that are not stored yet, if the frontier has no other. Call `ended` once for each.
   * `undefined`: it cannot, or it has others; store the settlements first.
   */
  takeUnstored(settlements: readonly Settlement[], max: number): readonly Supplied[] | undefined {
    if (!this.#dry) return undefined
    const room = Math.min(max, this.#options.depth - this.#underWay)
    const leases = this.#frontier.leaseUnstored?.(settlements, {
      requests: Math.max(0, room),
      perHost: this.#perHost,
      now: this.#clock.now(),
    })
    return leases && this.#supplied(leases)
  }

  ended(): void {
    this.#underWay--
    if (this.#options.strict) this.#dry = false
    this.#changed()
  }

  /** Settlements were stored, which added so many requests to the queue; `undefined`: not known. */
  settled(queued: number | undefined): void {
    if (queued === 0) this.#changed()
    else this.mayHaveMore()
  }

  /** Requests were added to the frontier, or may have been. */
  mayHaveMore(): void {
    this.#additions++
    this.#dry = false
    this.#changed()
  }

  /** Fulfilled when requests may be available. */
  change(): Promise<void> {
    return this.#onChange.promise
  }

  /** The pending requests of the frontier. A delayed request that becomes due is a `change`. */
  async left(): Promise<Pending> {
    const pending = await this.#frontier.pending(this.#clock.now())
    if (pending.ready > 0 && !this.#isHalted()) this.#dry = false
    else this.#wakeAt(this.#checkAgainAt(pending))
    return pending
  }

  /** Whether the frontier has at most `2 * depth` ready requests, so that more should be added. */
  async hasRoom(): Promise<boolean> {
    return (await this.#frontier.pending(this.#clock.now())).ready <= this.#options.depth * 2
  }

  /** Fulfilled when `hasRoom()` is true. */
  async room(): Promise<void> {
    while (!(await this.hasRoom())) await this.change()
  }

  close(): void {
    this.#cancelTimer()
  }

  #supplied(leases: readonly HostLease[]): Supplied[] {
    for (const lease of leases) this.#options.onLease?.(lease)
    const supplied = leases.flatMap(({ host, requests }) => requests.map((leased) => ({ host, leased })))
    this.#underWay += supplied.length
    return supplied
  }

  async #checkIfDry(): Promise<void> {
    const additions = this.#additions
    const pending = await this.#frontier.pending(this.#clock.now())
    // In strict order, the ready requests may be of busy hosts; the next lease is at the end of their requests.
    const mayHave = pending.ready > 0 && !this.#options.strict && !this.#isHalted()
    if (additions !== this.#additions || mayHave) return
    this.#dry = true
    this.#wakeAt(this.#checkAgainAt(pending))
  }

  #isHalted(): boolean {
    return this.#options.isHalted?.() ?? false
  }

  /** Checks every second if other workers have requests or the frontier is halted: there is no notification when this changes. */
  #checkAgainAt({ nextDueAt, elsewhere = 0 }: Pending): number | undefined {
    this.#elsewhere = elsewhere
    if (elsewhere === 0 && !this.#isHalted()) return nextDueAt
    return Math.min(nextDueAt ?? Number.POSITIVE_INFINITY, this.#clock.now() + CHECK_AGAIN_MS)
  }

  #wakeAt(dueAt: number | undefined): void {
    this.#cancelTimer()
    this.#nextDueAt = dueAt
    if (dueAt === undefined) return
    const ms = Math.max(0, Math.ceil(dueAt - this.#clock.now()))
    this.#cancelTimer = this.#clock.after(ms, () => this.mayHaveMore())
  }

  #changed(): void {
    this.#onChange.resolve()
    this.#onChange = Promise.withResolvers()
  }
}

const CHECK_AGAIN_MS = 1_000
