import type { FetchOutcome } from '../fetch/fetch-outcome.ts'
import type { RobotsLine } from './robots-line.ts'

/** Whether a URL may be asked for, and who says so. */
export interface RobotsVerdict {
  readonly allowed: boolean
  readonly kind: RobotsVerdictKind
  /** For people: one line, no control characters. */
  readonly reason: string
  /** The deciding line; present exactly when `kind` is `rule`. */
  readonly line?: RobotsLine
  /**
   * When to ask again (ms since the epoch). Present exactly when `kind` is `unreachable`: the URL is neither
   * allowed nor forbidden, so it is put off, not dropped.
   */
  readonly retryAt?: number
  /** Why the host could not be reached; present exactly when `kind` is `host-failure`. The outcome of the URL is the same. */
  readonly outcome?: HostFailure
}

/** A request that never reached its host. */
export type HostFailure = Extract<FetchOutcome, { readonly kind: 'network-failure' | 'refused' }>

/**
 * `rule`: the line named in the verdict decided.
 * `no-rule`: nothing in the file is about this URL.
 * `robots-txt`: it is the robots.txt itself, which is always allowed.
 * `unavailable`: the server has no such file (4xx, or redirects without an end).
 * `denied`: 401 or 403; allowed or not by the operator's choice.
 * `unreachable`: not known yet (5xx, 429, a broken response), so disallowed for now.
 * `host-failure`: no connection to the host (no address, refused, TLS), so there is nothing to allow. It is not remembered.
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
