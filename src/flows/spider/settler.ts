import type { Clock } from '../../base/clock.ts'
import type { JsonObject } from '../../base/json.ts'
import type { Frontier } from '../../domain/frontier/frontier.ts'
import type { Settlement } from '../../domain/frontier/settlement.ts'
import type { HostState } from '../../domain/politeness/host-throttle.ts'
import type { KnownRequests } from './admission.ts'
import type { StatsCounter } from './spider-stats.ts'

export interface SettlerOptions {
  /** A settlement waits at most this long. */
  readonly everyMs: number
  /** Settlements and what they bring that wait at most. */
  readonly maxWaiting: number
  /** Called after each batch has taken effect, with its items. */
  readonly onSettled: (items: readonly JsonObject[]) => void
  /** How a host stands, for whoever asks it next. Absent: nobody else does. */
  readonly paceOf?: (host: string) => HostState | undefined
  /** Called once, when the frontier cannot store a batch. */
  readonly onFailed: (error: unknown) => void
  /** Told of all requests that settlements bring. */
  readonly known?: KnownRequests
}

/** Gathers settlements into batches: each costs the frontier a transaction, and what a kill can undo is one batch. */
export class Settler {
  readonly #frontier: Frontier
  readonly #clock: Clock
  readonly #stats: StatsCounter
  readonly #options: SettlerOptions
  #waiting: Settlement[] = []
  /** Of those that wait. */
  #hosts = new Set<string>()
  #weight = 0
  #cancelTimer: (() => void) | undefined
  #settling: Promise<void> | undefined
  #failure: unknown

  constructor(frontier: Frontier, clock: Clock, stats: StatsCounter, options: SettlerOptions) {
    this.#frontier = frontier
    this.#clock = clock
    this.#stats = stats
    this.#options = options
  }

  /** Settlements that have not taken effect. */
  get waiting(): number {
    return this.#waiting.length
  }

  add(settlement: Settlement, host: string): void {
    this.#waiting.push(settlement)
    this.#options.known?.add(settlement.requests)
    this.#hosts.add(host)
    this.#weight += 1 + settlement.requests.length + settlement.items.length
    if (this.#weight >= this.#options.maxWaiting) void this.flush().catch(() => {})
    else
      this.#cancelTimer ??= this.#clock.after(this.#options.everyMs, () => void this.flush().catch(() => {}))
  }

  /** Fulfilled when all that was added before has taken effect. Rejects when the frontier cannot store it, then and ever after. */
  async flush(): Promise<void> {
    // What was added while a batch is stored goes with the next one, whoever of those who wait for it sees it off.
    if (this.#settling !== undefined) await this.#settling
    if (this.#failure !== undefined) throw this.#failure
    if (this.#waiting.length > 0) this.#settling ??= this.#settle()
    await this.#settling
    if (this.#failure !== undefined) throw this.#failure
  }

  async #settle(): Promise<void> {
    this.#cancelTimer?.()
    this.#cancelTimer = undefined
    const batch = this.#waiting
    const paces = this.#pacesOf(this.#hosts)
    this.#waiting = []
    this.#hosts = new Set()
    this.#weight = 0
    try {
      const { duplicates } = await this.#frontier.settle(batch, paces)
      this.#stats.duplicates += duplicates
      for (const { items, rejected } of batch) {
        this.#stats.items += items.length
        this.#stats.rejected += rejected.length
      }
    } catch (error) {
      this.#failure = error
    } finally {
      this.#settling = undefined
    }
    if (this.#failure === undefined) this.#options.onSettled(batch.flatMap(({ items }) => items))
    else this.#options.onFailed(this.#failure)
  }
  #pacesOf(hosts: Iterable<string>): HostState[] {
    const { paceOf } = this.#options
    return paceOf === undefined ? [] : [...hosts].flatMap((host) => paceOf(host) ?? [])
  }
}
