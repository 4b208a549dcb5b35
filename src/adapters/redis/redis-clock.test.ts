import { setImmediate as soon } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { FakeClock } from '../../../testing/fake-clock.ts'
import { jobKeys } from './keys.ts'
import { RedisClock } from './redis-clock.ts'
import type { RedisConnection } from './redis-connection.ts'

/** How far the server's clock is ahead of ours (ms). */
const AHEAD = 1_000_000

/** A server that is reached after as long as `waits` says, one call after the other, and then at once. */
function serverOf(base: FakeClock, waits: number[], onReply = (): void => {}): RedisConnection {
  return {
    isCluster: false,
    async run() {
      const wait = waits.shift() ?? 0
      base.advance(wait)
      const now = base.now() + AHEAD
      onReply()
      return [String(now), 'noeviction']
    },
    close() {},
  }
}

it('shows the time of the server, by the quickest of its replies', async () => {
  const base = new FakeClock()
  const clock = new RedisClock(base, serverOf(base, [500, 0, 300]), jobKeys('books', false), base)
  await clock.sync()
  expect(clock.now()).toBe(base.now() + AHEAD)
})

it('is not ahead for a moment after Redis was away, as it could not go back', async () => {
  const base = new FakeClock()
  const waits: number[] = []
  const seen: number[] = []
  const look = () => seen.push(clock.now() - base.now())
  const clock = new RedisClock(base, serverOf(base, waits, look), jobKeys('books', false), base)
  await clock.sync()
  seen.length = 0
  waits.push(600_000)
  await clock.sync()
  expect(new Set(seen)).toEqual(new Set([AHEAD]))
  expect(clock.now()).toBe(base.now() + AHEAD)
})

it('keeps an exact time when a later reply is slow, unless the reply contradicts it', async () => {
  const base = new FakeClock()
  const waits: number[] = []
  let stepMs = 0
  const server = serverOf(base, waits)
  const stepping: RedisConnection = {
    ...server,
    run: async (...args) => {
      const [now, policy] = (await server.run(...args)) as string[]
      return [String(Number(now) + stepMs), policy]
    },
  }
  const clock = new RedisClock(base, stepping, jobKeys('books', false), base)
  await clock.sync()
  waits.push(10, 10, 10, 10, 10)
  await clock.sync()
  expect(clock.now()).toBe(base.now() + AHEAD)
  stepMs = 50
  waits.push(10, 10, 10, 10, 10)
  await clock.sync()
  expect(clock.now() - base.now() - AHEAD).toBeGreaterThanOrEqual(45)
})

it('reads the time of Redis again after the machine was suspended', async () => {
  const base = new FakeClock()
  const wall = new FakeClock()
  let suspendedMs = 0
  const server: RedisConnection = {
    isCluster: false,
    run: async () => [String(base.now() + suspendedMs), 'noeviction'],
    close() {},
  }
  const clock = new RedisClock(base, server, jobKeys('books', false), wall)
  await clock.sync()
  suspendedMs = 600_000
  wall.advance(500)
  expect(clock.now()).toBe(base.now())
  wall.advance(599_500)
  clock.now()
  await soon()
  expect(clock.now()).toBe(base.now() + suspendedMs)
})
