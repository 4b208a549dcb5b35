import { expect, it } from 'vitest'
import { heartbeatOf } from './heartbeat.ts'

it('warns before the lease of a worker ends', () => {
  const worker = { heardAt: 1_000, expiresAt: 31_000 }
  expect(heartbeatOf(worker, 5_000)).toBe('on-time')
  expect(heartbeatOf(worker, 21_000)).toBe('on-time')
  expect(heartbeatOf(worker, 21_001)).toBe('late')
  expect(heartbeatOf(worker, 31_000)).toBe('expired')
})
