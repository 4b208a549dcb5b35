import fc from 'fast-check'
import { expect, it } from 'vitest'
import { type AdaptiveScheduleOptions, createAdaptiveSchedule } from './adaptive-schedule.ts'
import type { ChangeState } from './change-state.ts'
import type { ScheduledPage } from './fetch-schedule.ts'

const DAY = 86_400
const NOW = Date.UTC(2026, 0, 1)

function page(timing: Partial<ScheduledPage>): ScheduledPage {
  return {
    url: 'http://a.test/',
    metadata: {},
    fetchTime: NOW,
    fetchInterval: 30 * DAY,
    modifiedTime: 0,
    retries: 0,
    ...timing,
  }
}

const year = { maxIntervalSeconds: 365 * DAY }
const week = { minIntervalSeconds: DAY, maxIntervalSeconds: 7 * DAY }

it.each<[number, ChangeState, number | undefined, object, number, number]>([
  [30, 'unknown', undefined, year, 30, 30],
  [30, 'modified', 30, year, 24, 24],
  [30, 'not-modified', 30, year, 42, 33],
  [30, 'not-modified', 100, year, 100, 70],
  // The shift ends at 0.3 × 7 days, where Nutch has none (30 days ago) or 6 days (20 days ago).
  [2, 'not-modified', 30, week, 7, 4.9],
  [2, 'not-modified', 20, week, 7, 4.9],
  [2, 'not-modified', 5, week, 5, 3.5],
])(
  'takes %i days, %s, last change %s days ago, %o to an interval of %i and a wait of %f days',
  (days, change, changedAgo, options, interval, wait) => {
    const before = page({
      fetchInterval: days * DAY,
      modifiedTime: changedAgo === undefined ? 0 : NOW - changedAgo * DAY * 1000,
    })
    const after = createAdaptiveSchedule(options).onFetched(before, NOW, change)
    expect(after.fetchInterval).toBe(interval * DAY)
    expect((after.fetchTime - NOW) / (DAY * 1000)).toBeCloseTo(wait, 6)
  },
)

it.each<[ChangeState, number]>([
  ['unknown', 100],
  ['modified', 80],
  ['not-modified', 140],
])('makes an interval of 100 s, %s, one of %i s', (change, interval) => {
  const schedule = createAdaptiveSchedule()
  expect(schedule.onFetched(page({ fetchInterval: 100 }), NOW, change)).toMatchObject({
    fetchInterval: interval,
    fetchTime: NOW + interval * 1000,
  })
})

it('does not look at the age of the content when the sync rate is 0', () => {
  const before = page({ modifiedTime: NOW - 80 * DAY * 1000 })
  expect(createAdaptiveSchedule({ syncRate: 0 }).onFetched(before, NOW, 'not-modified')).toMatchObject({
    fetchInterval: 42 * DAY,
    fetchTime: NOW + 42 * DAY * 1000,
  })
})

it.each([
  ['3600', 3600],
  ['3600.4', 3600],
  ['99999999', 90 * DAY],
])('does not adapt a fixed interval of %s s', (fixedInterval, interval) => {
  const before = page({ metadata: { fixedInterval }, modifiedTime: NOW - 1000 })
  for (const change of ['modified', 'not-modified', 'unknown'] as const) {
    expect(createAdaptiveSchedule().onFetched(before, NOW, change)).toMatchObject({
      fetchInterval: interval,
      fetchTime: NOW + interval * 1000,
    })
  }
})

it.each(['', 'soon', '-1', '0'])('adapts when the fixed interval is "%s"', (fixedInterval) => {
  const before = page({ fetchInterval: 100, metadata: { fixedInterval } })
  expect(createAdaptiveSchedule().onFetched(before, NOW, 'modified').fetchInterval).toBe(80)
})

it('keeps to the bounds of a host', () => {
  const schedule = createAdaptiveSchedule({
    hosts: { 'News.test': { maxSeconds: 3600 }, 'archive.test': { minSeconds: 60 * DAY } },
  })
  const interval = (url: string) => schedule.onFetched(page({ url }), NOW, 'modified').fetchInterval
  expect(interval('http://news.test/x')).toBe(3600)
  expect(interval('http://archive.test/x')).toBe(60 * DAY)
  expect(interval('http://www.news.test/x')).toBe(24 * DAY)
})

it.each([
  [{ hosts: { 'a.test': { minSeconds: 10 } } }, /interval of host a.test/],
  [{ hosts: { 'a.test': { maxSeconds: 91 * DAY } } }, /interval of host a.test/],
  [{ hosts: { 'a.test': { minSeconds: 200, maxSeconds: 100 } } }, /interval of host a.test/],
  [{ minIntervalSeconds: 91 * DAY }, /minIntervalSeconds/],
  [{ increaseRate: -0.1 }, /increaseRate is -0.1/],
  [{ syncRate: 1 }, /syncRate is 1/],
])('refuses %o', (options, message) => {
  expect(() => createAdaptiveSchedule(options)).toThrow(message)
})

it('keeps interval and wait within the bounds through any history', () => {
  const history = fc.array(fc.constantFrom<ChangeState>('modified', 'not-modified', 'unknown'), {
    maxLength: 60,
  })
  const bounds = fc.constantFrom<AdaptiveScheduleOptions>({}, week, {
    minIntervalSeconds: 300,
    maxIntervalSeconds: 3600,
    syncRate: 0.9,
  })
  fc.assert(
    fc.property(history, bounds, (changes, options) => {
      const schedule = createAdaptiveSchedule(options)
      const min = options.minIntervalSeconds ?? 60
      let now = NOW
      let current = page(schedule.initialise(now))
      for (const change of changes) {
        current = { ...current, ...schedule.onFetched(current, now, change) }
        for (const seconds of [current.fetchInterval, (current.fetchTime - now) / 1000]) {
          expect(seconds).toBeGreaterThanOrEqual(min)
          expect(seconds).toBeLessThanOrEqual(schedule.maxIntervalSeconds)
        }
        now = current.fetchTime
      }
    }),
  )
})
