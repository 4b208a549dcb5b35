import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { FakeClock } from '../../../testing/fake-clock.ts'
import type { RedisServer } from '../../../testing/redis-server.ts'
import { useRedis } from '../../../testing/use-redis.ts'
import type { RobotsRecord } from '../../domain/robots/robots-record.ts'
import { jobKeys } from './keys.ts'
import type { RedisConnection } from './redis-connection.ts'
import { RedisRobotsStore, readRobots } from './redis-robots-store.ts'

const ORIGIN = 'http://a.test:8080'
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

function store(): RedisRobotsStore {
  return new RedisRobotsStore(connection, [jobKeys('shop', connection.isCluster)], clock)
}

function file(octets: string): RobotsRecord {
  const times = { checkedAt: clock.now(), freshUntil: clock.now() + 3_600_000 }
  const copy = { kind: 'file', octets, cut: false, url: `${ORIGIN}/robots.txt`, validators: { etag: '"x"' } }
  return { origin: ORIGIN, finding: { ...times, ...copy, kind: 'file' } }
}

describe('RedisRobotsStore', () => {
  it('gives one process the record of another', async () => {
    const record = file('User-agent: *\nDisallow: /\xe9')
    await store().put(record)
    expect(await store().get(ORIGIN)).toEqual(record)
    expect(await store().get('http://b.test')).toBeUndefined()
  })

  it('expires in Redis a day after its freshness ends', async () => {
    await store().put(file('x'))
    const leftMs = Number(await server.command('pttl', `orbweaver:{shop}:robots:${ORIGIN}`))
    expect(leftMs).toBeGreaterThan(24 * 3_600_000)
    expect(leftMs).toBeLessThanOrEqual(25 * 3_600_000)
  })

  it('does not store a very long file', async () => {
    const one = store()
    const record = file('x'.repeat(100_000))
    await one.put(record)
    expect(await one.get(ORIGIN)).toEqual(record)
    expect(await store().get(ORIGIN)).toBeUndefined()
  })

  it('uses the newer record of another process when its own is old', async () => {
    const one = store()
    await one.put(file('old'))
    clock.advance(2 * 3_600_000)
    const newer = file('new')
    await store().put(newer)
    expect(await one.get(ORIGIN)).toEqual(newer)
  })

  it.each([
    ['no JSON', '{'],
    ['of another origin', JSON.stringify({ ...storedFile(), origin: 'http://evil.test' })],
    ['without a finding', JSON.stringify({ origin: ORIGIN })],
    [
      'with an invalid time',
      JSON.stringify({
        origin: ORIGIN,
        finding: { kind: 'unavailable', reason: 'x', checkedAt: 0, freshUntil: 'soon' },
      }),
    ],
    ['with an outage that is none', JSON.stringify({ origin: ORIGIN, outage: { reason: 'x' } })],
  ])('does not believe a record that is %s', (_, json) => {
    expect(readRobots(ORIGIN, json, clock.now())).toBeUndefined()
  })

  it('is fetched again within a day, whatever time was stored', () => {
    const times = { checkedAt: 1, freshUntil: 1e300 }
    const outage = { reason: 'x', since: 1, failures: 1e300, retryAt: 1e300 }
    const later = clock.now() + 24 * 3_600_000
    const read = (record: object) =>
      readRobots(ORIGIN, JSON.stringify({ origin: ORIGIN, ...record }), clock.now())
    expect(read({ outage })).toMatchObject({ outage: { retryAt: later, failures: 1_000 } })
    expect(read({ finding: { kind: 'denied', reason: '403', ...times } })).toMatchObject({
      finding: { freshUntil: later },
    })
  })

  it('reads records of every kind', () => {
    const times = { checkedAt: 1, freshUntil: 2 }
    const outage = { reason: 'x', since: 1, failures: 2, retryAt: 3 }
    const { finding } = storedFile()
    for (const record of [
      { origin: ORIGIN, finding: { kind: 'unavailable', reason: '404', ...times } },
      { origin: ORIGIN, finding: { kind: 'denied', reason: '403', ...times } },
      { origin: ORIGIN, outage },
      { origin: ORIGIN, finding, outage },
    ])
      expect(readRobots(ORIGIN, JSON.stringify(record), clock.now())).toEqual(record)
  })
})

function storedFile() {
  const copy = { kind: 'file', octets: 'x', cut: false, url: `${ORIGIN}/robots.txt`, validators: {} }
  return { origin: ORIGIN, finding: { ...copy, checkedAt: 1, freshUntil: 2 } }
}
