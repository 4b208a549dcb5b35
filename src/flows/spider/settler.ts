import type { Clock } from '../../base/clock.ts'
import type { JsonObject } from '../../base/json.ts'
import type { Frontier } from '../../domain/frontier/frontier.ts'
import type { Settlement } from '../../domain/frontier/settlement.ts'
import type { HostState } from '../../domain/politeness/host-throttle.ts'
import type { KnownRequests } from './known-requests.ts'
import type { StatsCounter } from './spider-stats.ts'

export interface SettlerOptions {
  /** Maximum time before a settlement is stored. The first ones are stored after a quarter of it, so that a run which is soon killed makes progress. */
  readonly everyMs: number
  /** Maximum number of settlements, requests and items that wait. */
  readonly maxWaiting: number
  /** Called before each batch is stored; it is stored after that. */
  readonly beforeStoring?: () => Promise<void>
  /** Called with each stored batch. */
  readonly onStored?: (batch: readonly Settlement[]) => void
  /**
   * Called with the items of each stored batch.
   * @param queued number of requests that it added to the queue; `undefined`: not known
   */
  readonly onSettled: (items: readonly JsonObject[], queued: number | undefined) => void
  /** Throttle state of a host, for the next worker that leases it. Absent: there are no other workers. */
  readonly throttleOf?: (host: string) => HostState | undefined
  /** Called once, when the frontier cannot store a batch. */
  readonly onFailed: (error: unknown) => void
  /** Receives all requests of settlements. */
  readonly known?: KnownRequests
}

/** Stores settlements in batches: one transaction per batch, and a crash loses at most one batch. */
export class Settler {
  readonly #frontier: Frontier
  readonly #clock: Clock
  readonly #stats: StatsCounter
  readonly #options: SettlerOptions
  #waiting: Settlement[] = []
  /** Number of waiting settlements that `takeNew` has returned. */
  #taken = 0
  /** Hosts of the waiting settlements. */
  #hosts = new Set<string>()
  #weight = 0
  #unstoredItems = 0
  #nextMs: number
  #cancelTimer: (() => void) | undefined
  #settling: Promise<void> | undefined
  #failure: unknown

  constructor(frontier: Frontier, clock: Clock, stats: StatsCounter, options: SettlerOptions) {
    this.#frontier = frontier
    this.#clock = clock
    this.#stats = stats
    this.#options = options
    this.#nextMs = options.everyMs * FIRST_SHARE
  }

  /** Number of settlements that are not being stored yet. */
  get waiting(): number {
    return this.#waiting.length
  }

  /** Items that are not stored yet. */
  get unstoredItems(): number {
    return this.#unstoredItems
  }

  /** Settlements that are not being stored yet, each once. */
  takeNew(): readonly Settlement[] {
    const fresh = this.#waiting.slice(this.#taken)
    this.#taken = this.#waiting.length
    return fresh
  }

  add(settlement: Settlement, host: string): void {
    this.#waiting.push(settlement)
    this.#options.known?.add(settlement.requests)
    this.#hosts.add(host)
    this.#unstoredItems += settlement.items.length
    this.#weight += 1 + settlement.requests.length + settlement.items.length
    if (this.#weight >= this.#options.maxWaiting) void this.flush().catch(() => {})
    else this.#cancelTimer ??= this.#clock.after(this.#nextMs, () => void this.flush().catch(() => {}))
  }

  /** Fulfilled when everything added before is stored. Rejects when the frontier cannot store it, and for every later call. */
  async flush(): Promise<void> {
    // Settlements that are added while a batch is being stored go with the next batch.
    if (this.#settling !== undefined) await this.#settling
    if (this.#failure !== undefined) throw this.#failure
    if (this.#waiting.length > 0) this.#settling ??= this.#settle()
    await this.#settling
    if (this.#failure !== undefined) throw this.#failure
  }

  async #settle(): Promise<void> {
    const { beforeStoring } = this.#options
    this.#cancelTimer?.()
    this.#cancelTimer = undefined
    this.#nextMs = this.#options.everyMs
    const batch = this.#waiting
    const throttles = this.#throttlesOf(this.#hosts)
    this.#waiting = []
    this.#taken = 0
    this.#hosts = new Set()
    this.#weight = 0
    let queued: number | undefined
    try {
      if (beforeStoring !== undefined) await beforeStoring()
      const settled = await this.#frontier.settle(batch, throttles)
      queued = settled.queued
      this.#stats.duplicates += settled.duplicates
      for (const { items, rejected, fetch } of batch) {
        this.#stats.items += items.length
        this.#unstoredItems -= items.length
        if (rejected.length > 0)
          this.#stats.rejects(
            fetch?.url ?? '',
            rejected.map(({ reason }) => reason),
          )
      }
    } catch (error) {
      this.#failure = error
    } finally {
      this.#settling = undefined
    }
    if (this.#failure === undefined) {
      this.#options.onStored?.(batch)
      this.#options.onSettled(
        batch.flatMap(({ items }) => items),
        queued,
      )
    } else this.#options.onFailed(this.#failure)
  }

  #throttlesOf(hosts: Iterable<string>): HostState[] {
    const { throttleOf } = this.#options
    return throttleOf === undefined ? [] : [...hosts].flatMap((host) => throttleOf(host) ?? [])
  }
}

/** The first interval, as a part of `everyMs`. */
const FIRST_SHARE = 1 / 4
