import { expect, it } from 'vitest'
import { FakeClock } from '../../../testing/fake-clock.ts'
import { cachedFor } from './cached-for.ts'

it('works out once what many ask for, until it is too old', async () => {
  const clock = new FakeClock()
  let loads = 0
  const shared = cachedFor(clock, 1000, async () => ++loads)
  expect(await Promise.all([shared(), shared()])).toEqual([1, 1])
  clock.advance(999)
  expect(await shared()).toBe(1)
  clock.advance(1)
  expect(await shared()).toBe(2)
})

it('counts the time from when it was worked out, however long that took', async () => {
  const clock = new FakeClock()
  const done = Promise.withResolvers<string>()
  const shared = cachedFor(clock, 1000, () => done.promise)
  const first = shared()
  clock.advance(60_000)
  expect(shared()).toBe(first)
  done.resolve('slow')
  expect(await first).toBe('slow')
  expect(shared()).toBe(first)
})

it('does not keep a failure', async () => {
  let loads = 0
  const shared = cachedFor(new FakeClock(), 1000, async () => {
    if (++loads === 1) throw new Error('not now')
    return loads
  })
  await expect(shared()).rejects.toThrow('not now')
  expect(await shared()).toBe(2)
})
