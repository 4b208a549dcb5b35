/**
 * The web graph and LinkRank at growing sizes, on two threads with 4 GB for the database: synthetic pages with ten links each, some targets
 * far more popular than others. `LINKRANK_MILLIONS=1,10 npm run bench -- linkrank` chooses the number of pages; 10 million take about 10 GB
 * of disk for a while.
 */

import { readdirSync, statSync } from 'node:fs'
import { mkdir, mkdtemp, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'
import { type CrawlDirectory, openCrawlDirectory } from '../src/adapters/duckdb/open-crawl-directory.ts'
import { chosenSizes } from './chosen-sizes.ts'

const MEMORY_MB = 4_000
const LINKS_PER_PAGE = 10
const SEGMENT = '20270101000000'
/** Pages per file, as a fetcher writes parts. */
const PART_PAGES = 500_000

export async function run(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'orbweaver-bench-'))
  try {
    for (const millions of chosenSizes('LINKRANK_MILLIONS', '1'))
      await measure(millions * 1e6, join(folder, String(millions)))
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

async function measure(pages: number, path: string): Promise<void> {
  console.log(`${pages / 1e6} million pages, ${(pages * LINKS_PER_PAGE) / 1e6} million links`)
  await writePages(join(path, 'segments', SEGMENT), pages)
  let crawl = await openCrawlDirectory(path, { command: 'bench', memoryMb: MEMORY_MB, threads: 2 })
  const graph = graphOf(crawl)
  const step = (name: string, work: () => Promise<unknown>) => measureStep(name, join(path, '.tmp'), work)
  await step('webgraph', async () =>
    console.log(`  ${JSON.stringify(await graph.build({ segments: [SEGMENT] }))}`),
  )
  await step('webgraph again, nothing new', () => graph.build({ segments: [SEGMENT] }))
  let iterationEnd = performance.now()
  const rank = (by: 'page' | 'host') =>
    graph.rank({
      by,
      onIteration(iteration, change) {
        const seconds = (performance.now() - iterationEnd) / 1000
        iterationEnd = performance.now()
        console.log(`    iteration ${iteration}: change ${change.toExponential(2)}, ${seconds.toFixed(1)} s`)
      },
    })
  await step('linkrank', async () => console.log(`  ${JSON.stringify(await rank('page'))}`))
  await step('linkrank --by host', async () => console.log(`  ${JSON.stringify(await rank('host'))}`))
  await step('close (checkpoint)', () => crawl.close())
  crawl = await openCrawlDirectory(path, { command: 'bench', memoryMb: MEMORY_MB, threads: 2 })
  await step('top 10', () =>
    crawl.reader.sql('SELECT url, score FROM webgraph_nodes ORDER BY score DESC, url LIMIT 10'),
  )
  await crawl.close()
  const { size } = await stat(join(path, 'crawldb.duckdb'))
  console.log(`  ${(size / (pages * LINKS_PER_PAGE)).toFixed(1)} bytes per link on disk`)
  await rm(path, { recursive: true })
}

function graphOf({ graph }: CrawlDirectory) {
  if (graph === undefined) throw new Error('this engine has no web graph')
  return graph
}

async function writePages(segment: string, pages: number): Promise<void> {
  for (const directory of ['crawl_fetch', 'parse_data'])
    await mkdir(join(segment, directory), { recursive: true })
  const instance = await DuckDBInstance.create(':memory:', { threads: '2', memory_limit: '2GB' })
  const connection = await instance.connect()
  await connection.run('SELECT setseed(0.5)')
  const url = (n: string) => `'http://site-' || (${n} % 50000) || '.test/pages/' || ${n}`
  const numbers = `list_transform(range(${LINKS_PER_PAGE}), x -> (random() ** 3 * ${pages} + x * 0)::BIGINT)`
  const links = `list_transform(${numbers}, target -> ${url('target')})`
  for (let from = 0; from < pages; from += PART_PAGES) {
    const rows = `range(${from}, ${Math.min(pages, from + PART_PAGES)}) t(n)`
    const part = `part-${String(1 + from / PART_PAGES).padStart(6, '0')}-w0.parquet`
    await connection.run(
      `COPY (SELECT ${url('n')} AS url, ${links} AS outlinks FROM ${rows}) TO '${join(segment, 'parse_data', part)}' (COMPRESSION zstd)`,
    )
    await connection.run(
      `COPY (SELECT ${url('n')} AS url, 'fetch_success' AS status, NULL::VARCHAR AS redirect_to FROM ${rows})
       TO '${join(segment, 'crawl_fetch', part)}' (COMPRESSION zstd)`,
    )
  }
  connection.disconnectSync()
  instance.closeSync()
}

/** @param spillFolder its largest size during the step is the disk space that was used besides the database */
async function measureStep(name: string, spillFolder: string, work: () => Promise<unknown>): Promise<void> {
  let spilled = 0
  const timer = setInterval(() => {
    spilled = Math.max(spilled, sizeOf(spillFolder))
  }, 200)
  const started = performance.now()
  const cpu = process.cpuUsage()
  await work()
  const { user, system } = process.cpuUsage(cpu)
  clearInterval(timer)
  const seconds = ((performance.now() - started) / 1000).toFixed(1)
  const memory = (process.resourceUsage().maxRSS / 1e6).toFixed(2)
  console.log(
    `  ${name}: ${seconds} s, ${((user + system) / 1e6).toFixed(1)} CPU-seconds, peak ${memory} GB, ${(spilled / 1e9).toFixed(2)} GB of temporary files`,
  )
}

function sizeOf(folder: string): number {
  try {
    return readdirSync(folder)
      .map((name) => statSync(join(folder, name), { throwIfNoEntry: false })?.size ?? 0)
      .reduce((sum, size) => sum + size, 0)
  } catch {
    // It does not exist until it is needed.
    return 0
  }
}
