import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { OrbweaverConfig } from '../../src/adapters/config/config-schema.ts'
import type { CrawlRecord } from '../../src/domain/crawldb/crawl-record.ts'
import { type Crawl, openCrawl } from '../../src/wiring/open-crawl.ts'
import { requireS3Server } from '../../testing/require-s3-server.ts'
import { findSpark } from '../../testing/spark.ts'
import { testSparkOptions } from '../../testing/spark-stores.ts'
import { type SyntheticWeb, startSyntheticWeb } from '../../testing/synthetic-web.ts'
import { useS3 } from '../../testing/use-s3.ts'

const SETTINGS: OrbweaverConfig = {
  agent: { email: 'test@example.org' },
  politeness: { delaySeconds: 0, threadsPerHost: 8, threads: 64, backoffSeconds: 0.1 },
}

const ROUNDS = 3

/** The rounds of `run` overlap, and scores follow from what is merged before each list: step by step, time makes no difference. */
async function crawlInSteps(crawl: Crawl, seeds: readonly string[]): Promise<Map<string, object>> {
  await crawl.inject(seeds)
  for (let round = 0; round < ROUNDS; round++) {
    await crawl.generate({ topN: 60 })
    await crawl.fetch()
    await crawl.update()
  }
  await crawl.update({ filter: true, normalize: true })
  await crawl.invertLinks()
  await crawl.dedup()
  const records = new Map<string, object>()
  for await (const record of crawl.records()) records.set(record.url, withoutTimes(record))
  return records
}

function withoutTimes(record: CrawlRecord): object {
  const { fetchTime, modifiedTime, lastFetchTime, contentTime, ...rest } = record
  return {
    ...rest,
    // The time that depends on the schedule, and not on when the page was fetched.
    dueAfterMs: lastFetchTime === 0 ? undefined : fetchTime - lastFetchTime,
    hasContent: contentTime > 0,
    wasModified: modifiedTime > 0,
  }
}

describe.skipIf(!findSpark().ok)('a crawl with the CrawlDb on Spark', { timeout: 900_000 }, () => {
  let web: SyntheticWeb
  let folder: string
  beforeAll(async () => {
    web = await startSyntheticWeb({ hosts: 4, pages: 60 })
  })
  afterAll(() => web.close())
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'orbweaver-spark-crawl-'))
  })
  afterEach(() => rm(folder, { recursive: true, force: true }))

  async function crawled(name: string, options: Parameters<typeof openCrawl>[1]) {
    await using crawl = await openCrawl(join(folder, name), options)
    return await crawlInSteps(crawl, web.seeds)
  }

  it('ends with the same record of each URL as with DuckDB', async () => {
    const withDuckDb = await crawled('duckdb', SETTINGS)
    expect(withDuckDb.size).toBeGreaterThan(60)
    const spark = { ...testSparkOptions(), buckets: 2 }
    expect(await crawled('spark', { ...SETTINGS, engine: { spark } })).toEqual(withDuckDb)
  })

  describe.runIf(requireS3Server())('with segments in an object store', () => {
    const s3 = useS3()

    it('applies the rules of a configuration file on the executors', async () => {
      const config = join(folder, 'orbweaver.config.ts')
      await writeFile(config, CONFIG_FILE)
      const options = { ...SETTINGS, config }
      const withDuckDb = await crawled('duckdb', options)
      expect([...withDuckDb.keys()].filter((url) => url.includes('/p/1'))).toEqual([])
      const record = { fetchInterval: 600, dueAfterMs: 600_000, metadata: { inlinks: expect.anything() } }
      expect(withDuckDb.get(`${web.seeds[1]}p/2`)).toMatchObject(record)
      const spark = { ...testSparkOptions(), buckets: 2 }
      const onSpark = await crawled('spark', { ...options, engine: { spark }, segments: s3.newPlace() })
      expect(onSpark).toEqual(withDuckDb)
    })
  })
})

const CONFIG_FILE = `
const every = (at: number, retries: number) => ({ fetchTime: at + 600_000, fetchInterval: 600, modifiedTime: at, retries })
export default {
  filters: { custom: [(url: { path: string }) => (url.path.startsWith('/p/1') ? false : undefined)] },
  schedule: {
    maxIntervalSeconds: 3600,
    initialise: (now: number) => ({ fetchTime: now, fetchInterval: 600, modifiedTime: 0, retries: 0 }),
    onFetched: (_page: unknown, at: number) => every(at, 0),
    onGone: (page: { retries: number }, at: number) => every(at, page.retries),
    onRetry: (page: { retries: number }, at: number) => every(at, page.retries + 1),
  },
  scoring: {
    injected: ({ metadata }: Page) => ({ score: 8, metadata }),
    initial: ({ metadata }: Page) => ({ score: 0.25, metadata }),
    sortValue: ({ url, score }: Page, value: number) => value * score * (1 + (url.length % 3)),
    distribute: (page: Page, links: unknown[]) => links.map(() => ({ score: page.score / 64 })),
    update: ({ score, metadata }: Page, { scoreSum, count }: { scoreSum: number; count: number }) => ({
      score: score / 2 + scoreSum,
      metadata: count === 0 ? metadata : { ...metadata, inlinks: String(count + Number(metadata.inlinks ?? 0)) },
    }),
    indexBoost: (_page: Page, boost: number) => boost,
  },
}
interface Page { url: string; score: number; metadata: Record<string, string> }
`
