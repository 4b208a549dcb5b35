import { expect, it } from 'vitest'
import { LeapClock, quiet } from '../../testing/leap-clock.ts'
import { nextSecond } from './next-second.ts'

it('waits a second', async () => {
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

it('waits no longer than the signal, and leaves no timer', async () => {
  const clock = new LeapClock()
  const enough = new AbortController()
  const waiting = nextSecond(clock, enough.signal)
  expect(clock.timers).toBe(1)
  enough.abort()
  await waiting
  await nextSecond(clock, enough.signal)
  expect(clock.timers).toBe(0)
})
