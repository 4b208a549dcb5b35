import { openCrawlDirectory } from '../src/adapters/duckdb/open-crawl-directory.ts'
import { rememberPrivateHosts } from '../src/adapters/http/private-hosts-file.ts'
import type { Seed } from '../src/domain/crawldb/inject-record.ts'
import { createDefaultSchedule } from '../src/domain/schedule/default-schedule.ts'
import { createOpicScoring } from '../src/domain/scoring/opic-scoring.ts'

const HOSTS = 1_000
const BATCH = 10_000
const MONTH_MS = 30 * 86_400_000

/** Makes a crawl directory that knows so many URLs of a thousand other hosts, none of them due before a month has passed. */
export async function fillCrawlDb(path: string, urls: number): Promise<void> {
  const crawl = await openCrawlDirectory(path, { command: 'bench', memoryMb: 2_500, threads: 2 })
  const rules = { schedule: createDefaultSchedule(), scoring: createOpicScoring() }
  await crawl.db.inject(seeds(urls), rules, Date.now() + MONTH_MS)
  await crawl.close()
  // Without it, the crawl would look all these names up.
  await rememberPrivateHosts(path, [], [])
}

async function* seeds(urls: number): AsyncGenerator<readonly Seed[]> {
  for (let from = 0; from < urls; from += BATCH)
    yield Array.from({ length: Math.min(BATCH, urls - from) }, (_, i) => seed(from + i))
}

function seed(n: number): Seed {
  const host = `www.host-${n % HOSTS}.example`
  return { url: `https://${host}/articles/${(n * 7919) % 9973}/title-of-page-${n}.html`, metadata: {} }
}
