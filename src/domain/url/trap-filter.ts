import type { Clock } from '../../base/clock.ts'
import type { CandidateUrl } from './candidate-url.ts'
import { MAX_PLAIN_PARAMETERS, MAX_PLAIN_SEGMENTS, PLAIN_YEARS } from './plain-url.ts'
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
 * @example
 * const filter = trapFilter(wallClock)
 * filter.judge(new CandidateUrl('https://example.org/a/b/a/b/a/b/a/b'))?.accepted // → false
 */
export function trapFilter(clock: Clock, options: TrapOptions = {}): UrlFilter {
  const { maxPathSegments = 20, maxParameters = 30, maxSameParameters = 6 } = options
  const { maxYearsAhead = 3, earliestYear = 1600 } = options

  function findTrap({ pathAndQuery }: CandidateUrl): string | undefined {
    const mark = pathAndQuery.indexOf('?')
    const pathEnd = mark === -1 ? pathAndQuery.length : mark
    return (
      findPathTrap(pathAndQuery, pathEnd) ??
      (mark === -1 ? undefined : findParameterTrap(pathAndQuery.slice(mark + 1))) ??
      calendarTrap(pathAndQuery, pathEnd, years)
    )
  }

  function findPathTrap(text: string, pathEnd: number): string | undefined {
    const count = findSegments(text, pathEnd)
    if (count > maxPathSegments) return `more than ${maxPathSegments} path segments`
    if (count < FEWEST_REPEATING) return undefined
    const block = repeatingSegments(text, count)
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

  // A trailing slash counts as a segment here.
  const acceptsPlain =
    maxPathSegments > MAX_PLAIN_SEGMENTS &&
    Math.min(maxParameters, maxSameParameters) >= MAX_PLAIN_PARAMETERS &&
    earliestYear <= PLAIN_YEARS.first &&
    years.last() >= PLAIN_YEARS.last

  return {
    name: 'trap',
    urlOnly: true,
    ...(acceptsPlain && { acceptsPlain }),
    judge(url) {
      const trap = findTrap(url)
      return trap === undefined ? undefined : { accepted: false, rule: `trap: ${trap}` }
    },
  }
}

/**
 * Where the segments of the path that is judged start; after the last one follows where another would start. Positions instead of texts,
 * because the filter sees every link, and nearly no segment equals another.
 */
const starts: number[] = []

/** Finds the segments of a path, which starts with a slash and ends before `end`; returns their number. */
function findSegments(text: string, end: number): number {
  let count = 0
  for (let at = text.indexOf('/'); at !== -1 && at < end; at = text.indexOf('/', at + 1))
    starts[count++] = at + 1
  starts[count] = end + 1
  return count
}

/** Of segment `i`, without its slash. */
function lengthOf(i: number): number {
  return (starts[i + 1] ?? 0) - (starts[i] ?? 0) - 1
}

function areEqual(text: string, i: number, j: number): boolean {
  const length = lengthOf(i)
  if (length !== lengthOf(j)) return false
  const [one = 0, other = 0] = [starts[i], starts[j]]
  return text.startsWith(text.slice(one, one + length), other)
}

/** Years that a page may be about. */
interface YearRange {
  readonly first: number
  readonly last: () => number
}

/** What each shape with a month below has somewhere, and most URLs have nowhere. `\d\d\d\d` takes half the time of `\d{4}`. */
const DATE_LIKE = /\d\d\d\d[-/]\d/
/** The same for the shape with a parameter. */
const YEAR_LIKE = /=\d\d\d\d/
/** `/2031/05/07` or `2031-05-07`, not within a longer number or word. */
const DATE =
  /(?<![0-9A-Za-z])(\d\d\d\d)(?:\/(?:0[1-9]|1[0-2])\/|-(?:0[1-9]|1[0-2])-)(?:0[1-9]|[12]\d|3[01])(?![0-9A-Za-z])/g
/** A year and a month, which elsewhere may be the number of a thing and of a page of it … */
const MONTH = /(?<![0-9A-Za-z])(\d\d\d\d)[-/](?:0?[1-9]|1[0-2])(?![0-9A-Za-z])/g
/** … but not next to one of these words. */
const CALENDAR = /(?<![A-Za-z])(?:calend[a-z]*|kalender|agenda|month|week|date)(?![A-Za-z])/i
const YEAR_PARAMETER = /[?&](?:year|yr)=(\d\d\d\d)(?!\d)/gi
/** A day below another day: no archive has that, relative links do. */
const NESTED = /\/\d\d\d\d\/\d\d\/\d\d\/(?:[^/]+\/)*?\d\d\d\d\/\d\d\/\d\d(?:\/|$)/

/** What is endless about a URL that names a day, a month or a year; `undefined` when nothing is. */
function calendarTrap(text: string, pathEnd: number, range: YearRange): string | undefined {
  const hasMonth = DATE_LIKE.test(text)
  if (hasMonth && NESTED.test(text.slice(0, pathEnd))) return 'a date below a date'
  const year =
    (hasMonth ? yearOutside(range, text, DATE) : undefined) ??
    (YEAR_LIKE.test(text) ? yearOutside(range, text, YEAR_PARAMETER) : undefined) ??
    (hasMonth && CALENDAR.test(text) ? yearOutside(range, text, MONTH) : undefined)
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
function repeatingSegments(text: string, segments: number): string | undefined {
  const count = lengthOf(segments - 1) === 0 ? segments - 1 : segments
  for (let period = 1; period <= MAX_PERIOD && period * 3 <= count; period++) {
    // Three blocks in a row are two blocks' worth of segments that equal the one a period before.
    let equal = 0
    for (let i = period; i < count; i++) {
      equal = areEqual(text, i, i - period) ? equal + 1 : 0
      if (equal === period * 2) return text.slice(starts[i - period + 1], (starts[i + 1] ?? 0) - 1)
    }
  }
  for (let i = 4; i < count; i++)
    if (areEqual(text, i, i - 2) && areEqual(text, i, i - 4))
      return text.slice(starts[i], (starts[i + 1] ?? 0) - 1)
  return undefined
}
