/** Dates outside these years are mistakes or jokes (9999 is a favourite). */
const FIRST_YEAR = 1970
const LAST_YEAR = 2099

const W3C =
  /^(\d{4})(?:-(\d{2})(?:-(\d{2})(?:[T ](\d{2}):(\d{2})(?::(\d{2}(?:[.,]\d+)?))?\s*(Z|[+-]\d{2}:?\d{2})?)?)?)?$/i
const RFC =
  /^(?:[a-z]{3,9},?\s+)?(\d{1,2})[\s-]+([a-z]{3})[a-z]{0,6}[\s-]+(\d{4}|\d{2})(?:\s+(\d{1,2}):(\d{2})(?::(\d{2}(?:[.,]\d+)?))?)?\s*([a-z]{1,5}|[+-]\d{2}:?\d{2})?$/i
const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec']
const ZONE_HOURS: ReadonlyMap<string, number> = new Map([
  ['est', -5],
  ['edt', -4],
  ['cst', -6],
  ['cdt', -5],
  ['mst', -7],
  ['mdt', -6],
  ['pst', -8],
  ['pdt', -7],
])

/**
 * Milliseconds since the epoch of a date as pages, feeds and sitemaps write it: W3C (`2026-11-15`, with or without
 * time) or RFC 822 and 850 (`Sun, 15 Nov 2026 18:08:30 GMT`). Fractions of a second are kept up to the millisecond. A time without a zone is UTC, so that the same bytes mean
 * the same on every machine. `undefined` for anything else, and for years before 1970 or after 2099.
 */
export function parseWebDate(value: string): number | undefined {
  const text = value.trim()
  if (text.length > 64) return undefined
  const w3c = W3C.exec(text)
  if (w3c !== null) {
    const [, year, month = '1', day = '1', hour, minute, second, zone] = w3c
    return timeOf(Number(year), Number(month), Number(day), hour, minute, second, zone)
  }
  const rfc = RFC.exec(text)
  if (rfc === null) return undefined
  const [, day, month = '', year = '', hour, minute, second, zone] = rfc
  // Two digits, as RFC 850 has them: 70 to 99 are the last century.
  const fullYear = year.length === 4 ? Number(year) : Number(year) + (Number(year) < 70 ? 2000 : 1900)
  return timeOf(fullYear, MONTHS.indexOf(month.toLowerCase()) + 1, Number(day), hour, minute, second, zone)
}

function timeOf(
  year: number,
  month: number,
  day: number,
  hour = '0',
  minute = '0',
  second = '0',
  zone = 'Z',
): number | undefined {
  if (year < FIRST_YEAR || year > LAST_YEAR || month < 1) return undefined
  const date = new Date(Date.UTC(year, month - 1, day))
  // 31 February rolls over into March: no such day.
  if (date.getUTCMonth() !== month - 1 || date.getUTCDate() !== day) return undefined
  const [wholeSeconds, fraction = ''] = second.split(/[.,]/)
  // 60 is a leap second.
  if (Number(hour) > 24 || Number(minute) > 59 || Number(wholeSeconds) > 60) return undefined
  const seconds = (Number(hour) * 60 + Number(minute)) * 60 + Number(wholeSeconds)
  // Further digits are dropped: rounded up, 59.9999 would be the next minute.
  const ms = Number(fraction.slice(0, 3).padEnd(3, '0'))
  return date.getTime() + seconds * 1_000 + ms - zoneOffsetMs(zone)
}

/** An unknown zone is UTC (RFC 2822). */
function zoneOffsetMs(zone: string): number {
  const [, sign, hours, minutes] = /^([+-])(\d{2}):?(\d{2})$/.exec(zone) ?? []
  if (sign === undefined) return (ZONE_HOURS.get(zone.toLowerCase()) ?? 0) * 3_600_000
  return (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes)) * 60_000
}
