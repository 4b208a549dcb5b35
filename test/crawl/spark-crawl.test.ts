import { afterEach, describe, expect, it } from 'vitest'
import type { OrbweaverConfig } from '../../src/adapters/config/config-schema.ts'
import { requireSite, SMALL_REAL_SITES } from '../../testing/real-web/real-sites.ts'
import { requireNginx, serveRealSites } from '../../testing/real-web/serve-real-sites.ts'
import { findSpark } from '../../testing/spark.ts'
import { testSparkOptions } from '../../testing/spark-stores.ts'
import { startSyntheticWeb } from '../../testing/synthetic-web.ts'
import { useCrawlDirectories } from './crawl-directory.ts'

const CONFIG: OrbweaverConfig = {
  agent: { email: 'test@example.org' },
  politeness: { delaySeconds: 0, threadsPerHost: 8, threads: 64, backoffSeconds: 0.1 },
}
const [REAL_SITE] = SMALL_REAL_SITES

describe.skipIf(!findSpark().ok)('a crawl with the CrawlDb on Spark', { timeout: 1_800_000 }, () => {
  const createDirectory = useCrawlDirectories()
  let close: (() => Promise<void>) | undefined
  afterEach(async () => {
    await close?.()
    close = undefined
  })

  /** The record of each URL after a crawl from these seeds, and the number of segments; without times, which differ. */
  async function crawled(seeds: readonly string[], config: OrbweaverConfig): Promise<readonly unknown[]> {
    const crawl = await createDirectory({ ...CONFIG, ...config })
    const { document } = await crawl.run('crawl', [await crawl.seedFile(seeds)])
    const { ended, segments } = document as { ended: string; segments: readonly unknown[] }
    const records = await crawl.sql<{ score: number }>(
      `SELECT url, host, domain, status, score, fetch_interval, retries, signature, etag, last_modified, metadata,
         generated_in IS NULL AS free, last_fetch_time IS NULL AS unfetched, http_status, protocol_status
       FROM crawldb ORDER BY url`,
    )
    // The order in which scores are added is not fixed.
    const rounded = records.map((record) => ({ ...record, score: Number(record.score.toPrecision(5)) }))
    return [ended, segments.length, ...rounded]
  }

  async function expectSame(
    seeds: readonly string[],
    compared: (result: readonly unknown[]) => readonly unknown[] = (result) => result,
  ): Promise<void> {
    const withDuckDb = compared(await crawled(seeds, {}))
    expect(withDuckDb.length).toBeGreaterThan(30)
    const spark = testSparkOptions({ master: 'local-cluster[2,1,1024]' })
    const engine = { kind: 'spark', spark: { ...spark, buckets: 4 } } as const
    expect(compared(await crawled(seeds, { engine }))).toEqual(withDuckDb)
  }

  it('knows the same about each URL of a synthetic web as with DuckDB', async () => {
    const web = await startSyntheticWeb({ hosts: 10, pages: 300 })
    close = () => web.close()
    // The two crawls of this web had different numbers of rounds, and scores follow the rounds. Those of the real site are compared.
    await expectSame(web.seeds, ([ended, _rounds, ...records]) => [
      ended,
      ...records.map((record) => ({ ...(record as object), score: undefined })),
    ])
  })

  const isServed = requireNginx() && REAL_SITE !== undefined && requireSite(REAL_SITE)
  it.skipIf(!isServed)('knows the same about each URL of a real site', async () => {
    const served = await serveRealSites(SMALL_REAL_SITES.slice(0, 1))
    close = () => served.close()
    await expectSame(served.seeds)
  })
})
