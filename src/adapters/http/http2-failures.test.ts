import { expect, it } from 'vitest'
import { Http2Failures } from './http2-failures.ts'

const ORIGIN = 'https://a.test'
const MINUTE = 60_000

it('pauses HTTP/2 for a minute after a failure, and for twice as long after each further one, up to a day', () => {
  const failures = new Http2Failures()
  let now = 1_000
  const pauses = Array.from({ length: 13 }, () => {
    failures.failed(ORIGIN, now)
    const from = now
    while (failures.isPaused(ORIGIN, now)) now += MINUTE
    return (now - from) / MINUTE
  })
  expect(pauses).toEqual([1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 1440, 1440])
})

it('forgets failures when HTTP/2 works', () => {
  const failures = new Http2Failures()
  for (let i = 0; i < 5; i++) failures.failed(ORIGIN, 0)
  failures.succeeded(ORIGIN)
  expect(failures.isPaused(ORIGIN, 0)).toBe(false)
  failures.failed(ORIGIN, 0)
  expect(failures.isPaused(ORIGIN, MINUTE)).toBe(false)
})
