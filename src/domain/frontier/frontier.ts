import type { HostState } from '../politeness/host-throttle.ts'
import type { CrawlRequest } from './crawl-request.ts'
import type { Settlement } from './settlement.ts'

/**
 * What a spider still has to ask, and what it has asked: steps 3 to 5 and 9 of the life of a URL, without rounds.
 *
 * Each call is one atomic step that outlives the process: a request that was added is handed out until it is settled, however often
 * processes die; what a settlement brings takes effect together or not at all.
 *
 * A request with the fingerprint of an earlier one is dropped, whatever became of that one. A request that says `dontFilter` is neither
 * compared nor remembered, as in Scrapy: the first one after it without `dontFilter` is still new.
 *
 * The place of a request in the order is that of its arrival, also after it waited for its time, a retry or another process.
 */
export interface Frontier {
  /** @param starts `'complete'`: these are the last start requests, which is remembered. */
  add(requests: readonly CrawlRequest[], starts?: 'complete'): Promise<Added>

  /** Takes requests that are due, in the frontier's order. None is handed out twice before it is settled. */
  lease(wish: LeaseOptions): Promise<readonly HostLease[]>

  /**
   * A settlement whose id is not leased (any more) is ignored: one that is given twice counts once.
   * @param paces how the settled hosts stand, for a process that asks them next; a frontier of one process does not need it
   */
  settle(settlements: readonly Settlement[], paces?: readonly HostState[]): Promise<Settled>

  /** @param now ms since the epoch */
  pending(now: number): Promise<Pending>

  close(): Promise<void>
}

export interface FrontierOptions {
  /** @default 'hosts' */
  readonly order?: FrontierOrder
  /** The queue of a URL, as it was when the request came. @default hostOf */
  readonly keyOf?: (url: string) => string
}

/**
 * What is handed out first. `hosts`: each host in turn (whoever has least out comes next), within a host the highest priority, then the oldest.
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
  /** Of one host at most, together with what it has out already: a slow host cannot fill the memory of whoever leases. */
  readonly perHost: number
  /** Ms since the epoch: requests whose `notBefore` is later stay. */
  readonly now: number
}

/** Requests of one host, which nobody else asks meanwhile. */
export interface HostLease {
  /** The key of its queue: a host, or a domain. */
  readonly host: string
  /** In the order to ask them in. */
  readonly requests: readonly LeasedRequest[]
  /** How the process left the host that asked it before; to be restored before the host is asked. Absent: nobody did, or nothing is due. */
  readonly pace?: HostState
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
  /** Requests that the settlements brought, and those of them that were seen before. */
  readonly added: number
  readonly duplicates: number
  /** Settlements that changed nothing: their requests are not leased. */
  readonly ignored: number
}

export interface Pending {
  /** Could be leased now. */
  readonly ready: number
  /** Wait for their `notBefore` or a retry. */
  readonly delayed: number
  /** When the first of the delayed is due (ms since the epoch). */
  readonly nextDueAt?: number
  readonly leased: number
  /** Other processes have them, and what comes of them may be for us. Absent: none. */
  readonly elsewhere?: number
  /** Whether `add(…, 'complete')` was called. */
  readonly startsComplete: boolean
}
