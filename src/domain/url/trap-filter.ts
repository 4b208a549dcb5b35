import type { Clock } from '../../base/clock.ts'
import { calendarTrap, type YearRange } from './calendar-trap.ts'
import type { CandidateUrl } from './candidate-url.ts'
import { FEWEST_REPEATING, repeatingSegments } from './repeating-segments.ts'
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
 * Rejects URLs whose shape says that there is no end to them: segments that come round again, calendars of the far
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
