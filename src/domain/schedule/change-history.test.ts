import { expect, it } from 'vitest'
import { addFetch, type ChangeHistory, DAY_MS, NO_HISTORY } from './change-history.ts'
import type { ChangeState } from './change-state.ts'

const NOW = Date.UTC(2026, 0, 1)
const FIRST: ChangeHistory = { ...NO_HISTORY, lastFetch: NOW }

it.each<[string, ChangeState, number | undefined, Partial<ChangeHistory>]>([
  ['no change', 'not-modified', undefined, { fetches: 1, unchangedDays: 4 }],
  ['a change without a date', 'modified', undefined, { fetches: 1, undatedChanges: 1, changedDays: 4 }],
  ['a change with a date', 'modified', 1, { fetches: 1, datedChanges: 1, unchangedDays: 1 }],
  ['a date before the last fetch', 'modified', 5, { fetches: 1, undatedChanges: 1, changedDays: 4 }],
  ['the time of the response', 'modified', 0, { fetches: 1, undatedChanges: 1, changedDays: 4 }],
  ['a date in the future', 'modified', -3, { fetches: 1, undatedChanges: 1, changedDays: 4 }],
  ['a date without a change', 'not-modified', 1, { fetches: 1, unchangedDays: 4 }],
  ['nothing to compare', 'unknown', 1, {}],
])('counts %s', (_what, change, changedDaysAgo, expected) => {
  const now = NOW + 4 * DAY_MS
  const date = changedDaysAgo === undefined ? undefined : now - changedDaysAgo * DAY_MS
  expect(addFetch(FIRST, now, change, date)).toEqual({ ...FIRST, lastFetch: now, ...expected })
})

it('learns from the age of the content at the first fetch, and nothing without a date', () => {
  expect(addFetch(NO_HISTORY, NOW, 'unknown', undefined)).toEqual(FIRST)
  expect(addFetch(NO_HISTORY, NOW, 'unknown', NOW - 90 * DAY_MS)).toEqual({
    ...FIRST,
    fetches: 1,
    datedChanges: 1,
    unchangedDays: 90,
  })
})

it('limits the age of old content', () => {
  expect(addFetch(NO_HISTORY, NOW, 'unknown', 1).unchangedDays).toBe(1_000)
})

it('ignores a fetch at the time of the last one, which is the same merged again', () => {
  expect(addFetch(FIRST, NOW, 'modified', undefined)).toBe(FIRST)
})
