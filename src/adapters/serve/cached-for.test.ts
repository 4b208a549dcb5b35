import { expect, it } from 'vitest'
import { FakeClock } from '../../../testing/fake-clock.ts'
import { cachedFor } from './cached-for.ts'

it('computes a value once for concurrent callers, until it expires', async () => {
  const clock = new FakeClock()
  let loads = 0
  const shared = cachedFor(clock, 1000, async () => ++loads)
  expect(await Promise.all([shared(), shared()])).toEqual([1, 1])
  clock.advance(999)
  expect(await shared()).toBe(1)
  clock.advance(1)
  expect(await shared()).toBe(2)
})

it('measures the age from the end of the computation', async () => {
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

it('does not cache a failure', async () => {
  let loads = 0
  const shared = cachedFor(new FakeClock(), 1000, async () => {
    if (++loads === 1) throw new Error('not now')
    return loads
  })
  await expect(shared()).rejects.toThrow('not now')
  expect(await shared()).toBe(2)
})
