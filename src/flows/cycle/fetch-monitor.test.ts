import { expect, it } from 'vitest'
import { LimitWatch } from './fetch-monitor.ts'

it('stops a run at its time limit', () => {
  const watch = new LimitWatch({ timeLimitMs: 5_000 })
  expect(watch.verdict(4_999, 0)).toBeUndefined()
  expect(watch.verdict(5_000, 1_000)).toBe('time limit')
})

it('counts consecutive slow seconds, and only after the first minutes', () => {
  const watch = new LimitWatch({ minPagesPerSecond: 10, slowSeconds: 2, rateCheckAfterMs: 3_000 })
  const rates = [0, 0, 9, 10, 9, 9]
  const verdicts = rates.map((rate, i) => watch.verdict((i + 1) * 1_000, rate))
  expect(verdicts).toEqual([
    undefined,
    undefined,
    undefined,
    undefined,
    undefined,
    'too few pages per second',
  ])
})

it('never stops a run without limits', () => {
  expect(new LimitWatch({}).verdict(1e12, 0)).toBeUndefined()
})
