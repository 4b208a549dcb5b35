import { describe, expect, it } from 'vitest'
import { type HostOptions, hostLimits, usualDelayMs } from './host-options.ts'
import type { HostOutcome } from './host-outcome.ts'
import { DELAY_TOO_LONG, HostThrottle, TOO_MANY_FAILURES } from './host-throttle.ts'

const NOW = 1_800_000_000_000
const HOST = 3
const SUCCESS: HostOutcome = { kind: 'success' }
const FAILURE: HostOutcome = { kind: 'failure' }

function throttleWith(options: HostOptions = {}): HostThrottle {
  const throttle = new HostThrottle(hostLimits(options, 'test'))
  throttle.open(HOST, NOW)
  return throttle
}

/** The delay after the last of `outcomes`, all of which end at NOW. */
function delayAfter(throttle: HostThrottle, ...outcomes: HostOutcome[]): number {
  for (const outcome of outcomes) throttle.ended(HOST, outcome, NOW)
  return throttle.readyAt(HOST) - NOW
}

describe('the delay after a response', () => {
  it.each<[string, HostOptions, HostOutcome[], number]>([
    ['is one second by default', {}, [SUCCESS], 1_000],
    ['is delayMs with one in flight', { delayMs: 3_000, minDelayMs: 9 }, [SUCCESS], 3_000],
    ['is none with more: the delay is between starts', { delayMs: 3_000, maxInFlight: 2 }, [SUCCESS], 0],
    ['is minDelayMs with more', { delayMs: 3_000, minDelayMs: 9, maxInFlight: 2 }, [SUCCESS], 9],
    ['is none if no request was sent', {}, [{ kind: 'not-sent' }], 0],
    ['is the plain delay after our own abort', {}, [{ kind: 'unknown' }], 1_000],
    ['is backoffMs after a failure', {}, [FAILURE], 5_000],
    ['doubles with each failure', {}, [FAILURE, FAILURE, FAILURE], 20_000],
    ['backs off on a bare 429', {}, [{ kind: 'rate-limited' }], 5_000],
    ['lasts until retryAt', {}, [{ kind: 'rate-limited', retryAt: NOW + 60_000 }], 60_000],
    ['is not shortened by retryAt', {}, [{ kind: 'rate-limited', retryAt: NOW - 1 }], 5_000],
    [
      'never backs off past maxDelayMs',
      { maxFailures: 99, maxDelayMs: 7_000 },
      [FAILURE, FAILURE, FAILURE],
      7_000,
    ],
    ['grows with latencyFactor', { latencyFactor: 10 }, [{ kind: 'success', responseMs: 400 }], 4_000],
    ['ignores latency without it', {}, [{ kind: 'success', responseMs: 4_000 }], 1_000],
  ])('%s', (_, options, outcomes, delayMs) => {
    expect(delayAfter(throttleWith(options), ...outcomes)).toBe(delayMs)
  })

  it('is halved by each success', () => {
    const throttle = throttleWith()
    for (let i = 0; i < 4; i++) throttle.ended(HOST, FAILURE, NOW)
    const delays = [0, 1, 2].map(() => {
      throttle.ended(HOST, SUCCESS, NOW)
      return throttle.delayMs(HOST)
    })
    expect(delays).toEqual([10_000, 5_000, 1_000])
  })

  it('smooths the response time', () => {
    const throttle = throttleWith({ latencyFactor: 1, delayMs: 0 })
    for (const responseMs of [100, 500]) throttle.ended(HOST, { kind: 'success', responseMs }, NOW)
    expect(throttle.delayMs(HOST)).toBe(200)
  })
})

