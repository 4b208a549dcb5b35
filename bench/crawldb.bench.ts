/**
 * The steps over the CrawlDb at growing sizes, on two threads: synthetic URLs, hosts by Zipf's law, rules as a crawl has them by default.
 * `CRAWLDB_MILLIONS=1,10,100 npm run bench -- crawldb` chooses the sizes; 100 million take about 40 GB of disk for a while.
 */

import { mkdir, mkdtemp, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type CrawlDirectory, openCrawlDirectory } from '../src/adapters/duckdb/open-crawl-directory.ts'
import { Session } from '../src/adapters/duckdb/session.ts'
import { inject } from '../src/flows/cycle/inject.ts'
import { seedSources } from '../src/flows/cycle/read-seeds.ts'
import { chosenSizes } from './chosen-sizes.ts'
import { judge, NOW, rules, writeFetches, writeSeeds } from './synthetic-crawl.ts'

const MEMORY_MB = 2_500
const PAGES = 100_000
const LINKS_PER_PAGE = 50

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
  await writeSeeds(seeds, urls)

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
  await writeFetches(join(crawl.segmentsPath, segment), urls, LINKS_PER_PAGE)
  await step('update: 100,000 pages, 5 M links', urls, async () => {
    const hosts = watchHostTables()
    const result = await crawl.db.update({ segments: [segment], rules, now: NOW + 1 })
    console.log(`  ${JSON.stringify(result)}`)
    console.log(`  of which for the HostDb: ${hosts.end().toFixed(2)} CPU-s`)
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

/** Adds up the CPU time of the statements that keep the facts of hosts, until `end` returns it in seconds. */
function watchHostTables(): { end(): number } {
  let microseconds = 0
  const { run } = Session.prototype
  Session.prototype.run = async function (this: Session, ...args: Parameters<typeof run>) {
    const before = process.cpuUsage()
    const rows = await run.apply(this, args)
    const { user, system } = process.cpuUsage(before)
    if (HOST_TABLES.test(args[0])) microseconds += user + system
    return rows
  }
  return {
    end() {
      Session.prototype.run = run
      return microseconds / 1e6
    },
  }
}

const HOST_TABLES = /\b(?:host_fetches|new_facts|new_values|host_facts|host_values)\b/

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
