import type { Clock } from '../../base/clock.ts'
import type { Frontier, HostLease, LeasedRequest, Pending } from '../../domain/frontier/frontier.ts'

export interface RequestSupplyOptions {
  /** Requests taken ahead of their turn. */
  readonly depth: number
  /**
   * The frontier's order is to hold over all hosts: nothing of a host is leased before it can be requested, as a request that goes before
   * it may come in meanwhile. Else as much is taken as there is room for.
   */
  readonly strict: boolean
  /** Of one host at most. @default by what there is room for */
  readonly perHost?: number
  /** Whether nothing is handed out for now, whatever is ready. @default never */
  readonly isHalted?: () => boolean
  /** Called for each host that something was leased of, before the first request to it. */
  readonly onLease?: (lease: HostLease) => void
}

/** A request that is under way. */
export interface Supplied {
  readonly host: string
  readonly leased: LeasedRequest
}

/** Takes requests from the frontier in time, and knows when to lease more. */
export class RequestSupply {
  readonly #clock: Clock
  readonly #frontier: Frontier
  readonly #options: RequestSupplyOptions
  #underWay = 0
  /** The last lease was empty, and nothing has been added since. */
  #dry = false
  #nextDueAt: number | undefined
  /** The requests of other workers at the last lease. */
  #elsewhere = 0
  /** How often something may have been added. */
  #news = 0
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

  /** When the first of those that wait for their time is due (ms since the epoch), while nothing else is to be had. */
  get nextDueAt(): number | undefined {
    return this.#dry ? this.#nextDueAt : undefined
  }

  /** Requests that other processes have, or that wait for hosts of theirs, while nothing else is to be had. */
  get elsewhere(): number {
    return this.#dry ? this.#elsewhere : 0
  }

  /** Whether the frontier has nothing for us now. */
  get isDry(): boolean {
    return this.#dry
  }

  /** Requests to set out with now, at most `max`; each is owed an `ended`. */
  async take(max: number): Promise<readonly Supplied[]> {
    const { depth, strict } = this.#options
    const room = Math.min(max, depth - this.#underWay)
    if (this.#dry || room <= 0 || (!strict && this.#underWay > depth / 2)) return []
    const news = this.#news
    const leases = await this.#frontier.lease({
      requests: room,
      perHost: this.#perHost,
      now: this.#clock.now(),
    })
    for (const lease of leases) this.#options.onLease?.(lease)
    if (leases.length === 0 && news === this.#news) await this.#ranDry()
    // With many hosts each gets its share of the room, with few they get it all.
    if (this.#options.perHost === undefined && !strict && leases.length > 0)
      this.#perHost = Math.max(16, Math.ceil(depth / leases.length))
    return leases.flatMap(({ host, requests }) => requests.map((leased) => this.#begun({ host, leased })))
  }

  ended(): void {
    this.#underWay--
    if (this.#options.strict) this.#dry = false
    this.#changed()
  }

  /** Something was added, or settled with what it brought. */
  mayHaveMore(): void {
    this.#news++
    this.#dry = false
    this.#changed()
  }

  /** Fulfilled when there may be something to do that there was not. */
  change(): Promise<void> {
    return this.#onChange.promise
  }

  /** What is left, when nothing is under way. A delayed request that comes due is a `change`. */
  async left(): Promise<Pending> {
    const pending = await this.#frontier.pending(this.#clock.now())
    if (pending.ready > 0 && !this.#isHalted()) this.#dry = false
    else this.#wakeAt(this.#lookAgainAt(pending))
    return pending
  }

  /** Whether so few requests are ready that more are welcome. */
  async hasRoom(): Promise<boolean> {
    return (await this.#frontier.pending(this.#clock.now())).ready <= this.#options.depth * 2
  }

  /** Fulfilled when there is room. */
  async room(): Promise<void> {
    while (!(await this.hasRoom())) await this.change()
  }

  close(): void {
    this.#cancelTimer()
  }

  #begun(supplied: Supplied): Supplied {
    this.#underWay++
    return supplied
  }

  async #ranDry(): Promise<void> {
    const news = this.#news
    const pending = await this.#frontier.pending(this.#clock.now())
    // In strict order, what is ready may be of hosts that are busy: the end of their request is the time of the next lease.
    const mayHave = pending.ready > 0 && !this.#options.strict && !this.#isHalted()
    if (news !== this.#news || mayHave) return
    this.#dry = true
    this.#wakeAt(this.#lookAgainAt(pending))
  }

  #isHalted(): boolean {
    return this.#options.isHalted?.() ?? false
  }

  /** Requests of other workers may add requests for us, and a pause may end, without a notification. */
  #lookAgainAt({ nextDueAt, elsewhere = 0 }: Pending): number | undefined {
    this.#elsewhere = elsewhere
    if (elsewhere === 0 && !this.#isHalted()) return nextDueAt
    return Math.min(nextDueAt ?? Number.POSITIVE_INFINITY, this.#clock.now() + LOOK_AGAIN_MS)
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

const LOOK_AGAIN_MS = 1_000
