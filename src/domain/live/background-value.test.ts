import { expect, it } from 'vitest'
import { FakeClock } from '../../../testing/fake-clock.ts'
import { BackgroundValue } from './background-value.ts'

const settled = () => new Promise((resolve) => setImmediate(resolve))

it('returns the last value at once, and computes an old one again', async () => {
  const clock = new FakeClock()
  let loads = 0
  const value = new BackgroundValue(clock, async () => ++loads)
  expect(value.latest).toBeUndefined()
  await settled()
  expect([value.latest, value.latest]).toEqual([1, 1])
  clock.advance(2_999)
  expect(value.latest).toBe(1)
  clock.advance(1)
  expect(value.latest).toBe(1)
  await settled()
  expect(value.latest).toBe(2)
})

it('computes a slow value rarely', async () => {
  const clock = new FakeClock()
  let loads = 0
  const value = new BackgroundValue(clock, async () => {
    clock.advance(10_000)
    return ++loads
  })
  void value.latest
  await settled()
  clock.advance(999_999)
  void value.latest
  await settled()
  expect(loads).toBe(1)
  clock.advance(1)
  void value.latest
  await settled()
  expect(loads).toBe(2)
})

it('keeps its value after an error, and starts nothing after it was closed', async () => {
  const clock = new FakeClock()
  let loads = 0
  const value = new BackgroundValue(clock, async () => {
    if (++loads === 2) throw new Error('closed')
    return loads
  })
  void value.latest
  await settled()
  clock.advance(3_000)
  void value.latest
  await settled()
  expect(value.latest).toBe(1)
  await value.close()
  clock.advance(3_000)
  expect(value.latest).toBe(1)
  expect(loads).toBe(2)
})
