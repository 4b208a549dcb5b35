/** Hosts that must not be requested yet although they have due URLs: a Retry-After, too many failures, a long Crawl-delay. */
export interface HostWaits {
  /** URLs that wait, of all such hosts. */
  readonly urls: number
  readonly hosts: number
  /** When the first of them may be requested again (ms since the epoch); `undefined`: no host waits. */
  readonly nextAt: number | undefined
  /** Those that may be requested first, some at most. */
  readonly first: readonly HostWait[]
}

export interface HostWait {
  readonly host: string
  /** Milliseconds since the epoch. */
  readonly until: number
  readonly reason: string
  readonly urls: number
}
