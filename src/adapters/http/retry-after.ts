/** Bounds for a Retry-After, counted from now. */
export interface RetryAfterBounds {
  readonly minMs: number
  readonly maxMs: number
}

/** The three date forms of HTTP all have a day name and a time of day; `Date.parse` alone would find a date in almost anything. */
const HTTP_DATE = /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]*,? .*\d\d:\d\d:\d\d/i

/**
 * When a server allows the next request (ms since the epoch): seconds or a date, clamped to `bounds`.
 * A negative number or a date in the past is "soon"; anything else is invalid, `undefined`.
 */
export function parseRetryAfter(
  value: string | undefined,
  nowMs: number,
  bounds: RetryAfterBounds,
): number | undefined {
  if (value === undefined) return undefined
  const text = value.trim()
  let waitMs: number
  if (/^[+-]?\d+(?:\.\d+)?$/.test(text)) waitMs = Number(text) * 1_000
  else if (HTTP_DATE.test(text)) waitMs = Date.parse(withZone(text)) - nowMs
  else return undefined
  if (Number.isNaN(waitMs)) return undefined
  return nowMs + Math.min(Math.max(waitMs, bounds.minMs), bounds.maxMs)
}

/** The asctime form has no zone; every HTTP date is in GMT. */
function withZone(date: string): string {
  return /GMT|UTC/i.test(date) ? date : `${date} GMT`
}
