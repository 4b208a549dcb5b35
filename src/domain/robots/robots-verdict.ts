import type { FetchOutcome } from '../fetch/fetch-outcome.ts'
import type { RobotsLine } from './robots-line.ts'

/** Whether a URL may be fetched, and why. */
export interface RobotsVerdict {
  readonly allowed: boolean
  readonly kind: RobotsVerdictKind
  /** A readable message: one line, no control characters. */
  readonly reason: string
  /** The deciding line; present exactly when `kind` is `rule`. */
  readonly line?: RobotsLine
  /**
   * When to try again (ms since the epoch). Present exactly when `kind` is `unreachable`: the URL is neither allowed nor disallowed, so it
   * is postponed, not dropped.
   */
  readonly retryAt?: number
  /** Why the host could not be reached; present exactly when `kind` is `host-failure`. The outcome of the URL is the same. */
  readonly outcome?: HostFailure
}

/** A request that never reached its host. */
export type HostFailure = Extract<FetchOutcome, { readonly kind: 'network-failure' | 'refused' }>

/**
 * `rule`: the line named in the verdict decided.
 * `no-rule`: no rule of the file matches the URL.
 * `robots-txt`: it is the robots.txt itself, which is always allowed.
 * `unavailable`: the server has no robots.txt (4xx, or too many redirects).
 * `denied`: 401 or 403; the option `denyOnForbidden` decides.
 * `unreachable`: not known yet (5xx, 429, an incomplete response), so disallowed for now.
 * `host-failure`: no connection to the host (no address, refused, TLS). It is not stored.
 */
export type RobotsVerdictKind =
  | 'rule'
  | 'no-rule'
  | 'robots-txt'
  | 'unavailable'
  | 'denied'
  | 'unreachable'
  | 'host-failure'

export const ROBOTS_FILE_VERDICT: RobotsVerdict = {
  allowed: true,
  kind: 'robots-txt',
  reason: 'robots.txt itself may always be fetched',
}

/** @param path with its query */
export function isRobotsFile(path: string): boolean {
  return path === '/robots.txt'
}
