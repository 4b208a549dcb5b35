import { type ChangeHistory, NO_HISTORY } from './change-history.ts'
import { meanRate, type RateBelief } from './change-rate.ts'

/** Metadata: the change history of a page and the estimate of its last fetch, as numbers with a space between them. */
export const CHANGES_KEY = 'changes'

/** The change history of a page, as its record stores it. */
export interface StoredChanges {
  readonly history: ChangeHistory
  readonly belief: RateBelief
  readonly contentType: string
}

/**
 * About 50 characters: rate (changes per day), shape, fetches, dated and undated changes, changed and unchanged days, last fetch (seconds since
 * the epoch), content type. The first two and the last are read in SQL, too: see `CHANGES_KEY` in adapters.
 */
export function formatChanges({ history, belief, contentType }: StoredChanges): string {
  const { fetches, datedChanges, undatedChanges, changedDays, unchangedDays, lastFetch } = history
  return [
    short(meanRate(belief)),
    short(belief.shape),
    ...[fetches, datedChanges, undatedChanges, short(changedDays), short(unchangedDays)],
    Math.floor(lastFetch / 1000),
    // A type is a token; anything else must not break the format.
    contentType.replace(/[^\w./+-]/g, '') || '-',
  ].join(' ')
}

/** `undefined` if there is none, or it cannot be read. */
export function parseChanges(metadata: Readonly<Record<string, string>>): StoredChanges | undefined {
  const [rate, shape, fetches, dated, undated, changed, unchanged, last, contentType = '-'] = (
    metadata[CHANGES_KEY] ?? ''
  ).split(' ')
  const numbers = [rate, shape, fetches, dated, undated, changed, unchanged, last].map(Number)
  if (!numbers.every((value) => Number.isFinite(value) && value >= 0)) return undefined
  const [perDay = 0, worth = 0, n = 0, d = 0, u = 0, changedDays = 0, unchangedDays = 0, seconds = 0] =
    numbers
  if (perDay <= 0 || worth <= 0) return undefined
  return {
    history: {
      ...{ ...NO_HISTORY, fetches: n, datedChanges: d, undatedChanges: u },
      ...{ changedDays, unchangedDays, lastFetch: seconds * 1000 },
    },
    belief: { shape: worth, days: worth / perDay },
    contentType,
  }
}

/** Four digits: more precise than any estimate. */
function short(value: number): number {
  return Number(value.toPrecision(4))
}
