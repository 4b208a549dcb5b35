import { join } from 'node:path'
import { afterEach, expect, it } from 'vitest'
import { type SyntheticWeb, startSyntheticWeb } from '../../testing/synthetic-web.ts'
import { grown } from '../fleet/grown.ts'
import { expectedRequests, violationsOf } from '../spider/web-spider.ts'
import { ClusterCrawl } from './cluster-crawl.ts'

/** About five times the usual duration: the machine may be busy. */
const TIMEOUT_MS = 400_000

let crawl: ClusterCrawl | undefined
let web: SyntheticWeb | undefined

afterEach(async () => {
  await crawl?.stop()
  await web?.close()
})

it(
  'crawls all pages and keeps the delays, while primaries are killed, shards are moved and workers are killed',
  async () => {
    web = await startSyntheticWeb({ hosts: 36, pages: 900 })
    const fetched = new Set<string>()
    web.hold = (url) => void (url.endsWith('/robots.txt') || fetched.add(url))
    const expected = expectedRequests(web)
    const share = (part: number) => grown(fetched, expected.requested.length * part)
    const module = join(import.meta.dirname, '../spider/web-spider.ts')
    crawl = await ClusterCrawl.start('web', { module, make: 'webSpider' }, web.seeds)
    crawl.addWorkers(3)

    await share(0.15)
    const killed = await crawl.killPrimaryOf(0)
    await share(0.35)
    await crawl.moveShard(1)
    await crawl.moveShard(5)
    await share(0.5)
    await crawl.replaceWorker()
    await killed.restart()
    await share(0.65)
    // The home shard moves, too.
    await crawl.moveShard(0)
    await share(0.8)
    await crawl.killPrimaryOf(4)

    for (const { exitCode, stderr } of await crawl.ended()) expect([0, 1], stderr).toContain(exitCode)
    const repeats = web.requested.filter(({ url }) => fetched.has(url)).length - fetched.size
    process.stdout.write(`${fetched.size} pages, of which ${repeats} were fetched again\n`)
    expect(violationsOf(web, Number.POSITIVE_INFINITY)).toEqual([])
    expect(await crawl.items()).toEqual(expected.items)
    expect(await crawl.failures()).toEqual(expected.failed)
    const status = JSON.parse(await crawl.command('status', '--json')) as Record<string, unknown>
    expect(status).toMatchObject({ shards: 8, counts: { waiting: 0, delayed: 0, leased: 0 } })
  },
  TIMEOUT_MS,
)