describe('the delay between two starts', () => {
  it.each<[string, HostOptions, number, number]>([
    ['nothing given: after the end', {}, 0, 1_000],
    ['a delay: after the end', { delayMs: 5_000 }, 0, 5_000],
    ['more in flight: the default between starts', { maxInFlight: 4 }, 1_000, 0],
    ['more in flight and a delay: between starts', { maxInFlight: 4, delayMs: 5_000 }, 5_000, 0],
    ['more in flight and no delay wanted', { maxInFlight: 4, delayMs: 0 }, 0, 0],
    ["more in flight and minDelayMs: Nutch's rule", { maxInFlight: 4, minDelayMs: 200 }, 0, 200],
    ['all three: both hold', { maxInFlight: 4, delayMs: 5_000, minDelayMs: 200 }, 5_000, 200],
    ['minDelayMs with one in flight: ignored', { minDelayMs: 200 }, 0, 1_000],
  ])('%s', (_, options, startGapMs, endGapMs) => {
    expect(hostLimits(options, 'test')).toMatchObject({ startGapMs, endGapMs })
    expect(usualDelayMs(options)).toBe(Math.max(startGapMs, endGapMs))
  })

  it('is counted from the last request that was sent', () => {
    const throttle = throttleWith({ maxInFlight: 4, delayMs: 5_000 })
    throttle.began(HOST, NOW)
    throttle.ended(HOST, SUCCESS, NOW + 100, NOW)
    expect(throttle.readyAt(HOST)).toBe(NOW + 5_000)
    throttle.began(HOST, NOW + 5_000)
    throttle.ended(HOST, { kind: 'not-sent' }, NOW + 5_010, NOW + 5_000)
    expect(throttle.readyAt(HOST)).toBeLessThanOrEqual(NOW + 5_000)
  })

  it('is kept if a request was not sent but another one was', () => {
    const throttle = throttleWith({ maxInFlight: 4, delayMs: 5_000 })
    throttle.began(HOST, NOW)
    throttle.began(HOST, NOW + 5_000)
    throttle.ended(HOST, { kind: 'not-sent' }, NOW + 5_010, NOW)
    expect(throttle.readyAt(HOST)).toBe(NOW + 10_000)
  })

  it('is part of the state that the next owner of the host gets', () => {
    const throttle = throttleWith({ maxInFlight: 4, delayMs: 5_000 })
    throttle.began(HOST, NOW)
    throttle.ended(HOST, SUCCESS, NOW + 100, NOW)
    expect(throttle.state(HOST, 'a.test', NOW + 200).readyAt).toBe(NOW + 5_000)
  })

  it('is waited for even if it is longer than maxDelayMs', () => {
    const throttle = throttleWith({ delayMs: 400_000 })
    throttle.ended(HOST, SUCCESS, NOW)
    expect([throttle.isParked(HOST, NOW), throttle.readyAt(HOST)]).toEqual([false, NOW + 400_000])
  })
})

describe('Crawl-delay', () => {
  it.each([
    [10_000, 10_000],
    [10, 1_000],
    [0, 1_000],
  ])('of %i ms makes it %i ms', (crawlDelayMs, delayMs) => {
    const throttle = throttleWith()
    throttle.setCrawlDelay(HOST, crawlDelayMs, NOW)
    expect(delayAfter(throttle, SUCCESS)).toBe(delayMs)
  })

  it('lengthens the current delay', () => {
    const throttle = throttleWith()
    throttle.ended(HOST, SUCCESS, NOW)
    throttle.setCrawlDelay(HOST, 10_000, NOW + 500)
    expect(throttle.readyAt(HOST)).toBe(NOW + 10_000)
  })

  it('does not shorten the current delay when it is removed', () => {
    const throttle = throttleWith()
    throttle.setCrawlDelay(HOST, 10_000, NOW)
    throttle.ended(HOST, SUCCESS, NOW)
    throttle.setCrawlDelay(HOST, 0, NOW)
    expect([throttle.readyAt(HOST), throttle.delayMs(HOST)]).toEqual([NOW + 10_000, 1_000])
  })

  it('allows one request at a time, as do failures', () => {
    const throttle = throttleWith({ maxInFlight: 4 })
    expect(throttle.maxInFlight(HOST)).toBe(4)
    throttle.setCrawlDelay(HOST, 1, NOW)
    expect(throttle.maxInFlight(HOST)).toBe(1)
    throttle.setCrawlDelay(HOST, 0, NOW)
    throttle.ended(HOST, FAILURE, NOW)
    expect(throttle.maxInFlight(HOST)).toBe(1)
  })
})

