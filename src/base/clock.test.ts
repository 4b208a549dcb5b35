import { expect, it } from 'vitest'
import { steadyClock, wallClock } from './clock.ts'

it('starts the steady clock at the time of day', () => {
  expect(Math.abs(steadyClock.now() - wallClock.now())).toBeLessThan(60_000)
})

it('does not call what was cancelled', async () => {
  let calls = 0
  const cancel = wallClock.after(0, () => calls++)
  cancel()
  await new Promise<void>((resolve) => wallClock.after(1, resolve))
  expect(calls).toBe(0)
})
