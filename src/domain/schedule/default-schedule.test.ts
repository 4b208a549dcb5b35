import { expect, it } from 'vitest'
import type { ChangeState } from './change-state.ts'
import { createDefaultSchedule } from './default-schedule.ts'
import type { ScheduledPage } from './fetch-schedule.ts'

const DAY = 86_400
const NOW = Date.UTC(2026, 0, 1)
const schedule = createDefaultSchedule()

function page(timing: Partial<ScheduledPage> = {}): ScheduledPage {
  return {
    url: 'http://a.test/',
    metadata: {},
    fetchTime: NOW,
    fetchInterval: 30 * DAY,
    modifiedTime: 0,
    retries: 2,
    ...timing,
  }
}

it('makes a new page due at once, at the default interval', () => {
  expect(schedule.initialise(NOW)).toEqual({
    fetchTime: NOW,
    fetchInterval: 2_592_000,
    modifiedTime: 0,
    retries: 0,
  })
})

it.each<[ChangeState, number, number]>([
  ['unknown', 0, NOW],
  ['unknown', 5, 5],
  ['modified', 5, NOW],
  ['not-modified', 5, 5],
  ['not-modified', 0, 0],
])('keeps the interval when %s, and takes the last change from %i to %i', (change, before, after) => {
  expect(schedule.onFetched(page({ modifiedTime: before }), NOW, change)).toEqual({
    fetchTime: NOW + 30 * DAY * 1000,
    fetchInterval: 30 * DAY,
    modifiedTime: after,
    retries: 0,
  })
})

it('uses the default where a page has no interval, and the maximum where its interval is longer', () => {
  expect(schedule.onFetched(page({ fetchInterval: 0 }), NOW, 'unknown').fetchInterval).toBe(30 * DAY)
  expect(schedule.onFetched(page({ fetchInterval: 365 * DAY }), NOW, 'unknown').fetchInterval).toBe(90 * DAY)
})

it('fetches a gone page less and less often, up to nine tenths of the maximum', () => {
  let gone = page()
  const days: number[] = []
  for (let count = 0; count < 5; count++) {
    gone = { ...gone, ...schedule.onGone(gone, NOW) }
    expect(gone.fetchTime).toBe(NOW + gone.fetchInterval * 1000)
    expect(gone.retries).toBe(2)
    days.push(gone.fetchInterval / DAY)
  }
  expect(days).toEqual([45, 67.5, 81, 81, 81])
})

it('tries a failed page again in a day and counts the failure', () => {
  expect(schedule.onRetry(page(), NOW)).toEqual({
    fetchTime: NOW + DAY * 1000,
    fetchInterval: 30 * DAY,
    modifiedTime: 0,
    retries: 3,
  })
})

it('refuses intervals that are not whole seconds', () => {
  expect(() => createDefaultSchedule({ defaultIntervalSeconds: 0 })).toThrow(/defaultIntervalSeconds is 0/)
  expect(() => createDefaultSchedule({ maxIntervalSeconds: 1.5 })).toThrow(/maxIntervalSeconds is 1.5/)
})
