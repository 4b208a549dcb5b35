import { existsSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { ConfigurationError } from '../../src/base/crawl-error.ts'
import { type CrawlStores, type OpenStores, TestCrawl } from '../crawl-directory.ts'

/** Contract tests of `generate`. */
export function generateContract(open: OpenStores): void {
  describe('generate', () => {
    let crawl: TestCrawl<CrawlStores>
    beforeEach(async () => {
      crawl = await TestCrawl.createWith(open)
    })
    afterEach(() => crawl.remove())

    /** The fetch list of a segment, part by part. */
    async function lists(segment: string): Promise<string[][]> {
      const folder = join(crawl.segmentPath(segment), 'crawl_generate')
      const connection = await memory.connect()
      const parts: string[][] = []
      for (const file of (await readdir(folder)).sort()) {
        const reader = await connection.runAndReadAll(`SELECT url FROM read_parquet('${join(folder, file)}')`)
        parts.push(reader.getColumns()[0]?.map(String) ?? [])
      }
      return parts
    }

    async function listOf(segment: string): Promise<string[]> {
      return (await lists(segment)).flat()
    }

    it('returns no segment when no URL is due', async () => {
      expect(await crawl.generate()).toEqual(none)
      expect(await readdir(crawl.directory.segmentsPath)).toEqual([])
    })

    it('writes the data that the fetcher needs', async () => {
      await crawl.inject([{ url: 'http://a.test/x', score: 2, metadata: { topic: 'ä' } }])
      expect(await crawl.generate()).toEqual({
        segments: [{ name: NOW, urls: 1 }],
        selected: 1,
        rejected: {},
      })
      const connection = await memory.connect()
      const rows = await connection.runAndReadAll(
        `SELECT * EXCLUDE (fp), fp = md5_number_upper(url) AS fp FROM read_parquet('${crawl.segmentPath(NOW)}/crawl_generate/*.parquet')`,
      )
      expect(rows.getRowObjectsJS()).toEqual([
        {
          url: 'http://a.test/x',
          sort_value: 2,
          score: 2,
          etag: null,
          last_modified: null,
          signature: null,
          metadata: '{"topic":"ä"}',
          host: 'a.test',
          fp: true,
        },
      ])
    })

    it('takes the best, in the order of their score', async () => {
      const urls = Array.from({ length: 101 }, (_, i) => ({
        url: `http://h${i}.test/`,
        score: i,
        metadata: {},
      }))
      await crawl.inject(urls)
      await crawl.generate({ topN: 2 })
      expect(await listOf(NOW)).toEqual(['http://h100.test/', 'http://h99.test/'])
    })

    it('does not take a URL again until its segment is updated or abandoned', async () => {
      await crawl.inject(['http://a.test/'])
      await crawl.generate()
      expect(await crawl.db.find('http://a.test/')).toMatchObject({ generatedIn: NOW })
      expect(await crawl.generate()).toEqual(none)
      expect(await crawl.db.abandon(NOW)).toBe(1)
      expect(await crawl.db.segments()).toMatchObject([{ name: NOW, urls: 1, state: 'abandoned' }])
      // The name is taken: the next second is used.
      expect(await crawl.generate()).toMatchObject({ segments: [{ name: '20270115080001' }] })
    })

    it('takes due URLs, with addDays those due later, and those whose time is too far ahead', async () => {
      await crawl.inject(['http://a.test/'])
      crawl.clock.advance(-2 * DAY_MS)
      expect(await crawl.generate()).toEqual(none)
      expect(await crawl.generate({ addDays: 1 })).toEqual(none)
      expect(await crawl.generate({ addDays: 2 })).toMatchObject({ selected: 1 })
      await crawl.inject(['http://b.test/'])
      crawl.clock.advance(-100 * DAY_MS)
      expect(await crawl.generate()).toMatchObject({ selected: 1 })
    })

    it.each([1, 2, 3])('takes %i of a host with that cap', async (maxCount) => {
      await crawl.inject(seeds('http://a.test/1', 'http://a.test/2', 'http://a.test/3', 'http://b.test/'))
      await crawl.generate({ topN: 100, maxCount })
      const [first, ...others] = ['http://a.test/1', 'http://a.test/2', 'http://a.test/3'].slice(0, maxCount)
      expect(await listOf(NOW)).toEqual([first, 'http://b.test/', ...others])
    })

    it('lists the hosts in turn, so that one with many URLs does not delay the others', async () => {
      await crawl.inject(seeds(...['a/1', 'a/2', 'a/3', 'b/1', 'c/1', 'b/2'].map((url) => `http://${url}`)))
      await crawl.generate({ topN: 100 })
      const hosts = ['a/1', 'b/1', 'c/1', 'a/2', 'b/2', 'a/3']
      expect(await listOf(NOW)).toEqual(hosts.map((url) => `http://${url}`))
    })

    it('counts by domain', async () => {
      await crawl.inject(seeds('http://x.a.test/', 'http://y.a.test/', 'http://z.a.test/', 'http://b.test/'))
      await crawl.generate({ topN: 100, maxCount: 2, countMode: 'domain' })
      expect(await listOf(NOW)).toEqual(['http://x.a.test/', 'http://y.a.test/', 'http://b.test/'])
    })

    it('fills several segments', async () => {
      await crawl.inject(
        seeds(...['a/1', 'a/2', 'a/3', 'b/1', 'b/2', 'a/4', 'c/1'].map((url) => `http://${url}`)),
      )
      const { segments } = await crawl.generate({ topN: 3, maxNumSegments: 2, maxCount: 2 })
      expect(segments).toEqual([
        { name: NOW, urls: 3 },
        { name: '20270115080001', urls: 3 },
      ])
      expect(await listOf(NOW)).toEqual(['http://a/1', 'http://b/1', 'http://a/2'])
      expect(await listOf('20270115080001')).toEqual(['http://a/3', 'http://b/2', 'http://a/4'])
    })

    it('keeps a host in one part and the best first in each', async () => {
      await crawl.inject(
        seeds('http://a/1', 'http://b/1', 'http://a/2', 'http://c/1', 'http://a/3', 'http://b/2'),
      )
      await crawl.generate({ numFetchers: 2 })
      expect(await lists(NOW)).toEqual([
        ['http://a/1', 'http://a/2', 'http://a/3'],
        ['http://b/1', 'http://c/1', 'http://b/2'],
      ])
    })

    it('keeps hosts with one address in one part', async () => {
      await crawl.inject(seeds('http://a/1', 'http://b/1', 'http://c/1', 'http://d/1'))
      const resolve = async (host: string) => (host === 'a' || host === 'd' ? '192.0.2.1' : undefined)
      await crawl.generate({ numFetchers: 2, partition: 'ip', resolve })
      expect(await lists(NOW)).toEqual([
        ['http://a/1', 'http://d/1'],
        ['http://b/1', 'http://c/1'],
      ])
    })

    it('leaves out low scores and other statuses', async () => {
      await crawl.inject(seeds('http://a.test/', 'http://b.test/', 'http://c.test/'))
      expect(await crawl.generate({ restrictStatus: ['db_gone'] })).toEqual(none)
      expect(await crawl.generate({ minScore: 2, restrictStatus: ['db_unfetched'] })).toMatchObject({
        selected: 2,
      })
    })

    it('uses the order of scoring rules that are not plain', async () => {
      const depth = (steps: string) => ({ _depth_: steps })
      await crawl.inject([
        { url: 'http://far.test/', score: 9, metadata: depth('4') },
        { url: 'http://near.test/', score: 1, metadata: depth('1') },
      ])
      await crawl.useRules('depth')
      await crawl.generate()
      expect(await listOf(NOW)).toEqual(['http://near.test/', 'http://far.test/'])
      await crawl.db.abandon(NOW)
      expect(await crawl.generate({ minScore: 3 })).toMatchObject({ selected: 1 })
    })

    describe('with a condition', () => {
      beforeEach(() =>
        crawl.inject([
          { url: 'http://a.test/', score: 3, metadata: { topic: 'x' } },
          { url: 'http://b.test/', score: 1, metadata: {} },
        ]),
      )

      it('takes matching URLs', async () => {
        for (const expr of [
          "host = 'a.test'",
          'score > 2 -- only good ones',
          'score IN (3, 4)',
          "status = 'db_unfetched' AND fetch_time < TIMESTAMP '2030-01-01' AND url LIKE '%a.test%'",
        ]) {
          const [segment] = (await crawl.generate({ expr })).segments
          expect(await listOf(segment?.name ?? ''), expr).toEqual(['http://a.test/'])
          await crawl.db.abandon(segment?.name ?? '')
        }
      })

      it('refuses other SQL', async () => {
        for (const expr of [
          'score >',
          'no_such_column = 1',
          'score',
          '1 = 1); DROP TABLE urls; SELECT (true',
          'true) UNION SELECT (true',
          'true) GROUP BY (1',
          'true) LIMIT (1',
          "exists (FROM read_text('/etc/passwd'))",
          "(SELECT count(*) > 0 FROM read_csv('/etc/passwd', header = false))",
          "url IN (FROM glob('/etc/*'))",
          "exists (FROM '/etc/passwd.csv')",
          "exists (WITH x AS (FROM read_blob('/etc/passwd')) FROM x)",
          "score > (SELECT 1 UNION ALL SELECT count(*) FROM read_text('/etc/passwd') LIMIT 1)",
          "list_has([x FOR x IN (SELECT list(file) FROM glob('/etc/*'))], 'a')",
          'exists (FROM urls)',
          "getenv('HOME') = ''",
          "http_get('http://127.0.0.1/') = ''",
          '',
        ])
          await expect(crawl.generate({ expr }), expr).rejects.toThrow(ConfigurationError)
        expect((await crawl.db.stats()).total).toBe(2)
        expect(await crawl.db.segments()).toEqual([])
      })
    })

    describe('with a judge', () => {
      beforeEach(() => crawl.useRules('even'))

      it('replaces rejected URLs by the next best', async () => {
        await crawl.inject(
          seeds('http://a/1', 'http://a/2', 'http://a/3', 'http://a/4', 'http://b/6', 'http://b/8'),
        )
        const result = await crawl.generate({ topN: 3, maxCount: 2 })
        expect(result).toMatchObject({ selected: 3, rejected: { odd: 2 } })
        expect(await listOf(NOW)).toEqual(['http://a/2', 'http://b/6', 'http://a/4'])
      })

      it('finds the few accepted URLs among many, each rejection counted once', async () => {
        const many = Array.from({ length: 3000 }, (_, i) => `http://h${i % 7}/${2 * i + 1}`)
        await crawl.inject(seeds(...many, 'http://h1/2', 'http://h2/4'))
        const result = await crawl.generate({ topN: 10, maxCount: 3 })
        expect(result).toMatchObject({ selected: 2, rejected: { odd: 3000 } })
        expect(await listOf(NOW)).toEqual(['http://h1/2', 'http://h2/4'])
      })

      it('returns no segment when all URLs are rejected', async () => {
        await crawl.inject(['http://a/1', 'http://a/3'])
        expect(await crawl.generate()).toEqual({ ...none, rejected: { odd: 2 } })
      })
    })

    it('keeps every cap among many hosts', async () => {
      const urls = Array.from({ length: 5000 }, (_, i) => ({
        url: `http://h${Math.floor(Math.sqrt(i))}.test/${i}`,
        score: (i * 7919) % 101,
        metadata: {},
      }))
      await crawl.inject(urls)
      const { segments } = await crawl.generate({ topN: 200, maxNumSegments: 3, maxCount: 4 })
      const best = new Map(urls.map(({ url, score }) => [url, score]))
      for (const { name, urls: count } of segments) {
        const list = await listOf(name)
        expect(list).toHaveLength(count)
        const hosts = Map.groupBy(list, (url) => new URL(url).host)
        expect(Math.max(...hosts.values().map((own) => own.length))).toBeLessThanOrEqual(4)
        for (const own of hosts.values()) {
          const scores = own.map((url) => best.get(url) ?? 0)
          expect(scores).toEqual(scores.toSorted((a, b) => b - a))
        }
      }
      expect(segments).toHaveLength(3)
    })

    it('leaves no directory behind under a temporary name', async () => {
      await crawl.inject(['http://a.test/'])
      await crawl.generate()
      expect(await readdir(crawl.directory.segmentsPath)).toEqual([NOW])
      expect(existsSync(join(crawl.segmentPath(NOW), 'crawl_generate'))).toBe(true)
    })
  })
}

const memory = await DuckDBInstance.create()
const NOW = '20270115080000'
const DAY_MS = 86_400_000

const none = { segments: [], selected: 0, rejected: {} }

/** Seeds by score, the best first. */
function seeds(...urls: string[]) {
  return urls.map((url, i) => ({ url, score: urls.length - i, metadata: {} }))
}
