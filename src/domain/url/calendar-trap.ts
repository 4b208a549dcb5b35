import type { CandidateUrl } from './candidate-url.ts'

/** Years that a page may be about. */
export interface YearRange {
  readonly first: number
  readonly last: () => number
}

/** What each of the shapes below has somewhere, and most URLs have nowhere. */
const YEAR_LIKE = /\d{4}[-/]\d|=\d{4}/
/** `/2031/05/07` or `2031-05-07`, not within a longer number or word. */
const DATE =
  /(?<![0-9A-Za-z])(\d{4})(?:\/(?:0[1-9]|1[0-2])\/|-(?:0[1-9]|1[0-2])-)(?:0[1-9]|[12]\d|3[01])(?![0-9A-Za-z])/g
/** A year and a month, which elsewhere may be the number of a thing and of a page of it … */
const MONTH = /(?<![0-9A-Za-z])(\d{4})[-/](?:0?[1-9]|1[0-2])(?![0-9A-Za-z])/g
/** … but not beside one of these words. */
const CALENDAR = /(?<![A-Za-z])(?:calend[a-z]*|kalender|agenda|month|week|date)(?![A-Za-z])/i
const YEAR_PARAMETER = /[?&](?:year|yr)=(\d{4})(?!\d)/gi
/** A day below another day: no archive has that, relative links do. */
const NESTED = /\/\d{4}\/\d\d\/\d\d\/(?:[^/]+\/)*?\d{4}\/\d\d\/\d\d(?:\/|$)/

/** What is endless about a URL that names a day, a month or a year; `undefined` when nothing is. */
export function calendarTrap(url: CandidateUrl, range: YearRange): string | undefined {
  const text = url.pathAndQuery
  if (!YEAR_LIKE.test(text)) return undefined
  if (NESTED.test(url.path)) return 'a date below a date'
  const year =
    yearOutside(range, text, DATE) ??
    yearOutside(range, text, YEAR_PARAMETER) ??
    (CALENDAR.test(text) ? yearOutside(range, text, MONTH) : undefined)
  return year === undefined ? undefined : `calendar at the year ${year}`
}

function yearOutside(range: YearRange, text: string, shape: RegExp): number | undefined {
  // Not matchAll: it copies the expression for each text.
  shape.lastIndex = 0
  for (let found = shape.exec(text); found !== null; found = shape.exec(text)) {
    const year = Number(found[1])
    if (year < range.first || year > range.last()) return year
  }
  return undefined
}
