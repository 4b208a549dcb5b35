import { type HeaderList, header, headerValues } from '../fetch/headers.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS

/** Even a server that forbids caching is not asked for its rules before every page. */
const MIN_LIFETIME_MS = 5 * MINUTE_MS
/** RFC 9309 (2.4): a copy should not be used for longer than this. Also what holds when the server says nothing. */
const MAX_LIFETIME_MS = 24 * HOUR_MS

/** For how long a copy of robots.txt may be used, by its HTTP cache headers (RFC 9111), within our bounds. */
export function robotsLifetimeMs(headers: HeaderList, now: number): number {
  const lifetimeMs = statedLifetimeMs(headers, now) ?? MAX_LIFETIME_MS
  return Math.min(Math.max(lifetimeMs, MIN_LIFETIME_MS), MAX_LIFETIME_MS)
}

function statedLifetimeMs(headers: HeaderList, now: number): number | undefined {
  const directives = headerValues(headers, 'cache-control').join(',').toLowerCase()
  if (/(?:^|[\s,])no-(?:store|cache)(?:[\s,=]|$)/.test(directives)) return 0
  const ageMs = seconds(header(headers, 'age')) ?? 0
  const maxAgeMs = seconds(/(?:^|[\s,])max-age\s*=\s*"?(\d+)/.exec(directives)?.[1])
  if (maxAgeMs !== undefined) return maxAgeMs - ageMs
  const expires = header(headers, 'expires')
  if (expires === undefined) return undefined
  const sentAt = Date.parse(header(headers, 'date') ?? '')
  // A date that cannot be read, such as `0`, is in the past (RFC 9111, 5.3).
  return (Date.parse(expires) || 0) - (Number.isNaN(sentAt) ? now : sentAt) - ageMs
}

/** A header's number of seconds, in milliseconds. */
function seconds(value: string | undefined): number | undefined {
  return value !== undefined && /^\s*\d+\s*$/.test(value) ? Number(value) * 1_000 : undefined
}
