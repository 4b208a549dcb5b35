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

/** A memory that outlives processes. */
class TestMemory implements HostStateStore {
  kept: StoredHostStates | undefined

  async load(): Promise<StoredHostStates | undefined> {
    return this.kept
  }

  async save(memories: StoredHostStates): Promise<void> {
    this.kept = memories
  }
}

const DELAY_MS = 1_000
const PAGES = ['http://a.test/1', 'http://a.test/2']
let clock: FakeClock
let segments: MemorySegments
let memory: TestMemory

beforeEach(() => {
  clock = new FakeClock()
  segments = new MemorySegments()
  memory = new TestMemory()
})

/** One process from its start to its end. Returns when it asked for what, as the clock had it. */
async function fetchAll(
  name: string,
  urls: readonly string[],
  scripts: Readonly<Record<string, Script | string>> = {},
) {
  const fetcher = new ScriptedFetcher(clock, scripts)
  const rules = testRules(clock)
  const parts = { clock, fetcher, rules, robots: new RobotsCache(clock, 'testbot'), hostStateStore: memory }
  segments.generate(name, urls)
  await runClock(clock, fetchSegment(segments, name, parts, { politeness: { delayMs: DELAY_MS } }))
  return fetcher.judge.hits.map(({ path, start }) => ({ path, at: start }))
}

it('makes a host rest over the end of a process', async () => {
  const first = await fetchAll('s1', PAGES.slice(0, 1))
  const end = clock.now()
  const second = await fetchAll('s2', PAGES.slice(1))
  const lastOfFirst = first.at(-1)?.at ?? 0
  expect(end - lastOfFirst).toBeLessThan(DELAY_MS)
  expect((second[0]?.at ?? 0) - lastOfFirst).toBeGreaterThanOrEqual(DELAY_MS)
  expect(memory.kept).toMatchObject({ ended: true })
})

it('keeps what a host asked for with Retry-After', async () => {
  await fetchAll('s1', PAGES.slice(0, 1), { [PAGES[0] ?? '']: { status: 503, retryAfterMs: 60_000 } })
  const end = clock.now()
  const second = await fetchAll('s2', PAGES.slice(1))
  expect((second[0]?.at ?? 0) - end).toBeGreaterThan(50_000)
})

it('lets every host rest that a killed process may have asked', async () => {
  memory.kept = {
    states: [{ key: 'a.test', readyAt: 0, failures: 0, crawlDelayMs: 20_000, latencyMs: 0 }],
    savedAt: clock.now() - 1_000,
    ended: false,
  }
  const start = clock.now()
  const hits = await fetchAll('s1', [...PAGES, 'http://b.test/'])
  const firstOf = (path: string) => (hits.find((hit) => hit.path === path)?.at ?? 0) - start
  // At most five seconds after the save, then its Crawl-delay; one that nobody knew of, the usual delay.
  expect(firstOf('/1')).toBeGreaterThanOrEqual(-1_000 + 5_000 + 20_000)
  expect(firstOf('/')).toBeGreaterThanOrEqual(DELAY_MS)
})

it('waits no longer for a host after each of many kills', async () => {
  const endedAt = clock.now()
  memory.kept = {
    states: [
      { key: 'a.test', endedAt, readyAt: endedAt + 2_000, failures: 0, crawlDelayMs: 0, latencyMs: 0 },
    ],
    savedAt: endedAt,
    ended: false,
  }
  let states: HostState[] = []
  const asker = {
    hostStates: () => states,
    delayChanges: 0,
    restoreHosts: (restored: Iterable<HostState>) => {
      states = [...restored]
    },
  }
  for (let kill = 0; kill < 10; kill++) {
    // Killed: `work` never ends, and what it saved at the start is all that is left.
    void persistHostStates(asker, memory, clock, DELAY_MS, () => new Promise(() => {}))
    await clock.advance(10_000)
    expect((states[0]?.readyAt ?? 0) - clock.now()).toBeLessThanOrEqual(7_000)
  }
})

it('says from the beginning that it is at work', async () => {
  segments.generate('s', PAGES)
  const fetcher = new ScriptedFetcher(clock, {})
  const parts = {
    clock,
    fetcher,
    rules: testRules(clock),
    robots: new RobotsCache(clock, 'testbot'),
    hostStateStore: memory,
  }
  const running = fetchSegment(segments, 's', parts, { politeness: { delayMs: DELAY_MS } })
  await new Promise<void>((resolve) => setImmediate(resolve))
  expect(memory.kept).toMatchObject({ ended: false })
  await runClock(clock, running)
})

it('saves at once when a host asks for another rest', async () => {
  const asker = { delayChanges: 0, hostStates: () => [], restoreHosts: () => {} }
  const saves: number[] = []
  memory.save = async ({ savedAt }) => void saves.push(savedAt - start)
  const start = clock.now()
  const work = new Promise<void>((resolve) => {
    clock.after(1_050, () => asker.delayChanges++)
    clock.after(3_000, resolve)
  })
  await runClock(
    clock,
    persistHostStates(asker, memory, clock, DELAY_MS, () => work),
  )
  expect(saves).toEqual([0, 1_100, 3_000])
})
