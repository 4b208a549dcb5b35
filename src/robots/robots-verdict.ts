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
}

/**
 * `rule`: the line named in the verdict decided.
 * `no-rule`: nothing in the file is about this URL.
 * `robots-txt`: it is the robots.txt itself, which is always allowed.
 * `unavailable`: the server has no such file (4xx, or redirects without an end).
 * `denied`: 401 or 403; allowed or not by the operator's choice.
 * `unreachable`: nobody knows yet (5xx, 429, no connection, a broken answer), so no for now.
 */
export type RobotsVerdictKind = 'rule' | 'no-rule' | 'robots-txt' | 'unavailable' | 'denied' | 'unreachable'

export const ROBOTS_FILE_VERDICT: RobotsVerdict = {
  allowed: true,
  kind: 'robots-txt',
  reason: 'robots.txt itself may always be fetched',
}

/** @param path with its query */
export function isRobotsFile(path: string): boolean {
  return path === '/robots.txt'
}
