import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Clock } from '../../base/clock.ts'
import type { Frontier, HostLease } from '../../domain/frontier/frontier.ts'
import type { RequestEnd, Settlement } from '../../domain/frontier/settlement.ts'
import type { HostState } from '../../domain/politeness/host-throttle.ts'
import type { SegmentAppender } from '../../domain/segment/segment-store.ts'
import type { TaskEntry } from './fetch-task.ts'
import { entryOf } from './listed-request.ts'

export interface LeasedListOptions {
  readonly segment: string
  /** Where the rows of this process go. */
  readonly appender: SegmentAppender
  /** URLs held at once that wait or are being fetched. */
  readonly depth: number
  /** Called for each host with a lease, before the first request to it. */
  readonly onLease: (lease: HostLease) => void
  /** The throttle state of a host, for its next worker. */
  readonly hostState: (host: string) => HostState | undefined
}

/**
 * The URLs of a segment that a fleet leases to this process, as a fetch list. A URL counts as done when its row is on disk: if this
 * process crashes, another gets the rest.
 */
export class LeasedList {
  readonly #frontier: Frontier
  readonly #clock: Clock
  readonly #options: LeasedListOptions
  /** By URL. */
  readonly #leases = new Map<string, Lease>()
  #due: Array<{ readonly settlement: Settlement; readonly host: string }> = []
  #settling: Promise<void> | undefined
  #failure: { readonly error: unknown } | undefined
  /** Leases whose rows wait for the disk. */
  #recorded = 0
  #ended = false
  #onChange = Promise.withResolvers<void>()

  constructor(frontier: Frontier, clock: Clock, options: LeasedListOptions) {
    this.#frontier = frontier
    this.#clock = clock
    this.#options = options
  }

  /** The leased URLs, until `end`. */
  async *entries(): AsyncGenerator<readonly TaskEntry[]> {
    while (!this.#ended) {
      // Taken first, so that changes during the lease count.
      const change = this.#onChange.promise
      if (this.#failure !== undefined) throw this.#failure.error
      const { depth } = this.#options
      const entries = this.#underWay <= depth / 2 ? await this.#take(depth - this.#underWay) : []
      if (entries.length > 0) yield entries
      else await this.#somethingNew(change)
    }
  }

  /** Stops leasing. */
  end(): void {
    this.#ended = true
    this.#changed()
  }

  /** The appender for the rows. When they are on disk, the fleet is notified. */
  get appender(): SegmentAppender {
    const { appender } = this.#options
    return {
      add: (page) => this.#recordedBy(page.fetch.url, appender.add(page)),
      addParsed: (pages) => appender.addParsed(pages),
      room: () => appender.room(),
      flush: () => appender.flush(),
      close: () => appender.close(),
    }
  }

  /** A URL stays without a row: it is requeued. */
  left(url: string): void {
    // Not at once: whether this process still owns the host may be unknown for some seconds.
    this.#end(url, { kind: 'requeue', at: this.#clock.now() + LOOK_AGAIN_MS })
  }

  /** Requeues URLs without a row. Resolves when the fleet has all results; to be called after the appender is closed. */
  async close(): Promise<void> {
    this.end()
    for (const url of [...this.#leases.keys()]) this.#end(url, { kind: 'requeue' })
    while (this.#settling !== undefined) await this.#settling
    if (this.#failure !== undefined) throw this.#failure.error
  }

  get #underWay(): number {
    return this.#leases.size - this.#recorded
  }

  async #take(room: number): Promise<TaskEntry[]> {
    const { segment, onLease } = this.#options
    const wish = { requests: room, perHost: PER_HOST, now: this.#clock.now() }
    const entries: TaskEntry[] = []
    for (const lease of await this.#frontier.lease(wish)) {
      onLease(lease)
      for (const { id, request } of lease.requests) {
        const entry = entryOf(segment, request)
        // Its segment is no longer offered. A new offer queues it again.
        if (entry === undefined) this.#settle({ id, end: { kind: 'done' }, ...NO_YIELD }, lease.host)
        else {
          this.#begin(entry.url, { id, host: lease.host, isRecorded: false })
          entries.push(entry)
        }
      }
    }
    return entries
  }

  #begin(url: string, lease: Lease): void {
    // The lease expired while this process was suspended, and the URL was leased again.
    if (this.#leases.get(url)?.isRecorded === true) this.#recorded--
    this.#leases.set(url, lease)
  }

  async #somethingNew(change: Promise<void>): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    const cancel = this.#clock.after(LOOK_AGAIN_MS, resolve)
    await Promise.race([change, promise])
    cancel()
  }

  async #recordedBy(url: string, written: Promise<void>): Promise<void> {
    const lease = this.#leases.get(url)
    if (lease !== undefined && !lease.isRecorded) {
      lease.isRecorded = true
      this.#recorded++
      if (this.#underWay === Math.floor(this.#options.depth / 2)) this.#changed()
      // All rows wait for the disk, so write them now. The caller that added the rows gets a failure.
      if (this.#underWay === 0) this.#options.appender.flush().catch(() => {})
    }
    await written
    this.#end(url, { kind: 'done' })
  }

  #end(url: string, end: RequestEnd): void {
    const lease = this.#leases.get(url)
    if (lease === undefined) return
    this.#leases.delete(url)
    if (lease.isRecorded) this.#recorded--
    this.#settle({ id: lease.id, end, ...NO_YIELD }, lease.host)
  }

  #settle(settlement: Settlement, host: string): void {
    this.#due.push({ settlement, host })
    this.#settling ??= this.#settleAll()
  }

  async #settleAll(): Promise<void> {
    try {
      // All rows of a part reach the disk together.
      for (await nextTurn(); this.#due.length > 0; await nextTurn()) {
        const batch = this.#due
        this.#due = []
        const hosts = new Set(batch.map(({ host }) => host))
        const states = [...hosts].flatMap((host) => this.#hostState(host) ?? [])
        await this.#frontier.settle(
          batch.map(({ settlement }) => settlement),
          states,
        )
      }
    } catch (error) {
      this.#failure ??= { error }
    }
    this.#settling = undefined
    this.#changed()
  }

  /** A parked host gets no requests; its URLs are leased at once, so that they get rows with the reason. */
  #hostState(host: string): HostState | undefined {
    const state = this.#options.hostState(host)
    if (state?.parked === undefined) return state
    return { ...state, readyAt: Math.min(state.readyAt, this.#clock.now()) }
  }

  #changed(): void {
    this.#onChange.resolve()
    this.#onChange = Promise.withResolvers()
  }
}

interface Lease {
  readonly id: string
  readonly host: string
  isRecorded: boolean
}

const NO_YIELD = { requests: [], items: [], rejected: [] }
/** URLs of one host held at once: enough for the requests that are sent while rows are written. */
const PER_HOST = 32
/** Other workers requeue URLs without a notification. */
const LOOK_AGAIN_MS = 1_000
