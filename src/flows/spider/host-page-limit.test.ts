import { expect, it } from 'vitest'
import { FakeClock } from '../../../testing/fake-clock.ts'
import type { LeasedRequest } from '../../domain/frontier/frontier.ts'
import type { Settlement } from '../../domain/frontier/settlement.ts'
import { HostPageLimit, type HostPageLimitOptions } from './host-page-limit.ts'
import { SITEMAP_HANDLER } from './sitemap-start.ts'
import { StatsCounter } from './spider-stats.ts'

const leased = (url: string, handler = ''): LeasedRequest => ({
  id: url,
  request: { url, handler, depth: 0 },
  attempt: 1,
  rank: 0,
})

/** Every visit is a page. Returns what was visited of some URLs, one after the other. */
async function visited(options: HostPageLimitOptions, requests: readonly LeasedRequest[]) {
  const asked: string[] = []
  const stats = new StatsCounter()
  const process = async ({ id }: LeasedRequest): Promise<Settlement> => {
    asked.push(id)
    return {
      ...{ id, end: { kind: 'done' }, requests: [], items: [], rejected: [] },
      visit: { status: 'fetch_success' },
    } as unknown as Settlement
  }
  const limit = new HostPageLimit(new FakeClock(), { process }, stats, options)
  const settlements: Settlement[] = []
  for (const request of requests) settlements.push(await limit.process(request))
  return { asked, skipped: stats.snapshot(0).skipped, settlements }
}

it('visits a host no more often than it may have pages, those of earlier runs counted', async () => {
  const urls = ['http://a.test/1', 'http://a.test/2', 'http://b.test/1', 'http://b.test/2']
  const { asked, skipped, settlements } = await visited(
    { maxPagesPerHost: 2, hostPages: [['b.test', 1]] },
    [...urls, 'http://a.test/3'].map((url) => leased(url)),
  )
  expect(asked).toEqual(['http://a.test/1', 'http://a.test/2', 'http://b.test/1'])
  expect(skipped).toEqual({ 'limits.maxPagesPerHost': 2 })
  expect(settlements.at(-1)).toMatchObject({
    end: { kind: 'done' },
    visit: {
      status: 'not_reached',
      metadata: { outcome: 'limits.maxPagesPerHost: the host has its 2 pages' },
    },
    dropped: { 'limits.maxPagesPerHost': 1 },
  })
})

it('counts no sitemap', async () => {
  const { asked } = await visited({ maxPagesPerHost: 1 }, [
    leased('http://a.test/sitemap.xml', SITEMAP_HANDLER),
    leased('http://a.test/1'),
  ])
  expect(asked).toHaveLength(2)
})

it('visits all without a limit', async () => {
  const { asked } = await visited({}, [leased('http://a.test/1'), leased('http://a.test/2')])
  expect(asked).toHaveLength(2)
})