describe('parking', () => {
  it('begins at maxFailures', () => {
    const throttle = throttleWith()
    for (let i = 0; i < 4; i++) throttle.ended(HOST, FAILURE, NOW)
    expect(throttle.parking(HOST, NOW)).toBeUndefined()
    throttle.ended(HOST, FAILURE, NOW)
    expect(throttle.parking(HOST, NOW)).toEqual({ until: NOW + 1_800_000, reason: TOO_MANY_FAILURES })
    expect(throttle.parking(HOST, NOW + 1_800_000)).toBeUndefined()
  })

  it.each<[string, (throttle: HostThrottle) => void]>([
    [
      'Retry-After',
      (throttle) => throttle.ended(HOST, { kind: 'rate-limited', retryAt: NOW + 3_600_000 }, NOW),
    ],
    ['delay', (throttle) => throttle.delayUntil(HOST, NOW + 3_600_000, NOW)],
    [
      'Crawl-delay',
      (throttle) => {
        throttle.setCrawlDelay(HOST, 3_600_000, NOW)
        throttle.ended(HOST, SUCCESS, NOW)
      },
    ],
  ])('parks the host for the whole of a %s that is too long', (_, act) => {
    const throttle = throttleWith()
    act(throttle)
    expect(throttle.parking(HOST, NOW)).toEqual({ until: NOW + 3_600_000, reason: DELAY_TOO_LONG })
  })

  it('is never shortened', () => {
    const throttle = throttleWith()
    throttle.park(HOST, NOW + 10, 'first')
    throttle.park(HOST, NOW + 5, 'second')
    expect(throttle.parking(HOST, NOW)).toEqual({ until: NOW + 10, reason: 'first' })
  })

  it('can be stored as JSON without an end', () => {
    const throttle = throttleWith()
    throttle.park(HOST, Number.POSITIVE_INFINITY, 'blocked')
    const again = throttleWith()
    again.restore(HOST, JSON.parse(JSON.stringify(throttle.state(HOST, 'a', NOW))), NOW)
    expect(again.parking(HOST, NOW + 1e15)?.reason).toBe('blocked')
  })
})

it.each<[string, (throttle: HostThrottle) => void]>([
  ['a delay', (throttle) => throttle.delayUntil(HOST, Number.NaN, NOW)],
  ['a Crawl-delay', (throttle) => throttle.setCrawlDelay(HOST, Number.NaN, NOW)],
  ['a parking', (throttle) => throttle.park(HOST, Number.NaN, 'x')],
  ['a retryAt', (throttle) => throttle.ended(HOST, { kind: 'rate-limited', retryAt: Number.NaN }, NOW)],
])('throws when %s is not a number', (_, act) => {
  expect(() => act(throttleWith())).toThrow(RangeError)
})

it.each<[HostOptions, RegExp]>([
  [{ delayMs: -1 }, /a\.test: delayMs is -1/],
  [{ delayMs: Number.NaN }, /delayMs is NaN/],
  [{ maxInFlight: 0 }, /maxInFlight is 0; give a number of at least 1/],
  [{ maxDelayMs: Number.POSITIVE_INFINITY }, /maxDelayMs is Infinity/],
])('refuses %j', (options, message) => {
  expect(() => hostLimits(options, 'a.test')).toThrow(message)
})

describe('a row', () => {
  it('exists for each of a thousand hosts', () => {
    const throttle = new HostThrottle(hostLimits({}, 'test'))
    for (let host = 0; host < 1_000; host++) {
      throttle.open(host, NOW)
      throttle.delayUntil(host, NOW + host, NOW)
    }
    const delays = Array.from({ length: 1_000 }, (_, host) => throttle.readyAt(host) - NOW)
    expect(delays).toEqual([...delays.keys()])
  })

  it('is reset when its index is used for another host', () => {
    const fresh = throttleWith().state(HOST, 'b', NOW)
    const throttle = throttleWith()
    throttle.open(HOST, NOW, hostLimits({ delayMs: 9 }, 'test'))
    throttle.began(HOST, NOW)
    throttle.setCrawlDelay(HOST, 10_000, NOW)
    throttle.ended(HOST, { kind: 'rate-limited', retryAt: NOW + 3_600_000 }, NOW)
    throttle.began(HOST, NOW)
    throttle.close(HOST)
    throttle.open(HOST, NOW)
    expect(throttle.state(HOST, 'b', NOW)).toEqual(fresh)
    expect(fresh).not.toHaveProperty('endedAt')
    expect(throttle.delayMs(HOST)).toBe(1_000)
  })
})
