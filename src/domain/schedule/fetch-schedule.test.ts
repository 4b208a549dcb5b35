import fc from 'fast-check'
import { expect, it } from 'vitest'
import { createAdaptiveSchedule } from './adaptive-schedule.ts'
import type { ChangeState } from './change-state.ts'
import { createDefaultSchedule } from './default-schedule.ts'
import { createFreshnessSchedule } from './freshness-schedule.ts'

const DAY = 86_400
const NOW = Date.UTC(2026, 0, 1)

it.each([
  ['default', createDefaultSchedule()],
  ['adaptive', createAdaptiveSchedule()],
  ['freshness', createFreshnessSchedule()],
])('keeps every promise of a schedule: %s', (_name, tested) => {
  const pages = fc.record({
    url: fc.constant('http://a.test/'),
    metadata: fc.oneof(
      fc.constant({}),
      fc.record({ fixedInterval: fc.oneof(fc.nat().map(String), fc.string()) }),
    ),
    fetchTime: fc.nat(),
    fetchInterval: fc.integer({ min: 0, max: 3 * 365 * DAY }),
    modifiedTime: fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 2 * NOW })),
    retries: fc.nat(200),
  })
  const change = fc.constantFrom<ChangeState>('modified', 'not-modified', 'unknown')
  fc.assert(
    fc.property(pages, change, (before, state) => {
      const latest = NOW + tested.maxIntervalSeconds * 1000
      for (const timing of [
        tested.onFetched(before, NOW, state, { maxAgeSeconds: 5e9 }),
        tested.onGone(before, NOW),
        tested.onRetry(before, NOW),
      ]) {
        expect(timing.fetchTime).toBeGreaterThan(NOW)
        expect(timing.fetchTime).toBeLessThanOrEqual(latest)
        expect(Number.isInteger(timing.fetchTime) && Number.isInteger(timing.fetchInterval)).toBe(true)
      }
      const { fetchInterval, retries } = tested.onFetched(before, NOW, state)
      expect(fetchInterval).toBeGreaterThan(0)
      expect(fetchInterval).toBeLessThanOrEqual(tested.maxIntervalSeconds)
      expect(retries).toBe(0)
      expect(Object.keys(tested.onGone(before, NOW)).sort()).toEqual([
        'fetchInterval',
        'fetchTime',
        'modifiedTime',
        'retries',
      ])
    }),
  )
})
