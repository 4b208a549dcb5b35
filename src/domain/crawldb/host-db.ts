/**
 * Facts about the hosts of a crawl (Nutch: HostDb). `CrawlDb.update` keeps counts, failures and response times current; the view `hostdb`
 * shows them next to the counts of the records. The methods below add what needs all records, all segments, or the network.
 */
export interface HostDb {
  /** Computes minimum, maximum, mean and percentiles of numbers, and counts texts, for each host. Returns the number of hosts. */
  aggregate(request: HostAggregates): Promise<number>

  /** Replaces the facts of all fetches by those of the stored segments. Returns the number of hosts. */
  rebuild(segments: readonly string[], signal?: AbortSignal): Promise<number>

  /** Hosts whose name is to be resolved; `checkedBefore` in ms since the epoch. */
  hostsToCheck(which: HostChoice, checkedBefore: number): Promise<string[]>

  /** Stores whether names could be resolved, and counts failures. */
  recordChecks(checks: readonly HostCheck[], now: number): Promise<void>

  /**
   * Marks all URLs of hosts that failed too often in a row as gone until `until`, with the reason in their metadata (`PURGED_KEY`). URLs on
   * fetch lists stay as they are.
   */
  purgeFailed(request: PurgeRequest): Promise<PurgeResult>

  /** Makes the purged URLs of a host due at `now`. Returns how many. */
  restore(host: string, now: number): Promise<number>
}

/** The metadata key with the reason why a URL was purged. */
export const PURGED_KEY = '_purged_'

export interface HostAggregates {
  readonly segments: readonly string[]
  /** Metadata keys of records with numbers. `response_ms` and `bytes` of the stored fetches are always included. */
  readonly numericFields: readonly string[]
  /** Metadata keys of records whose values are counted. */
  readonly textFields: readonly string[]
  /** Interrupts it: then it fails and nothing is changed. */
  readonly signal?: AbortSignal
}

/** `new`: never checked. `known`: the last check succeeded. `failed`: with failures since the last response. */
export type HostChoice = 'all' | 'new' | 'known' | 'failed'

export interface HostCheck {
  readonly host: string
  readonly resolved: boolean
}

export interface PurgeRequest {
  /** Minimum number of failed rounds and name checks since the last response. */
  readonly minFailures: number
  /** When the URLs are due again (ms since the epoch). */
  readonly until: number
}

/** What was deleted together with hosts. */
export interface PurgeResult {
  readonly hosts: number
  readonly urls: number
  /** The first hosts, at most ten. */
  readonly first: readonly { readonly host: string; readonly urls: number; readonly reason: string }[]
}
