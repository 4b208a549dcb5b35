import { expect, it } from 'vitest'
import { FakeClock } from '../../../testing/fake-clock.ts'
import { AssetCache, freshMsOf } from './asset-cache.ts'
import type { FetchOutcome } from './fetch-outcome.ts'

function script(control?: string, length = 10): FetchOutcome {
  const headers = control === undefined ? [] : [['cache-control', control] as const]
  const response = { status: 200, headers, requestHeaders: [], address: '', protocol: 'h2' }
  const body = { bytes: new Uint8Array(length), wireBytes: length, decoded: [] }
  return { kind: 'success', url: 'http://a.test/a.js', timings: { startedAt: 0, totalMs: 0 }, response, body }
}

it.each([
  [undefined, 600_000],
  ['max-age=60', 60_000],
  ['public, MAX-AGE="5"', 5_000],
  ['max-age=0', 0],
  ['no-store', 0],
  ['no-cache, max-age=60', 0],
])('uses a response with Cache-Control %s again for %i ms', (control, ms) => {
  expect(freshMsOf(script(control))).toBe(ms)
})

it('fetches an asset once while it is fresh, for concurrent pages, too', async () => {
  const clock = new FakeClock()
  const cache = new AssetCache(clock)
  let fetches = 0
  const get = () =>
    cache.get('a', async () => {
      fetches++
      return script('max-age=60')
    })
  await Promise.all([get(), get(), get()])
  expect(fetches).toBe(1)
  expect((await get()).isCached).toBe(true)
  clock.advance(60_000)
  expect((await get()).isCached).toBe(false)
  expect(fetches).toBe(2)
})

it('keeps no failures', async () => {
  const cache = new AssetCache(new FakeClock())
  await cache.get('a', async () => undefined)
  await expect(cache.get('a', () => Promise.reject(new Error('broken')))).rejects.toThrow('broken')
  expect((await cache.get('a', async () => script())).isCached).toBe(false)
})

it('stays within its size', async () => {
  const cache = new AssetCache(new FakeClock(), 100)
  for (let i = 0; i < 20; i++) await cache.get(String(i), async () => script(undefined, 30))
  expect(cache.bytes).toBe(90)
  expect((await cache.get('19', async () => script())).isCached).toBe(true)
  expect((await cache.get('0', async () => script())).isCached).toBe(false)
})
