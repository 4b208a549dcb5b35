import { expect, it } from 'vitest'
import { FakeClock } from '../../../testing/fake-clock.ts'
import type { FetchOutcome } from '../fetch/fetch-outcome.ts'
import { CrawlMonitor } from './crawl-monitor.ts'
import { MonitoredCrawl, type MonitoredCrawlParts } from './monitored-crawl.ts'
import type { ReportSource } from './report-source.ts'

const RESET: FetchOutcome = {
  ...{ kind: 'network-failure', cause: 'reset', detail: 'closed' },
  ...{ url: '', timings: { startedAt: 0, totalMs: 5 } },
}

/** Seconds left of a crawl that has sent one request per second for a minute, and has 1,000 URLs that are due. */
async function etaSeconds(parts: Partial<MonitoredCrawlParts>): Promise<number | undefined> {
  const clock = new FakeClock()
  const monitor = new CrawlMonitor(clock)
  monitor.start()
  monitor.attach({ pages: 60, retries: 0 } as unknown as ReportSource)
  for (let i = 0; i < 60; i++) {
    const sent = { url: 'http://a.test/', key: 'a.test', queuedAt: 0, startedAt: 0 }
    monitor.sent({ ...sent, purpose: 'page' })
    monitor.ended({ ...sent, purpose: 'page' }, RESET)
    await clock.advance(1_000)
  }
  const crawl = new MonitoredCrawl({
    identity: { kind: 'cycle', name: 'crawl', command: 'crawl', pid: 1 },
    monitor,
    now: () => clock.now(),
    state: () => 'running',
    details: () => ({ due: 1_000, rounds: [] }),
    actions: () => ({}),
    ...parts,
  })
  return (await crawl.report()).etaSeconds
}

it('estimates the time until the queue is empty', async () => {
  const eta = (await etaSeconds({})) ?? 0
  expect(eta).toBeGreaterThan(950)
  expect(eta).toBeLessThan(1_050)
})

it('estimates the time until the run has all the pages it may fetch', async () => {
  const eta = (await etaSeconds({ maxPages: 100 })) ?? 0
  expect(eta).toBeGreaterThan(35)
  expect(eta).toBeLessThan(45)
  expect(await etaSeconds({ maxPages: 60 })).toBe(0)
})

it('estimates no time for a paused crawl', async () => {
  expect(await etaSeconds({ state: () => 'paused' })).toBeUndefined()
})
