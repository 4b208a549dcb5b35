import type { JsonObject } from '../../base/json.ts'
import type { HostOwnership } from '../politeness/host-ownership.ts'

/**
 * What a frontier that several processes share can do beside: each of its hosts belongs to one of them at a time, and with it the
 * right to ask it.
 */
export interface Fleet extends HostOwnership {
  /** What an operator wants of all processes, as it was last heard of. While it is something, nothing is handed out. `undefined`: the crawl goes on. */
  readonly state: FleetState | undefined

  /** When something was last added or settled, by any process, as it was with the last `pending` (ms since the epoch). */
  readonly activeAt: number

  /** All processes that work on this crawl, ourselves included. */
  workers(): Promise<readonly FleetWorker[]>

  /** How far the crawl is, over all processes; at no cost that grows with it. */
  counts(): Promise<FleetCounts>
}

/**
 * `paused`: finish what is being asked, give the rest back, and wait. `draining`: do so and end; who comes later ends at once. Both last
 * until they are ended, whoever comes and goes.
 */
export type FleetState = 'paused' | 'draining'

export interface FleetWorker {
  /** A number that no other process had or will have; a later one is larger. */
  readonly fence: number
  /** For people. */
  readonly name: string
  /** Ms since the epoch. */
  readonly joinedAt: number
  /** When it last said that it lives (ms since the epoch). */
  readonly heardAt: number
  /** When its hosts go to others unless it is heard of before (ms since the epoch). */
  readonly expiresAt: number
  /** Requests handed out to it and not settled, and the hosts it holds. */
  readonly leased: number
  readonly hosts: number
  /** What it last said about itself. */
  readonly status?: JsonObject
}

/** Of requests, unless it says otherwise. */
export interface FleetCounts {
  /** Could be handed out, wait for their time, are handed out. */
  readonly waiting: number
  readonly delayed: number
  readonly leased: number
  /** Since the crawl began. */
  readonly added: number
  readonly duplicates: number
  readonly done: number
  readonly retried: number
  readonly failed: number
  /** What could not be read. */
  readonly malformed: number
  /** Fingerprints that would be known again now; in a set that others share, theirs, too. */
  readonly seen: number
  /** Items that settlements brought, and those of them that nobody has taken. */
  readonly items: number
  readonly itemsLeft: number
  /** Hosts with requests that could be handed out, hosts that rest, and hosts that a worker holds. */
  readonly freeHosts: number
  readonly restingHosts: number
  readonly heldHosts: number
}
