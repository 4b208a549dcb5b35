import type { JsonObject } from '../../base/json.ts'
import type { HostOwnership } from '../politeness/host-ownership.ts'

/**
 * What a frontier offers in addition if several processes share it. Each host belongs to one process at a time, and only its owner may
 * send requests to it.
 */
export interface Fleet extends HostOwnership {
  /** The state that an operator set for all processes, as last read. While it is set, nothing is handed out. `undefined`: running. */
  readonly state: FleetState | undefined

  /** When something was last added or settled, by any process, as of the last `pending` (ms since the epoch). */
  readonly activeAt: number

  /** Calls `listener` with the delays that an operator set for hosts: at once, and after every change. It replaces the listener before. */
  onHostDelays(listener: (delays: HostDelays) => void): void

  /** All workers of this crawl, including this process. */
  workers(): Promise<readonly FleetWorker[]>

  /** Counters of the crawl over all processes. The cost does not grow with the crawl. */
  counts(): Promise<FleetCounts>
}

/**
 * `paused`: finish the current requests, requeue the others and wait. `draining`: the same, then stop; workers that join later stop at once.
 * Both stay until an operator resumes the crawl.
 */
export type FleetState = 'paused' | 'draining'

/** Host → delay in milliseconds, in place of the configured one. Other hosts have the configured delay. */
export type HostDelays = ReadonlyMap<string, number>

/** The settings of an operator for all workers of a crawl, including workers that join later. */
export interface FleetControl {
  /** Returns the state before. @param state `undefined`: neither paused nor draining */
  setState(state: FleetState | undefined): Promise<FleetState | undefined>

  /**
   * Sets the delay of a host until the crawl is cleared.
   * @param delayMs `null`: restore the configured delay
   */
  setHostDelay(host: string, delayMs: number | null): Promise<HostDelayChange>
}

/** `full`: too many other hosts have such a delay. `none`: there is no crawl of that name. */
export type HostDelayChange = 'ok' | 'full' | 'none'

export interface FleetWorker {
  /** Fencing token: unique, and larger for a later process. */
  readonly fence: number
  /** For display. */
  readonly name: string
  /** Ms since the epoch. */
  readonly joinedAt: number
  /** When it last renewed its lease (ms since the epoch). */
  readonly heardAt: number
  /** When its lease ends and its hosts go to other workers (ms since the epoch). */
  readonly expiresAt: number
  /** Leased requests, and hosts that it holds. */
  readonly leased: number
  readonly hosts: number
  /** Its last status report. */
  readonly status?: JsonObject
}

/** Numbers of requests unless noted. */
export interface FleetCounts {
  /** Ready to be leased, delayed, leased. */
  readonly waiting: number
  readonly delayed: number
  readonly leased: number
  /** Since the crawl began. */
  readonly added: number
  readonly duplicates: number
  readonly done: number
  readonly retried: number
  readonly failed: number
  /** Stored values that could not be read. */
  readonly malformed: number
  /** Fingerprints in the seen set, including those of other crawls that share it. */
  readonly seen: number
  /** Items of settlements, and those that no consumer has taken. */
  readonly items: number
  readonly itemsLeft: number
  /** Hosts with ready requests and no owner, delayed hosts, and hosts that a worker holds. */
  readonly freeHosts: number
  readonly restingHosts: number
  readonly heldHosts: number
}
