import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { CrawlDirectory } from '../src/adapters/duckdb/open-crawl-directory.ts'
import type { CrawlRequest } from '../src/domain/frontier/crawl-request.ts'
import { TestCrawl } from './crawl-directory.ts'
import { seedArbitrary } from './exchanged-crawl.ts'
import { defaultRules } from './rule-sets.ts'
import { writeSegmentPart } from './segment-parts.ts'

export interface OpenedReads {
  readonly directory: CrawlDirectory
  close(): Promise<void>
}

/**
 * Contract tests of reading a crawl: random records, links, items and failed requests are read with the same results as by the process
 * that wrote them.
 * @param open opens the crawl in `crawl.path` for reading; `crawl` is open for writing, and may be closed and opened again
 */
export function crawlReadsContract(name: string, open: (crawl: TestCrawl) => Promise<OpenedReads>): void {
  describe(`${name} as a reader of a crawl`, () => {
    let crawl: TestCrawl
    let expected: ReadResults
    let opened: OpenedReads
    let urls: readonly string[]
    const dumps = new Map<string, Buffer>()
    beforeAll(async () => {
      crawl = await TestCrawl.create()
      urls = await fillCrawl(crawl)
      expected = await readAll(crawl.directory, urls)
      for (const format of FORMATS) {
        const file = join(crawl.path, `expected.${format}`)
        await crawl.directory.reader.dump(file, { format, topN: 50 })
        dumps.set(format, await readFile(file))
      }
      opened = await open(crawl)
    })
    afterAll(async () => {
      await opened.close()
      await crawl.remove()
    })

    it('reads every record, count, link, item and failed request', async () => {
      expect(expected.found.size).toBeGreaterThan(100)
      expect(expected.items.length).toBeGreaterThan(100)
      expect(expected.failed).toHaveLength(3)
      expect(expected.inlinks).toHaveLength(700)
      expect(await readAll(opened.directory, urls)).toStrictEqual(expected)
    })

    it('streams the URLs of a status, and stops in the middle', async () => {
      const all = new Set<string>()
      for await (const batch of opened.directory.reader.withStatus(['db_unfetched']))
        for (const { url, status } of batch) all.add(`${status} ${url}`)
      expect(all.size).toBe(expected.stats.statuses.db_unfetched)
      for await (const batch of opened.directory.reader.withStatus(['db_unfetched'])) {
        expect(batch.length).toBeGreaterThan(0)
        break
      }
      expect(await opened.directory.db.seeds()).toEqual(expected.seeds)
    })

    it.each(FORMATS)('dumps %s', async (format) => {
      const { reader } = opened.directory
      const file = join(crawl.path, `dump.${format}`)
      expect(await reader.dump(file, { format, topN: 50 })).toBe(50)
      expect((await readFile(file)).equals(dumps.get(format) ?? Buffer.alloc(0))).toBe(true)
      await expect(reader.dump(file, { format, expr: 'nothing = 1' })).rejects.toMatchObject({
        code: 'QUERY_INVALID',
      })
    })

    it('checks the database', async () => {
      await opened.directory.reader.check()
    })

    it.each(['DELETE FROM urls', 'SELECT nothing', 'SELECT 1; SELECT 2', 'no sql'])(
      'refuses %j',
      async (query) => {
        await expect(opened.directory.reader.sql(query)).rejects.toMatchObject({ code: 'QUERY_INVALID' })
      },
    )

    it('changes nothing', async () => {
      await expect(opened.directory.db.abandon('20270115080000')).rejects.toThrow(/read-only/)
      await expect(opened.directory.db.markDuplicates()).rejects.toThrow(/read-only/)
    })
  })
}

const FORMATS = ['csv', 'jsonl', 'parquet'] as const

type ReadResults = Awaited<ReturnType<typeof readAll>>

async function readAll({ db, links, reader, items, deadLetters }: CrawlDirectory, urls: readonly string[]) {
  const [first = ''] = urls
  return {
    stats: await db.stats(),
    seeds: await db.seeds(),
    segments: await db.segments(),
    found: new Map([...(await db.findAll(urls))].sort()),
    one: await db.find(first),
    none: await db.find('http://nowhere.test/'),
    due: await db.countDue(1_900_000_000_000, 7_776_000),
    waits: await db.hostWaits(1_900_000_000_000),
    waitsOfHost: await db.hostWaits(1_900_000_000_000, 'h1.test'),
    inlinks: await links.inlinks(first),
    items: await items.items(0, 1_000),
    later: await items.items(100, 7),
    rejected: await items.rejected(0, 1_000),
    failed: await deadLetters.failed(),
    failedWithCode: await deadLetters.failed({ code: 'http-404', limit: 1 }),
    rows: await reader.sql('SELECT * FROM crawldb ORDER BY url'),
    values: await reader.sql(
      `SELECT 9007199254740993::BIGINT AS big, 'é\u{1F577}' AS text, NULL AS nothing, [1, 2] AS list, 'x'::BLOB AS bytes, 1.5, DATE '2026-11-16'`,
    ),
    plan: (await reader.sql('EXPLAIN SELECT 1')).columns,
  }
}

/** Returns the URLs of the records. */
async function fillCrawl(crawl: TestCrawl): Promise<readonly string[]> {
  const seeds = fc.sample(seedArbitrary, { numRuns: 3_000, seed: 14 })
  await crawl.inject(seeds)
  const [target = ''] = seeds.map(({ url }) => url)
  const pages = Array.from({ length: 700 }, (_, i) => ({
    url: `http://from${i}.test/`,
    outlinks: [target],
    anchors: [`link ${i}`],
  }))
  await writeSegmentPart(crawl.segmentPath(SEGMENT), { pages, fetch: pages.map(({ url }) => ({ url })) })
  await crawl.directory.links.invert({ segments: [SEGMENT] })
  const frontier = crawl.directory.frontier({ rules: defaultRules })
  const requests = Array.from(
    { length: 6 },
    (_, i): CrawlRequest => ({ url: `http://s${i}.test/`, handler: 'page', depth: 0 }),
  )
  await frontier.add(requests)
  const leases = await frontier.lease({ requests: 10, perHost: 10, now: crawl.clock.now() })
  const leased = leases.flatMap((lease) => lease.requests)
  const items = fc.sample(fc.dictionary(fc.string(), fc.jsonValue()), { numRuns: 300, seed: 14 })
  await frontier.settle(
    leased.map(({ id }, i) => ({
      id,
      end:
        i < 3
          ? ({
              kind: 'failed',
              code: i === 0 ? 'http-404' : 'handler-threw',
              reason: 'é',
              stack: 'at x',
            } as const)
          : ({ kind: 'done' } as const),
      requests: [],
      items: i === 3 ? (items as never[]) : [],
      rejected: i === 4 ? items.map((item) => ({ item: item as never, reason: 'no title' })) : [],
    })),
  )
  await frontier.close()
  return seeds.map(({ url }) => url)
}

const SEGMENT = '20270101000000'
