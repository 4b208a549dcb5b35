import { beforeEach, describe, expect, it } from 'vitest'
import { FakeClock } from '../../../testing/fake-clock.ts'
import { RecordingLog } from '../../../testing/recording-log.ts'
import { outageNotices } from './outage.ts'

describe('outageNotices', () => {
  let clock: FakeClock
  let log: RecordingLog
  let notices: ReturnType<typeof outageNotices>
  const away = () => notices.onOutage(new Error('connect\x1b[31m ECONNREFUSED'))

  beforeEach(() => {
    clock = new FakeClock()
    log = new RecordingLog()
    notices = outageNotices(clock, log)
  })

  it('reports an outage once, however often calls fail, and its end once', () => {
    for (let tries = 0; tries < 100; tries++) {
      away()
      clock.advance(5_000)
    }
    expect(log.messages).toEqual(['Redis is away (connect [31m ECONNREFUSED); waiting for it'])
    notices.onBack()
    notices.onBack()
    expect(log.messages.slice(1)).toEqual(['Redis is back'])
  })

  it('says how to free memory when Redis is full', () => {
    notices.onOutage(new Error("OOM command not allowed when used memory > 'maxmemory'."))
    expect(log.messages).toEqual([
      expect.stringMatching(/^the memory of Redis is full \(OOM .*raise its maxmemory$/),
    ])
    notices.onBack()
    expect(log.messages[1]).toBe('Redis has room again')
  })

  it('reports an outage that follows soon only if it lasts', () => {
    away()
    notices.onBack()
    clock.advance(10_000)
    away()
    notices.onBack()
    expect(log.messages).toHaveLength(2)
    away()
    clock.advance(20_000)
    away()
    expect(log.messages).toHaveLength(3)
  })
})
