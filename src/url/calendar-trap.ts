import type { CandidateUrl } from './candidate-url.ts'

/** Years that a page may be about. */
export interface YearRange {
  readonly first: number
  readonly last: () => number
}

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
  const { path, query } = url
  const text = query === '' ? path : `${path}?${query}`
  // Most URLs have no four digits in a row.
  if (!/\d{4}/.test(text)) return undefined
  if (NESTED.test(path)) return 'a date below a date'
  for (const shape of CALENDAR.test(text) ? [DATE, YEAR_PARAMETER, MONTH] : [DATE, YEAR_PARAMETER]) {
    for (const [, digits] of text.matchAll(shape)) {
      const year = Number(digits)
      if (year < range.first || year > range.last()) return `calendar at the year ${year}`
    }
  }
  return undefined
}
