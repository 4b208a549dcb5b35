import { beforeEach, describe, expect, it } from 'vitest'
import { FakeClock } from '../../../testing/fake-clock.ts'
import { outageNotices } from './outage.ts'

describe('outageNotices', () => {
  let clock: FakeClock
  let told: string[]
  let notices: ReturnType<typeof outageNotices>
  const away = () => notices.onOutage(new Error('connect\x1b[31m ECONNREFUSED'))

  beforeEach(() => {
    clock = new FakeClock()
    told = []
    notices = outageNotices(clock, (message) => told.push(message))
  })

  it('reports an outage once, however often calls fail, and its end once', () => {
    for (let tries = 0; tries < 100; tries++) {
      away()
      clock.advance(5_000)
    }
    expect(told).toEqual(['Redis is away (connect [31m ECONNREFUSED); waiting for it'])
    notices.onBack()
    notices.onBack()
    expect(told.slice(1)).toEqual(['Redis is back'])
  })

  it('says how to free memory when Redis is full', () => {
    notices.onOutage(new Error("OOM command not allowed when used memory > 'maxmemory'."))
    expect(told).toEqual([expect.stringMatching(/^the memory of Redis is full \(OOM .*raise its maxmemory$/)])
    notices.onBack()
    expect(told[1]).toBe('Redis has room again')
  })

  it('reports an outage that follows soon only if it lasts', () => {
    away()
    notices.onBack()
    clock.advance(10_000)
    away()
    notices.onBack()
    expect(told).toHaveLength(2)
    away()
    clock.advance(20_000)
    away()
    expect(told).toHaveLength(3)
  })
})
