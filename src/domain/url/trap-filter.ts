import type { Clock } from '../../base/clock.ts'
import type { CandidateUrl } from './candidate-url.ts'
import type { UrlFilter } from './url-filter.ts'

/** The defaults let through what people build and stop what machines unroll. */
export interface TrapOptions {
  /** @default 20 */
  readonly maxPathSegments?: number
  /** Parameters in a query. @default 30 */
  readonly maxParameters?: number
  /** Parameters of the same name, as faceted search piles them up. @default 6 */
  readonly maxSameParameters?: number
  /** A dated page further ahead than this is an endless calendar. @default 3 */
  readonly maxYearsAhead?: number
  /** A dated page before this year is one, too. @default 1600 */
  readonly earliestYear?: number
}

/**
 * Rejects URLs whose shape suggests an infinite set: repeating segments, calendars of the far
 * future, too many segments or parameters. No opinion about the rest.
 */
export function trapFilter(clock: Clock, options: TrapOptions = {}): UrlFilter {
  const { maxPathSegments = 20, maxParameters = 30, maxSameParameters = 6 } = options
  const { maxYearsAhead = 3, earliestYear = 1600 } = options

  function findTrap(url: CandidateUrl): string | undefined {
    return findPathTrap(url.path) ?? findParameterTrap(url.query) ?? findCalendarTrap(url)
  }

  function findPathTrap(path: string): string | undefined {
    const segmentCount = slashesIn(path)
    if (segmentCount > maxPathSegments) return `more than ${maxPathSegments} path segments`
    if (segmentCount < FEWEST_REPEATING) return undefined
    const block = repeatingSegments(path.split('/').slice(1))
    return block === undefined ? undefined : `path repeats /${block}`
  }

  function findParameterTrap(query: string): string | undefined {
    if (query === '') return undefined
    const parameters = query.split('&')
    if (parameters.length > maxParameters) return `more than ${maxParameters} parameters`
    // Too few to break the other limit.
    if (parameters.length <= maxSameParameters) return undefined
    const counts = new Map<string, number>()
    for (const parameter of parameters) {
      const [name = ''] = parameter.split('=', 1)
      const count = (counts.get(name) ?? 0) + 1
      if (count > maxSameParameters) return `parameter ${name} more than ${maxSameParameters} times`
      counts.set(name, count)
    }
    return undefined
  }

  const years: YearRange = {
    first: earliestYear,
    last: () => new Date(clock.now()).getUTCFullYear() + maxYearsAhead,
  }

  function findCalendarTrap(url: CandidateUrl): string | undefined {
    return calendarTrap(url, years)
  }

  return {
    name: 'trap',
    urlOnly: true,
    judge(url) {
      const trap = findTrap(url)
      return trap === undefined ? undefined : { accepted: false, rule: `trap: ${trap}` }
    },
  }
}

function slashesIn(path: string): number {
  let count = 0
  for (let at = path.indexOf('/'); at !== -1; at = path.indexOf('/', at + 1)) count++
  return count
}

/** Years that a page may be about. */
interface YearRange {
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
/** … but not next to one of these words. */
const CALENDAR = /(?<![A-Za-z])(?:calend[a-z]*|kalender|agenda|month|week|date)(?![A-Za-z])/i
const YEAR_PARAMETER = /[?&](?:year|yr)=(\d{4})(?!\d)/gi
/** A day below another day: no archive has that, relative links do. */
const NESTED = /\/\d{4}\/\d\d\/\d\d\/(?:[^/]+\/)*?\d{4}\/\d\d\/\d\d(?:\/|$)/

/** What is endless about a URL that names a day, a month or a year; `undefined` when nothing is. */
function calendarTrap(url: CandidateUrl, range: YearRange): string | undefined {
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

/** Longer cycles are left to the limit on segments. */
const MAX_PERIOD = 4

/** What repeats does so three times. */
const FEWEST_REPEATING = 3

/**
 * The block of segments that a path goes round in, as relative links without a leading slash make them; `undefined`
 * when there is none. Two shapes count: a block three times in a row (`/a/b/a/b/a/b`), and Nutch's, one segment three
 * times with one other between (`/a/x/a/y/a`). The empty segment after a trailing slash does not count.
 */
function repeatingSegments(segments: readonly string[]): string | undefined {
  const count = segments.at(-1) === '' ? segments.length - 1 : segments.length
  for (let period = 1; period <= MAX_PERIOD && period * 3 <= count; period++) {
    // Three blocks in a row are two blocks' worth of segments that equal the one a period before.
    let equal = 0
    for (let i = period; i < count; i++) {
      equal = segments[i] === segments[i - period] ? equal + 1 : 0
      if (equal === period * 2) return segments.slice(i - period + 1, i + 1).join('/')
    }
  }
  for (let i = 4; i < count; i++) {
    const segment = segments[i]
    if (segment === segments[i - 2] && segment === segments[i - 4]) return segment
  }
  return undefined
}
