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

/** Processes requests one after the other; every fetch returns a page. Returns the URLs that were fetched. */
async function processAll(options: HostPageLimitOptions, requests: readonly LeasedRequest[]) {
  const fetched: string[] = []
  const stats = new StatsCounter()
  const process = async ({ id }: LeasedRequest): Promise<Settlement> => {
    fetched.push(id)
    return {
      ...{ id, end: { kind: 'done' }, requests: [], items: [], rejected: [] },
      fetch: { status: 'fetch_success' },
    } as unknown as Settlement
  }
  const limit = new HostPageLimit(new FakeClock(), { process }, stats, options)
  const settlements: Settlement[] = []
  for (const request of requests) settlements.push(await limit.process(request))
  return { fetched, skipped: stats.snapshot(0).skipped, settlements }
}

it('fetches at most maxPagesPerHost pages of a host, including those of earlier runs', async () => {
  const urls = ['http://a.test/1', 'http://a.test/2', 'http://b.test/1', 'http://b.test/2']
  const { fetched, skipped, settlements } = await processAll(
    { maxPagesPerHost: 2, hostPages: [['b.test', 1]] },
    [...urls, 'http://a.test/3'].map((url) => leased(url)),
  )
  expect(fetched).toEqual(['http://a.test/1', 'http://a.test/2', 'http://b.test/1'])
  expect(skipped).toEqual({ 'limits.maxPagesPerHost': 2 })
  expect(settlements.at(-1)).toMatchObject({
    end: { kind: 'done' },
    fetch: {
      status: 'not_reached',
      metadata: { outcome: 'limits.maxPagesPerHost: the host has its 2 pages' },
    },
    dropped: { 'limits.maxPagesPerHost': 1 },
  })
})

it('does not count sitemaps', async () => {
  const { fetched } = await processAll({ maxPagesPerHost: 1 }, [
    leased('http://a.test/sitemap.xml', SITEMAP_HANDLER),
    leased('http://a.test/1'),
  ])
  expect(fetched).toHaveLength(2)
})

it('fetches all pages without a limit', async () => {
  const { fetched } = await processAll({}, [leased('http://a.test/1'), leased('http://a.test/2')])
  expect(fetched).toHaveLength(2)
})
