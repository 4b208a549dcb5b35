import type { ChangeState } from './change-state.ts'

/**
 * What the fetches of a page showed about its changes; all that the estimate needs of them. Durations are in days.
 * A change is dated if a date tells when the content last changed (Last-Modified, a sitemap). Otherwise it is only known to lie between
 * two fetches, and there may have been more than one.
 */
export interface ChangeHistory {
  /** Fetches that could be compared with the one before, or had a date. */
  readonly fetches: number
  readonly datedChanges: number
  readonly undatedChanges: number
  /** Sum of the intervals with an undated change. */
  readonly changedDays: number
  /** Time for which the content is known not to have changed: intervals without a change, and the age of dated content. */
  readonly unchangedDays: number
  /** The last fetch with content (ms since the epoch); 0: none. */
  readonly lastFetch: number
}

export const NO_HISTORY: ChangeHistory = {
  fetches: 0,
  datedChanges: 0,
  undatedChanges: 0,
  changedDays: 0,
  unchangedDays: 0,
  lastFetch: 0,
}

/** Content younger than this when it was fetched was made for the request: its date is not that of a change. */
const GENERATED_MS = 60_000
/** Content that did not change for longer is as good as static; a wrong date must not count more than that. */
const MAX_AGE_DAYS = 1_000
export const DAY_MS = 86_400_000

/**
 * Adds a fetch.
 * @param changedAt date of the last change as the server states it (ms since the epoch). Used only if the content is new or changed, and the
 *   date is possible: a date from before the fetch before, or of the moment of the response, tells nothing.
 */
export function addFetch(
  history: ChangeHistory,
  fetchedAt: number,
  change: ChangeState,
  changedAt: number | undefined,
): ChangeHistory {
  const { lastFetch } = history
  const days = (fetchedAt - lastFetch) / DAY_MS
  if (days <= 0) return history
  const isFirst = lastFetch === 0
  const seen = { ...history, lastFetch: fetchedAt }
  const compared = { ...seen, fetches: history.fetches + 1 }
  if (change === 'not-modified')
    return isFirst ? seen : { ...compared, unchangedDays: history.unchangedDays + days }
  if (change === 'unknown' && !isFirst) return seen
  const ageMs = changedAt === undefined || changedAt <= lastFetch ? 0 : fetchedAt - changedAt
  if (ageMs >= GENERATED_MS)
    return {
      ...compared,
      datedChanges: history.datedChanges + 1,
      unchangedDays: history.unchangedDays + Math.min(ageMs / DAY_MS, MAX_AGE_DAYS),
    }
  // The first fetch has no interval: without a date it tells nothing.
  if (isFirst) return seen
  return {
    ...compared,
    undatedChanges: history.undatedChanges + 1,
    changedDays: history.changedDays + days,
  }
}
