import { expect, it } from 'vitest'
import { addVisit, type ChangeHistory, DAY_MS, NO_HISTORY } from './change-history.ts'
import type { ChangeState } from './change-state.ts'

const NOW = Date.UTC(2026, 0, 1)
const FIRST: ChangeHistory = { ...NO_HISTORY, lastVisit: NOW }

it.each<[string, ChangeState, number | undefined, Partial<ChangeHistory>]>([
  ['no change', 'not-modified', undefined, { visits: 1, unchangedDays: 4 }],
  ['a change without a date', 'modified', undefined, { visits: 1, undatedChanges: 1, changedDays: 4 }],
  ['a change with a date', 'modified', 1, { visits: 1, datedChanges: 1, unchangedDays: 1 }],
  ['a date before the last visit', 'modified', 5, { visits: 1, undatedChanges: 1, changedDays: 4 }],
  ['the time of the response', 'modified', 0, { visits: 1, undatedChanges: 1, changedDays: 4 }],
  ['a date in the future', 'modified', -3, { visits: 1, undatedChanges: 1, changedDays: 4 }],
  ['a date without a change', 'not-modified', 1, { visits: 1, unchangedDays: 4 }],
  ['nothing to compare', 'unknown', 1, {}],
])('counts %s', (_what, change, changedDaysAgo, expected) => {
  const now = NOW + 4 * DAY_MS
  const date = changedDaysAgo === undefined ? undefined : now - changedDaysAgo * DAY_MS
  expect(addVisit(FIRST, now, change, date)).toEqual({ ...FIRST, lastVisit: now, ...expected })
})

it('learns from the age of the content at the first visit, and nothing without a date', () => {
  expect(addVisit(NO_HISTORY, NOW, 'unknown', undefined)).toEqual(FIRST)
  expect(addVisit(NO_HISTORY, NOW, 'unknown', NOW - 90 * DAY_MS)).toEqual({
    ...FIRST,
    visits: 1,
    datedChanges: 1,
    unchangedDays: 90,
  })
})

it('limits the age of old content', () => {
  expect(addVisit(NO_HISTORY, NOW, 'unknown', 1).unchangedDays).toBe(1_000)
})

it('ignores a visit at the time of the last one, which is the same merged again', () => {
  expect(addVisit(FIRST, NOW, 'modified', undefined)).toBe(FIRST)
})
