import { beforeEach, expect, it } from 'vitest'
import { FakeClock } from '../../../testing/fake-clock.ts'
import { DnsCache } from './dns-cache.ts'
import type { Resolution } from './resolve.ts'

const FOUND: Resolution = { ok: true, addresses: [{ address: '192.0.2.1', family: 4 }], ttlMs: 60_000 }

let clock: FakeClock
let queried: string[]
let response: Resolution | Promise<Resolution>
let cache: DnsCache

function responseFor(host: string): Promise<Resolution> {
  queried.push(host)
  return Promise.resolve(response)
}

beforeEach(() => {
  clock = new FakeClock()
  queried = []
  response = FOUND
  cache = new DnsCache(responseFor, clock, { maxEntries: 3 })
})

it('queries once and remembers for the time to live', async () => {
  expect(cache.peek('a.test')).toBeUndefined()
  expect(await cache.resolve('a.test')).toBe(FOUND)
  clock.advance(59_999)
  expect(cache.peek('a.test')).toBe(FOUND)
  clock.advance(1)
  expect(cache.peek('a.test')).toBeUndefined()
  await cache.resolve('a.test')
  expect(queried).toEqual(['a.test', 'a.test'])
})

it('queries once for concurrent lookups', async () => {
  await Promise.all([cache.resolve('a.test'), cache.resolve('a.test'), cache.resolve('a.test')])
  expect(queried).toEqual(['a.test'])
})

it.each<[string, Resolution, number]>([
  ['a time to live of 0', { ...FOUND, ttlMs: 0 }, 10_000],
  ['a time to live of a year', { ...FOUND, ttlMs: 31_536_000_000 }, 3_600_000],
  ['no time to live', { ok: true, addresses: FOUND.addresses }, 60_000],
  ['a name that does not exist', { ok: false, reason: 'not-found', detail: 'ENOTFOUND' }, 300_000],
  ['a server that fails', { ok: false, reason: 'failed', detail: 'ESERVFAIL' }, 10_000],
])('bounds how long it remembers: %s', async (_, resolution, keptMs) => {
  response = resolution
  await cache.resolve('a.test')
  clock.advance(keptMs - 1)
  expect(cache.peek('a.test')).toEqual(resolution)
  clock.advance(1)
  expect(cache.peek('a.test')).toBeUndefined()
})

it('gives up on a resolver that never responds', async () => {
  response = new Promise(() => {})
  const resolution = cache.resolve('a.test')
  clock.advance(10_000)
  expect(await resolution).toMatchObject({ ok: false, reason: 'failed' })
})

it('takes a resolver that throws for one that failed', async () => {
  response = Promise.reject(new Error('broken'))
  expect(await cache.resolve('a.test')).toEqual({ ok: false, reason: 'failed', detail: 'Error: broken' })
})

it('keeps the first sixteen of a thousand addresses', async () => {
  const addresses = Array.from({ length: 1_000 }, (_, i) => ({
    address: `192.0.2.${i % 256}`,
    family: 4 as const,
  }))
  response = { ok: true, addresses }
  expect(await cache.resolve('a.test')).toMatchObject({ addresses: addresses.slice(0, 16) })
})

it('holds no more names than it was told', async () => {
  for (const host of ['a', 'b', 'c', 'd']) await cache.resolve(host)
  expect(cache.peek('a')).toBeUndefined()
  expect(cache.peek('d')).toBe(FOUND)
})
