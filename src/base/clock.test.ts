import { afterEach, describe, expect, it, vi } from 'vitest'
import { LeapClock, quiet } from '../../testing/leap-clock.ts'
import { nextSecond, steadyClock, wallClock } from './clock.ts'

it('starts the steady clock at the time of day', () => {
  expect(Math.abs(steadyClock.now() - wallClock.now())).toBeLessThan(60_000)
})

it('does not call a cancelled timer', async () => {
  let calls = 0
  const cancel = wallClock.after(0, () => calls++)
  cancel()
  await new Promise<void>((resolve) => wallClock.after(1, resolve))
  expect(calls).toBe(0)
})

afterEach(() => {
  vi.useRealTimers()
})

it('waits longer than the longest timer of Node.js', () => {
  vi.useFakeTimers()
  const day = 86_400_000
  let calls = 0
  wallClock.after(60 * day, () => calls++)
  const cancel = wallClock.after(60 * day, () => calls++)
  vi.advanceTimersByTime(50 * day)
  cancel()
  vi.advanceTimersByTime(10 * day - 1)
  expect(calls).toBe(0)
  vi.advanceTimersByTime(1)
  expect(calls).toBe(1)
})

describe('nextSecond', () => {
  it('waits one second', async () => {
    const clock = new LeapClock()
    let isOver = false
    const waiting = nextSecond(clock, new AbortController().signal).then(() => {
      isOver = true
    })
    clock.advance(999)
    await quiet()
    expect(isOver).toBe(false)
    clock.advance(1)
    await waiting
  })

  it('stops waiting when the signal is aborted, and leaves no timer', async () => {
    const clock = new LeapClock()
    const abort = new AbortController()
    const waiting = nextSecond(clock, abort.signal)
    expect(clock.timers).toBe(1)
    abort.abort()
    await waiting
    await nextSecond(clock, abort.signal)
    expect(clock.timers).toBe(0)
  })
})
