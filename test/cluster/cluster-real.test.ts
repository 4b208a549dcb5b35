import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { breadthFirstList } from '../../testing/real-web/breadth-first-list.ts'
import { requireSite, SMALL_REAL_SITES } from '../../testing/real-web/real-sites.ts'
import { requireNginx, type ServedSites, serveRealSites } from '../../testing/real-web/serve-real-sites.ts'
import { ClusterCrawl } from './cluster-crawl.ts'

const SITES = SMALL_REAL_SITES.slice(0, 2)
const isInstalled = requireNginx() && SITES.every(requireSite)
if (!isInstalled) {
  const packages = SITES.flatMap((site) => site.packages)
  process.stderr.write(
    `test/cluster/cluster-real needs Debian packages: nginx-light ${packages.join(' ')}; skipped\n`,
  )
}

/** About five times the usual duration: the machine may be busy. */
const TIMEOUT_MS = 600_000

describe.skipIf(!isInstalled)('a crawl of real documentation sites in a cluster', () => {
  let served: ServedSites
  let crawl: ClusterCrawl | undefined

  beforeAll(async () => {
    served = await serveRealSites(SITES)
  })
  afterAll(async () => {
    await crawl?.stop()
    await served?.close()
  })

  it(
    'finds every page while a primary is killed and a shard is moved',
    async () => {
      const module = join(import.meta.dirname, 'real-spider.ts')
      crawl = await ClusterCrawl.start('sites', { module, make: 'siteSpider' }, served.seeds)
      crawl.addWorkers(2)
      const [, second = ''] = served.seeds
      await settled(crawl, 60)
      await crawl.killPrimaryOf(crawl.shardOf(second))
      await settled(crawl, 250)
      await crawl.moveShard(crawl.shardOf(second))
      for (const { exitCode, stderr } of await crawl.ended()) expect([0, 1], stderr).toContain(exitCode)

      const items = await crawl.items()
      expect(new Set(items).size).toBe(items.length)
      const failures = await crawl.failures()
      const found = new Set(items)
      for (const seed of served.seeds) {
        const listed = [...(await breadthFirstList(seed)).values()]
        const missing = listed.filter(
          ({ url, httpStatus, contentType, foundBy }) =>
            // The rules of a spider follow links, not frames.
            foundBy === 'a' && httpStatus === 200 && contentType.startsWith('text/html') && !found.has(url),
        )
        expect(missing.map(({ url }) => url)).toEqual([])
      }
      // Links to files that the packages do not have.
      expect(failures.filter((line) => !line.endsWith(' http-404'))).toEqual([])
      process.stdout.write(`${items.length} pages of real sites, ${failures.length} broken links\n`)
    },
    TIMEOUT_MS,
  )
})

/** Resolves when so many requests are done. */
async function settled(crawl: ClusterCrawl, count: number): Promise<void> {
  for (let tries = 0; tries < 300; tries++) {
    const text = await crawl.command('status', '--json')
    const { counts } = (JSON.parse(text) ?? { counts: { done: 0 } }) as { counts: { done: number } }
    if (counts.done >= count) return
    await sleep(100)
  }
  throw new Error(`the crawl did not reach ${count} pages`)
}
