/**
 * The steps over the CrawlDb at growing sizes, on two threads: synthetic URLs, hosts by Zipf's law, rules as a crawl has them by default.
 * `CRAWLDB_MILLIONS=1,10,100 npm run bench -- crawldb` chooses the sizes; 100 million take about 40 GB of disk for a while.
 */

import { mkdir, mkdtemp, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'
import { type CrawlDirectory, openCrawlDirectory } from '../src/adapters/duckdb/open-crawl-directory.ts'
import { createDefaultSchedule } from '../src/domain/schedule/default-schedule.ts'
import { createOpicScoring } from '../src/domain/scoring/opic-scoring.ts'
import { DEFAULT_RULES } from '../src/domain/url/default-rules.ts'
import { normalizeUrl } from '../src/domain/url/normalize-url.ts'
import { parseRuleFile } from '../src/domain/url/rule-file.ts'
import { createJudge, inject } from '../src/flows/cycle/inject.ts'
import { seedSources } from '../src/flows/cycle/read-seeds.ts'
import { chosenSizes } from './chosen-sizes.ts'

const MEMORY_MB = 2_500
const PAGES = 100_000
const LINKS_PER_PAGE = 50
const NOW = 1_800_000_000_000

const rules = { schedule: createDefaultSchedule(), scoring: createOpicScoring() }
const judge = createJudge({ normalize: normalizeUrl, filter: parseRuleFile(DEFAULT_RULES, 'default') })

export async function run(): Promise<void> {
  const sizes = chosenSizes('CRAWLDB_MILLIONS', '1,10').map((millions) => millions * 1e6)
  const folder = await mkdtemp(join(tmpdir(), 'orbweaver-bench-'))
  try {
    for (const size of sizes) await measure(size, join(folder, String(size)))
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

async function measure(urls: number, folder: string): Promise<void> {
  console.log(`${(urls / 1e6).toLocaleString('en')} million URLs`)
  await mkdir(folder)
  const seeds = join(folder, 'seeds.txt')
  await sql(
    [`COPY (SELECT url_of(i) FROM range(${urls}) t(i)) TO '${seeds}' (FORMAT csv, HEADER false)`],
    urls,
  )

  const path = join(folder, 'crawl')
  const open = () => openCrawlDirectory(path, { command: 'bench', memoryMb: MEMORY_MB, threads: 2 })
  let crawl = await open()
  await step('inject from a file', urls, async () => {
    await inject(
      crawl.db,
      seedSources([seeds], process.stdin, () => {}),
      { rules, judge, now: NOW },
    )
    await crawl.close()
  })
  await rm(seeds)
  console.log(`  ${((await stat(join(path, 'crawldb.duckdb'))).size / urls).toFixed(1)} bytes a URL on disk`)

  crawl = await open()
  const segment = await step('generate 100,000, 100 a host', urls, () => generate(crawl))
  await writeSegment(join(crawl.segmentsPath, segment), urls)
  await step('update: 100,000 pages, 5 M links', urls, async () => {
    const result = await crawl.db.update({ segments: [segment], rules, now: NOW + 1 })
    console.log(`  ${JSON.stringify(result)}`)
  })
  await step('close (checkpoint)', urls, () => crawl.close())
  crawl = await open()
  await step('generate again', urls, () => generate(crawl))
  await step('find one', urls, () => crawl.db.find('http://nowhere.test/'))
  await step('stats', urls, () => crawl.db.stats())
  await step('dedup', urls, () => crawl.db.markDuplicates())
  await crawl.close()
  console.log(
    `  ${((await stat(join(path, 'crawldb.duckdb'))).size / (await total(open))).toFixed(1)} bytes a URL on disk`,
  )
  console.log(`  ${Math.round(process.resourceUsage().maxRSS / 1024)} MB at most so far\n`)
}

async function total(open: () => Promise<CrawlDirectory>): Promise<number> {
  const crawl = await open()
  const { total: urls } = await crawl.db.stats()
  await crawl.close()
  return urls
}

async function generate({ db }: CrawlDirectory): Promise<string> {
  const { maxIntervalSeconds } = rules.schedule
  const { segments, selected } = await db.generate({
    now: NOW,
    maxIntervalSeconds,
    scoring: rules.scoring,
    topN: PAGES,
    maxCount: 100,
    judge,
  })
  console.log(`  ${selected} selected`)
  return segments[0]?.name ?? ''
}

/** Each page of the list was fetched; of its links three in five go to known URLs, most of them to popular ones. */
async function writeSegment(path: string, urls: number): Promise<void> {
  for (const directory of ['crawl_fetch', 'crawl_parse']) await mkdir(join(path, directory))
  const list = `read_parquet('${path}/crawl_generate/*.parquet')`
  await sql(
    [
      `COPY (
        SELECT url, 'fetch_success' AS status, ${NOW + 1}::BIGINT AS fetched_at, NULL::BIGINT AS retry_at, '"' || md5(url) || '"' AS etag,
          NULL::VARCHAR AS last_modified, md5(left(url, 40)) AS signature, 1.0 AS score_given, '{"Content-Type":"text/html"}' AS metadata
        FROM ${list}) TO '${path}/crawl_fetch/part-000001-bench.parquet' (FORMAT parquet, COMPRESSION zstd)`,
      `COPY (
        SELECT from_url, url_of(CASE WHEN k % 5 < 3 THEN zipf(hash(from_url, k), ${urls}) ELSE ${urls} + (hash(from_url, k) % 100_000_000)::BIGINT END) AS url,
          'link' AS kind, 0.02 AS score, NULL::INTEGER AS depth, NULL::INTEGER AS max_depth, NULL::VARCHAR AS metadata
        FROM (SELECT url AS from_url, unnest(range(${LINKS_PER_PAGE})) AS k FROM ${list})
      ) TO '${path}/crawl_parse/part-000001-bench.parquet' (FORMAT parquet, COMPRESSION zstd)`,
    ],
    urls,
  )
}

/** Statements that know `url_of(i)`, the i-th URL of the made-up web, and `zipf(hash, n)`: a number below n, k-th with probability ~ 1/k. */
async function sql(statements: readonly string[], urls: number): Promise<void> {
  const instance = await DuckDBInstance.create(':memory:', { threads: '2' })
  const connection = await instance.connect()
  await connection.run(`
    CREATE MACRO zipf(h, n) AS floor(exp((h % 1000003) / 1000003.0 * ln(n)))::BIGINT;
    CREATE MACRO host_of(h) AS 'www.' || left(md5(h::VARCHAR), (4 + h % 8)::INTEGER) || h || ['.com', '.org', '.co.uk', '.de'][(1 + h % 4)::BIGINT];
    CREATE MACRO url_of(i) AS 'https://' || host_of(zipf(hash(i), ${Math.max(10, urls / 20)})) || '/'
      || ['news', 'article', 'products', '2024/05', 'blog/category', 'wiki'][(1 + hash(i) % 6)::BIGINT] || '/' || left(md5(i::VARCHAR), (4 + i % 8)::INTEGER)
      || ['-title-of-page', '-some-story', '', '/item'][1 + i % 4] || '-' || i || ['.html', '', '/', '?id=' || i][1 + i % 4]`)
  for (const statement of statements) await connection.run(statement)
  connection.disconnectSync()
  instance.closeSync()
}

async function step<T>(what: string, urls: number, work: () => Promise<T>): Promise<T> {
  const start = performance.now()
  const before = process.cpuUsage()
  const result = await work()
  const seconds = (performance.now() - start) / 1000
  const { user, system } = process.cpuUsage(before)
  const cpu = `${((user + system) / 1e6).toFixed(2)} CPU-s`
  const rate = `${(urls / seconds / 1e6).toFixed(2)} M URLs/s`
  console.log(
    `  ${what.padEnd(36)}${seconds.toFixed(2).padStart(8)} s${cpu.padStart(16)}${rate.padStart(20)}`,
  )
  return result
}
