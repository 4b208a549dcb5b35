import fc from 'fast-check'
import { expect, it } from 'vitest'
import { FakeClock } from '../../../testing/fake-clock.ts'
import { type GivenDelays, limitsFor } from '../../../testing/judge/limits.ts'
import { MemorySegments } from '../../../testing/memory-segments.ts'
import { runClock } from '../../../testing/run-clock.ts'
import { type Script, ScriptedFetcher } from '../../../testing/scripted-fetcher.ts'
import { testRules } from '../../../testing/test-rules.ts'
import { InlineParser } from '../../domain/parse/parse-page.ts'
import { RobotsCache } from '../../domain/robots/robots-cache.ts'
import { MemoryRobotsStore } from '../../domain/robots/robots-record.ts'
import { FetchLoop } from './fetch-loop.ts'
import type { FetchOptions } from './fetch-options.ts'

const HOSTS = 4
const PATHS = 6

const urls = Array.from({ length: HOSTS * PATHS }, (_, i) => `http://h${i % HOSTS}.test/${i}`)
const anyUrl = fc.constantFrom(...urls)

const page: fc.Arbitrary<Script> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ latencyMs: fc.integer({ min: 1, max: 900 }) }) },
  { weight: 4, arbitrary: fc.record({ status: fc.constantFrom(301, 302), to: anyUrl }) },
  { weight: 2, arbitrary: fc.record({ status: fc.constantFrom(404, 500, 403, 'reset' as const) }) },
  {
    weight: 1,
    arbitrary: fc.record({ status: fc.constant(429), retryAfterMs: fc.integer({ min: 0, max: 4_000 }) }),
  },
  { weight: 1, arbitrary: fc.record({ status: fc.constant('hang' as const) }) },
  {
    weight: 1,
    arbitrary: anyUrl.map((to) => ({ body: `<meta http-equiv=refresh content="0;url=${to}">` })),
  },
)
const robots: fc.Arbitrary<Script> = fc.oneof(
  fc.constant({ status: 404 }),
  fc.constant({ body: `User-agent: *\nDisallow: /1` }),
  fc.constant({ body: 'User-agent: *\nCrawl-delay: 2' }),
  fc.constantFrom({ status: 503 }, { status: 'reset' as const }, { status: 'hang' as const }),
  fc.nat(HOSTS - 1).map((host) => ({ status: 302, to: `http://h${host}.test/robots.txt` })),
)
const anyDelays: fc.Arbitrary<GivenDelays> = fc.record(
  {
    delayMs: fc.constantFrom(0, 500),
    minDelayMs: fc.constantFrom(0, 200),
    maxInFlight: fc.integer({ min: 1, max: 3 }),
  },
  { requiredKeys: [] },
)
/** Each end of a run: after how long, and whether by `stop()` or by a crash. */
const ends = fc.array(fc.record({ afterMs: fc.integer({ min: 0, max: 9_000 }), crash: fc.boolean() }), {
  maxLength: 4,
})

it('records exactly one row per listed URL, whatever the servers send and however often it is interrupted', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(page, { minLength: urls.length, maxLength: urls.length }),
      fc.array(robots, { minLength: HOSTS, maxLength: HOSTS }),
      fc.subarray(urls, { minLength: 1 }),
      ends,
      fc.record({
        threads: fc.integer({ min: 1, max: 6 }),
        queueDepth: fc.integer({ min: 1, max: 5 }),
        retries: fc.nat(1),
        redirectMax: fc.nat(3),
      }),
      anyDelays,
      async (pages, robotsFiles, list, interruptions, options, delays) => {
        const clock = new FakeClock()
        const web: Record<string, Script> = {}
        for (const [i, script] of pages.entries()) web[urls[i] ?? ''] = script
        for (const [i, script] of robotsFiles.entries()) web[`http://h${i}.test/robots.txt`] = script
        const fetcher = new ScriptedFetcher(clock, web)
        const segments = new MemorySegments(5)
        segments.generate('s', list)
        // A later process does not know what an earlier one followed; the CrawlDb knows what is on the list.
        const shouldFollow = (url: string) => interruptions.length === 0 || !list.includes(url)
        const run = await crawler(clock, fetcher, segments, { options, delays, shouldFollow })

        for (const end of interruptions) await run(end)
        const result = await run()

        expect(result?.complete).toBe(true)
        const rows = segments.onDisk('s').map(({ fetch }) => fetch)
        for (const url of list)
          expect(
            rows.filter((row) => row.url === url),
            url,
          ).toHaveLength(1)
        for (const row of rows)
          if (row.status !== 'fetch_success') expect(row.reason ?? row.url).not.toBe(row.url)
        // A page that a killed process had fetched is requested again; so is a robots.txt that was aborted.
        expect(
          fetcher.judge.violations({ ...limitsFor(delays), startToleranceMs: 0, maxRepeats: 1_000 }),
        ).toEqual([])
      },
    ),
    { numRuns: 150 },
  )
}, 60_000)

interface End {
  readonly afterMs: number
  readonly crash: boolean
}

/** Runs the fetch step, each time as a new process that knows how the hosts stood. */
async function crawler(
  clock: FakeClock,
  fetcher: ScriptedFetcher,
  segments: MemorySegments,
  {
    options,
    delays,
    shouldFollow,
  }: { options: FetchOptions; delays: GivenDelays; shouldFollow: (url: string) => boolean },
) {
  const rules = testRules(clock)
  const store = new MemoryRobotsStore()
  let hosts: ReturnType<FetchLoop['hostStates']> = []
  return async (end?: End) => {
    const robotsCache = new RobotsCache(clock, 'testbot', { store })
    const parts = {
      clock,
      fetcher,
      robots: robotsCache,
      rules,
      parser: new InlineParser(rules),
      shouldFollow,
    }
    const politeness = { ...delays, backoffMs: 700, maxFailures: 3, parkMs: 20_000 }
    const loop = new FetchLoop(parts, { ...options, politeness, graceMs: 300, hungAfterMs: 5_000 })
    loop.restoreHosts(hosts)
    const appender = await segments.append('s')
    const cancel = clock.after(end?.afterMs ?? 1e9, () => {
      if (end?.crash) segments.kill()
      void loop.stop()
    })
    const result = await runClock(clock, loop.join({ name: 's', entries: segments.remaining('s'), appender }))
    cancel()
    await appender.close()
    hosts = loop.hostStates()
    return result
  }
}
