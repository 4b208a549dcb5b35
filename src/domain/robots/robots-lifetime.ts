import { type HeaderList, header, headerValues } from '../fetch/headers.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS

/** Even if the server forbids caching, robots.txt is not fetched before every page. */
const MIN_LIFETIME_MS = 5 * MINUTE_MS
/** RFC 9309 (2.4): maximum age of a copy. Also the default without cache headers. */
const MAX_LIFETIME_MS = 24 * HOUR_MS

/** How long a copy of robots.txt may be used: its HTTP cache headers (RFC 9111), limited to 5 minutes to 24 hours. */
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
  // An invalid date, such as `0`, is in the past (RFC 9111, 5.3).
  return (Date.parse(expires) || 0) - (Number.isNaN(sentAt) ? now : sentAt) - ageMs
}

/** The seconds in a header, as milliseconds; `undefined` if it is not a number. */
function seconds(value: string | undefined): number | undefined {
  return value !== undefined && /^\s*\d+\s*$/.test(value) ? Number(value) * 1_000 : undefined
}
