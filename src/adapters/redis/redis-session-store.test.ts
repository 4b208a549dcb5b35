import { afterEach, beforeEach, expect, it } from 'vitest'
import { FakeClock } from '../../../testing/fake-clock.ts'
import type { RedisServer } from '../../../testing/redis-server.ts'
import { sessionStoreContract } from '../../../testing/session-store-contract.ts'
import { useRedis } from '../../../testing/use-redis.ts'
import type { SessionState } from '../../domain/frontier/session-store.ts'
import { jobKeys } from './keys.ts'
import type { RedisConnection } from './redis-connection.ts'
import { RedisSessionStore } from './redis-session-store.ts'

let server: RedisServer
let connection: RedisConnection
let clock: FakeClock

useRedis((started) => {
  ;({ server, connection } = started)
})
beforeEach(() => {
  clock = new FakeClock()
})
afterEach(() => server.command('flushall'))

const worker = (leaseMs = 60_000) =>
  new RedisSessionStore(connection, jobKeys('shop', connection.isCluster), clock, leaseMs)

sessionStoreContract('RedisSessionStore', async () => ({ store: worker(), reopen: async () => worker() }))

it('gives a session to one worker at a time', async () => {
  const [a, b] = [worker(), worker()]
  const { id } = (await a.take({ max: 1 })) as SessionState
  expect(await b.take({ max: 1 })).toBeUndefined()
  expect(await b.take({ id, max: 1 })).toBeUndefined()
  await a.release([id])
  expect(await b.take({ id, max: 1 })).toMatchObject({ id })
})

it('gives the sessions of a lost worker to others, which keeps it from saving them', async () => {
  const [lost, other] = [worker(1), worker()]
  const session = (await lost.take({ max: 1 })) as SessionState
  await new Promise((resolve) => setTimeout(resolve, 5))
  expect(await other.take({ max: 1 })).toMatchObject({ id: session.id })
  expect(await lost.save([{ ...session, isLoggedIn: true }])).toEqual([session.id])
  await other.release([session.id])
  expect(await other.take({ max: 1 })).toMatchObject({ isLoggedIn: false })
})

it('is certain of its sessions for a part of the lease, and renews it', async () => {
  const store = worker(1_000)
  await store.take({ max: 1 })
  const { heldUntil } = store
  expect(heldUntil).toBe(clock.now() + 750)
  clock.advance(500)
  await store.save([])
  expect(store.heldUntil).toBe(heldUntil + 500)
})

it('ignores a session that another program damaged', async () => {
  const store = worker()
  await server.command('hset', 'orbweaver:{shop}:sessions', 'a', '{"id":"a"}')
  expect(await store.take({ max: 2 })).toBeUndefined()
})
