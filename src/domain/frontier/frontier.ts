import type { HostState } from '../politeness/host-throttle.ts'
import type { CrawlRequest } from './crawl-request.ts'
import type { Settlement } from './settlement.ts'

/**
 * The pending requests of a spider and the fingerprints of seen ones: steps 3 to 5 and 9 of the life of a URL, without rounds.
 *
 * Each call is atomic and durable: a request that was added is handed out until it is settled, however often
 * processes crash, and the parts of a settlement take effect together or not at all.
 *
 * A request with the fingerprint of an earlier one is dropped, whatever the outcome of that one. A request with `dontFilter` is neither
 * compared nor remembered, as in Scrapy: the first one after it without `dontFilter` is still new.
 *
 * A request keeps its arrival position after a delay, a retry or the loss of a worker.
 */
export interface Frontier {
  /** @param starts `'complete'`: these are the last start requests, which is remembered. */
  add(requests: readonly CrawlRequest[], starts?: 'complete'): Promise<Added>

  /** Takes requests that are due, in the frontier's order. None is handed out twice before it is settled. */
  lease(options: LeaseOptions): Promise<readonly HostLease[]>

  /**
   * A settlement whose id is not leased (any more) is ignored: one that is given twice counts once.
   * @param throttles throttle state of the settled hosts for their next owner; a frontier of one process does not need it
   */
  settle(settlements: readonly Settlement[], throttles?: readonly HostState[]): Promise<Settled>

  /**
   * Leases requests of settlements that are not stored yet, so that a page which is linked by the last one only does not wait for the store.
   * The next calls of `settle` must have these settlements, in this order. Each needs to be passed only once: a later call also leases
   * what earlier ones left over. The requests that they settle count no more for `perHost`. Requests that were seen before or are not due are left out.
   * After a crash before that, the pages of the settlements are requested again, and so are these. Call it when no other request is ready.
   * Returns `undefined` if the frontier must look into its store to tell which requests are new. Absent: it always must.
   */
  leaseUnstored?(settlements: readonly Settlement[], options: LeaseOptions): readonly HostLease[] | undefined

  /** @param now ms since the epoch */
  pending(now: number): Promise<Pending>

  close(): Promise<void>
}

export interface FrontierOptions {
  /** @default 'hosts' */
  readonly order?: FrontierOrder
  /** The host queue of a URL. @default hostOf */
  readonly keyOf?: (url: string) => string
}

/**
 * Which request is handed out first. `hosts`: each host in turn (fewest leased requests first), within a host the highest priority, then the oldest.
 * `priority`: the highest of all, then the oldest. `fifo` and `lifo`: the oldest and the newest of all.
 */
export type FrontierOrder = 'hosts' | 'fifo' | 'lifo' | 'priority'

export interface Added {
  readonly added: number
  /** Dropped: seen before. */
  readonly duplicates: number
}

export interface LeaseOptions {
  readonly requests: number
  /** Maximum per host, including requests already leased: a slow host cannot fill the memory of the worker. */
  readonly perHost: number
  /** Ms since the epoch: requests whose `notBefore` is later stay. */
  readonly now: number
}

/** Requests of one host, which no other worker requests meanwhile. */
export interface HostLease {
  /** The key of its queue: a host, or a domain. */
  readonly host: string
  /** In the order in which to send them. */
  readonly requests: readonly LeasedRequest[]
  /** Throttle state from the previous owner of the host; restore it before the first request. Absent: unknown, or it no longer matters. */
  readonly throttle?: HostState
  /** This worker did not hold the host before, so others may have had it. Absent: no. */
  readonly isNew?: boolean
  /** Pages of the hosts of its requests so far, by `Settlement.pageOf`. Absent: the frontier does not count them. */
  readonly pages?: ReadonlyMap<string, number>
}

export interface LeasedRequest {
  /** For `Settlement.id`. It names this lease: handed out again, the request has another. */
  readonly id: string
  readonly request: CrawlRequest
  /** 1 for the first time, one more after each `retry`. */
  readonly attempt: number
  /** For the host's queue: larger goes first, equals in the order of arrival. It carries the frontier's order over several leases. */
  readonly rank: number
}

export interface Settled {
  /** Requests of the settlements: added, and dropped because they were seen before. */
  readonly added: number
  readonly duplicates: number
  /** Settlements that changed nothing: their requests are not leased. */
  readonly ignored: number
  /** Requests that are in the queue now: added ones that are not leased, and requeued ones. Absent: not known. */
  readonly queued?: number
}

/** Requests that a frontier holds, by what they wait for. */
export interface Pending {
  /** Could be leased now. */
  readonly ready: number
  /** Wait for their `notBefore` or a retry. */
  readonly delayed: number
  /** When the first of the delayed is due (ms since the epoch). */
  readonly nextDueAt?: number
  readonly leased: number
  /** Leased by other processes; their results may bring requests for this one. Absent: none. */
  readonly elsewhere?: number
  /** Whether `add(…, 'complete')` was called. */
  readonly startsComplete: boolean
}
