import type { RobotsReply } from './ask-robots.ts'
import { robotsLifetimeMs } from './robots-lifetime.ts'
import { copyIn, type RobotsRecord } from './robots-record.ts'

const FIRST_RETRY_MS = 5 * 60_000
const MAX_RETRY_MS = 24 * 60 * 60_000
/** RFC 9309 (2.3.1.4): past this, a copy that could not be confirmed counts no more. */
const MAX_STALE_MS = 30 * 24 * 60 * 60_000

/**
 * What is known about an origin once `reply` has come. A response replaces all that was known. A failure is tried
 * again after 5 minutes, then twice as long each time, up to a day; a copy stays in use until it is 30 days old.
 */
export function foldReply(
  origin: string,
  known: RobotsRecord | undefined,
  reply: Exclude<RobotsReply, { kind: 'aborted' | 'host-failure' }>,
  now: number,
): RobotsRecord {
  if (reply.kind !== 'unreachable') {
    const { headers, ...said } = reply
    return { origin, finding: { ...said, checkedAt: now, freshUntil: now + robotsLifetimeMs(headers, now) } }
  }
  const { since, failures } = known?.outage ?? { since: now, failures: 0 }
  const backOffMs = Math.min(FIRST_RETRY_MS * 2 ** failures, MAX_RETRY_MS)
  const retryAt = Math.max(now + backOffMs, reply.retryAt ?? 0)
  const outage = { reason: reply.reason, since, failures: failures + 1, retryAt }
  const copy = copyIn(known)
  return copy !== undefined && retryAt - copy.checkedAt <= MAX_STALE_MS
    ? { origin, finding: copy, outage }
    : { origin, outage }
}
