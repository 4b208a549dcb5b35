import type { LivePoint, LiveReport } from '../../../src/domain/live/live-report.ts'
import { mergedPoint } from '../../../src/domain/live/series-recorder.ts'

/** Rates in one interval of a chart. Times are milliseconds since the epoch. */
export interface RatePoint {
  readonly from: number
  readonly to: number
  readonly pagesPerSecond: number
  readonly bytesPerSecond: number
  readonly itemsPerSecond: number
  readonly errorsPerSecond: number
}

/** Length of the short range of the chart (ms). */
export const RECENT_MS = 600_000

/** The point from one report to the next; `undefined` if they are of different runs, or of the same moment. */
export function pointBetween(before: LiveReport, after: LiveReport): LivePoint | undefined {
  if (before.startedAt !== after.startedAt || after.at <= before.at) return undefined
  const since = (name: keyof LiveReport['totals']) => Math.max(0, after.totals[name] - before.totals[name])
  return {
    at: after.at,
    seconds: (after.at - before.at) / 1_000,
    pages: since('pages'),
    bytes: since('bytes'),
    requests: since('requests'),
    errors: since('errors'),
    items: since('items'),
    inFlight: after.inFlight,
    queued: after.queued,
  }
}

/** Adds a point. Points older than the short range are merged into minutes, so that a page that stays open for days needs little memory. */
export function addPoint(points: readonly LivePoint[], point: LivePoint): LivePoint[] {
  const last = points.at(-1)
  if (last !== undefined && point.at <= last.at) return [...points]
  const all = [...points, point]
  // Rarely: each call copies the array.
  return all.length % 300 === 0 ? mergeMinutes(all, point.at - RECENT_MS) : all
}

/** Merges the points up to `until` into intervals of a minute. */
export function mergeMinutes(points: readonly LivePoint[], until: number): LivePoint[] {
  const merged: LivePoint[] = []
  for (const point of points) {
    const last = merged.at(-1)
    if (last !== undefined && point.at <= until && minuteOf(last.at) === minuteOf(point.at))
      merged[merged.length - 1] = mergedPoint(last, point)
    else merged.push(point)
  }
  return merged
}

/** Whole minutes since the epoch; the end of a minute belongs to it. */
function minuteOf(at: number): number {
  return Math.ceil(at / 60_000)
}

/**
 * The points from `from` to `to` as rates, in intervals of equal length that start at multiples of it: a chart that moves on does not change
 * the shape of its past. The interval that has not ended is left out. A point that overlaps several intervals counts in each by its share.
 */
export function ratePoints(
  points: readonly LivePoint[],
  from: number,
  to: number,
  intervalMs: number,
): RatePoint[] {
  const first = Math.floor(from / intervalMs)
  const sums = new Array<(Sums & { seconds: number }) | undefined>(
    Math.max(0, Math.floor(to / intervalMs) - first),
  )
  for (const point of points) {
    const start = point.at - point.seconds * 1_000
    const last = Math.min(sums.length - 1, Math.ceil(point.at / intervalMs) - 1 - first)
    for (let i = Math.max(0, Math.floor(start / intervalMs) - first); i <= last; i++) {
      const left = (first + i) * intervalMs
      const overlapMs = Math.min(point.at, left + intervalMs) - Math.max(start, left)
      if (overlapMs <= 0) continue
      const share = overlapMs / (point.seconds * 1_000)
      const sum = sums[i] ?? { pages: 0, bytes: 0, items: 0, errors: 0, seconds: 0 }
      sums[i] = {
        pages: sum.pages + point.pages * share,
        bytes: sum.bytes + point.bytes * share,
        items: sum.items + point.items * share,
        errors: sum.errors + point.errors * share,
        seconds: sum.seconds + overlapMs / 1_000,
      }
    }
  }
  const rates: RatePoint[] = []
  for (const [i, sum] of sums.entries()) {
    if (sum === undefined || sum.seconds < intervalMs / 4_000) continue
    const left = (first + i) * intervalMs
    rates.push({
      from: left,
      to: left + intervalMs,
      pagesPerSecond: sum.pages / sum.seconds,
      bytesPerSecond: sum.bytes / sum.seconds,
      itemsPerSecond: sum.items / sum.seconds,
      errorsPerSecond: sum.errors / sum.seconds,
    })
  }
  return rates
}

type Sums = Pick<LivePoint, 'pages' | 'bytes' | 'items' | 'errors'>

/** A round interval (ms) that divides a range into at most `most` parts, and at least 2 seconds. */
export function intervalOf(rangeMs: number, most: number): number {
  return INTERVALS_MS.find((interval) => rangeMs / interval <= most) ?? 86_400_000
}

const INTERVALS_MS = [
  2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1_800, 3_600, 7_200, 10_800, 21_600, 43_200,
].map((seconds) => seconds * 1_000)
