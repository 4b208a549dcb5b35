import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { everySecond } from './every-second.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

it('calls every second until it is stopped', () => {
  const tell = vi.fn()
  const stop = everySecond(tell)
  vi.advanceTimersByTime(3_500)
  expect(tell).toHaveBeenCalledTimes(3)
  stop()
  vi.advanceTimersByTime(3_500)
  expect(tell).toHaveBeenCalledTimes(3)
})
