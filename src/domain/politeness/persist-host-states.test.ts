import { beforeEach, expect, it } from 'vitest'
import { FakeClock } from '../../../testing/fake-clock.ts'
import { MemorySegments } from '../../../testing/memory-segments.ts'
import { runClock } from '../../../testing/run-clock.ts'
import { type Script, ScriptedFetcher } from '../../../testing/scripted-fetcher.ts'
import { testRules } from '../../../testing/test-rules.ts'
import { fetchSegment } from '../../flows/cycle/fetch-segment.ts'
import { RobotsCache } from '../robots/robots-cache.ts'
import type { HostState } from './host-throttle.ts'
import type { HostStateStore, StoredHostStates } from './persist-host-states.ts'
import { persistHostStates } from './persist-host-states.ts'

/** A store that several simulated processes share. */
class TestStore implements HostStateStore {
  stored: StoredHostStates | undefined

  async load(): Promise<StoredHostStates | undefined> {
    return this.stored
  }

  async save(stored: StoredHostStates): Promise<void> {
    this.stored = stored
  }
}

const DELAY_MS = 1_000
const PAGES = ['http://a.test/1', 'http://a.test/2']
let clock: FakeClock
let segments: MemorySegments
let store: TestStore

beforeEach(() => {
  clock = new FakeClock()
  segments = new MemorySegments()
  store = new TestStore()
})

/** One process from start to end. Returns the time of each request. */
async function fetchAll(
  name: string,
  urls: readonly string[],
  scripts: Readonly<Record<string, Script | string>> = {},
) {
  const fetcher = new ScriptedFetcher(clock, scripts)
  const rules = testRules(clock)
  const parts = { clock, fetcher, rules, robots: new RobotsCache(clock, 'testbot'), hostStateStore: store }
  segments.generate(name, urls)
  await runClock(clock, fetchSegment(segments, name, parts, { politeness: { delayMs: DELAY_MS } }))
  return fetcher.judge.hits.map(({ path, start }) => ({ path, at: start }))
}

it('keeps the delay of a host across processes', async () => {
  const first = await fetchAll('s1', PAGES.slice(0, 1))
  const end = clock.now()
  const second = await fetchAll('s2', PAGES.slice(1))
  const lastOfFirst = first.at(-1)?.at ?? 0
  expect(end - lastOfFirst).toBeLessThan(DELAY_MS)
  expect((second[0]?.at ?? 0) - lastOfFirst).toBeGreaterThanOrEqual(DELAY_MS)
  expect(store.stored).toMatchObject({ ended: true })
})

it('keeps the delay of a Retry-After header', async () => {
  await fetchAll('s1', PAGES.slice(0, 1), { [PAGES[0] ?? '']: { status: 503, retryAfterMs: 60_000 } })
  const end = clock.now()
  const second = await fetchAll('s2', PAGES.slice(1))
  expect((second[0]?.at ?? 0) - end).toBeGreaterThan(50_000)
})

it('delays every host that a killed process may have requested', async () => {
  store.stored = {
    states: [{ key: 'a.test', readyAt: 0, failures: 0, crawlDelayMs: 20_000, latencyMs: 0 }],
    savedAt: clock.now() - 1_000,
    ended: false,
  }
  const start = clock.now()
  const hits = await fetchAll('s1', [...PAGES, 'http://b.test/'])
  const firstOf = (path: string) => (hits.find((hit) => hit.path === path)?.at ?? 0) - start
  // a.test: up to five seconds after the save, then its Crawl-delay. b.test is not in the store: the usual delay.
  expect(firstOf('/1')).toBeGreaterThanOrEqual(-1_000 + 5_000 + 20_000)
  expect(firstOf('/')).toBeGreaterThanOrEqual(DELAY_MS)
})

it('does not lengthen the delay of a host with each of many kills', async () => {
  const endedAt = clock.now()
  store.stored = {
    states: [
      { key: 'a.test', endedAt, readyAt: endedAt + 2_000, failures: 0, crawlDelayMs: 0, latencyMs: 0 },
    ],
    savedAt: endedAt,
    ended: false,
  }
  let states: HostState[] = []
  const source = {
    hostStates: () => states,
    delayChanges: 0,
    restoreHosts: (restored: Iterable<HostState>) => {
      states = [...restored]
    },
  }
  for (let kill = 0; kill < 10; kill++) {
    // A killed process: `work` never ends, and only the state saved at the start is stored.
    void persistHostStates(source, store, clock, DELAY_MS, () => new Promise(() => {}))
    await clock.advance(10_000)
    expect((states[0]?.readyAt ?? 0) - clock.now()).toBeLessThanOrEqual(7_000)
  }
})

it('stores from the start that the process has not ended', async () => {
  segments.generate('s', PAGES)
  const fetcher = new ScriptedFetcher(clock, {})
  const parts = {
    clock,
    fetcher,
    rules: testRules(clock),
    robots: new RobotsCache(clock, 'testbot'),
    hostStateStore: store,
  }
  const running = fetchSegment(segments, 's', parts, { politeness: { delayMs: DELAY_MS } })
  await new Promise<void>((resolve) => setImmediate(resolve))
  expect(store.stored).toMatchObject({ ended: false })
  await runClock(clock, running)
})

it('saves at once when a host requests a different delay', async () => {
  const source = { delayChanges: 0, hostStates: () => [], restoreHosts: () => {} }
  const saves: number[] = []
  store.save = async ({ savedAt }) => void saves.push(savedAt - start)
  const start = clock.now()
  const work = new Promise<void>((resolve) => {
    clock.after(1_050, () => source.delayChanges++)
    clock.after(3_000, resolve)
  })
  await runClock(
    clock,
    persistHostStates(source, store, clock, DELAY_MS, () => work),
  )
  expect(saves).toEqual([0, 1_100, 3_000])
})
