import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readThrottle, throttleArguments } from './stored-throttle.ts'

const throttle = {
  key: 'a.test',
  readyAt: 9_000,
  endedAt: 2_000,
  failures: 1,
  crawlDelayMs: 3_000,
  latencyMs: 20,
}
const given = { restMs: 5_000, now: 200_000 }

describe('readThrottle', () => {
  it('reads what was stored', () => {
    const parked = { ...throttle, parked: { until: 20_000, reason: 'too-many-failures' } }
    expect(readThrottle('a.test', JSON.stringify(parked), '', given)).toEqual(parked)
    expect(readThrottle('a.test', '', '', given)).toBeUndefined()
  })

  it.each([
    ['the delay after its last response', { ...throttle, readyAt: 9_000 }, 107_000],
    ['its Crawl-delay', { ...throttle, readyAt: 2_000, crawlDelayMs: 30_000 }, 130_000],
    ['the default delay', { ...throttle, readyAt: 2_000 }, 105_000],
    ['what is due already', { ...throttle, readyAt: 500_000, endedAt: 499_000 }, 500_000],
  ])('delays a host of a lost worker by %s', (_, stored, readyAt) => {
    expect(readThrottle('a.test', JSON.stringify(stored), '100000', given)).toMatchObject({ readyAt })
  })

  it('delays a lost host without stored throttle state, too', () => {
    expect(readThrottle('a.test', '', '100000', given)).toMatchObject({ readyAt: 105_000, endedAt: 100_000 })
  })

  it('does not allow a request at once if the stored state is unreadable', () => {
    for (const bad of [
      '{',
      '[]',
      '{"readyAt":"0"}',
      '{"readyAt":-1,"failures":0,"crawlDelayMs":0,"latencyMs":0}',
    ])
      expect(readThrottle('a.test', bad, '', given)).toMatchObject({ key: 'a.test', readyAt: 205_000 })
    fc.assert(
      fc.property(fc.json(), fc.string(), (json, lostAt) => {
        expect(readThrottle('a.test', json, lostAt, given)?.readyAt).not.toBeNaN()
      }),
      { numRuns: 200 },
    )
  })
})

describe('throttleArguments', () => {
  it('has the next allowed time of a host and the time after which its state can be deleted', () => {
    expect(throttleArguments(throttle, 60_000).slice(0, 3)).toEqual(['a.test', '9000', '69000'])
    expect(throttleArguments({ ...throttle, failures: 0, crawlDelayMs: 0 }, 60_000)[2]).toBe('9000')
    const parked = { until: Number.POSITIVE_INFINITY, reason: 'by hand' }
    expect(throttleArguments({ ...throttle, parked }, 60_000)[2]).toBe('8640000000000000')
  })
})
