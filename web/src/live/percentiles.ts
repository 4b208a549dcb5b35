import type { LiveHistogram } from '../../../src/domain/live/live-report.ts'

/** A percentile of a histogram. */
export interface Percentile {
  readonly ms: number
  /** The value is in the last interval, which has no upper bound: it is at least `ms`. */
  readonly isLowerBound: boolean
}

/** The value that the given share (0 to 1) of the responses does not exceed, interpolated within its interval. `undefined` if there are none. */
export function percentile({ boundsMs, counts }: LiveHistogram, share: number): Percentile | undefined {
  const total = responseCount({ counts })
  if (total === 0) return undefined
  const rank = share * total
  let below = 0
  for (const [i, count] of counts.entries()) {
    const lower = i === 0 ? 0 : (boundsMs[i - 1] ?? 0)
    const upper = boundsMs[i]
    if (count > 0 && below + count >= rank) {
      if (upper === undefined) return { ms: lower, isLowerBound: true }
      return { ms: lower + ((upper - lower) * (rank - below)) / count, isLowerBound: false }
    }
    below += count
  }
  return { ms: boundsMs.at(-1) ?? 0, isLowerBound: true }
}

export function responseCount({ counts }: Pick<LiveHistogram, 'counts'>): number {
  return counts.reduce((sum, count) => sum + count, 0)
}
