/**
 * A fetch list of pages as sites serve them (about 35 kB), on many hosts of a loopback web in another thread: the whole fetch step
 * compared with the fetcher alone, and the cost of parsing in the main thread, in worker threads, and without parsing.
 */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { isMainThread, parentPort, Worker } from 'node:worker_threads'
import { HttpFetcher } from '../src/adapters/http/http-fetcher.ts'
import { ParsePool } from '../src/adapters/parse-threads/parse-pool.ts'
import { steadyClock } from '../src/base/clock.ts'
import { InlineParser } from '../src/domain/parse/parse-page.ts'
import type { PageParser } from '../src/domain/parse/parsed-page.ts'
import { RobotsCache } from '../src/domain/robots/robots-cache.ts'
import type { FetchListEntry, PageRecord } from '../src/domain/segment/segment-rows.ts'
import type { SegmentAppender } from '../src/domain/segment/segment-store.ts'
import { FetchLoop } from '../src/flows/cycle/fetch-loop.ts'
import { testRules } from '../testing/test-rules.ts'
import { generatePages } from './html-pages.ts'

const HOSTS = 200
const PAGES_A_HOST = 15
const THREADS = 64

export async function run(): Promise<void> {
  const server = new Worker(new URL(import.meta.url))
  const port = await new Promise<number>((resolve) => server.once('message', resolve))
  const urls = Array.from(
    { length: HOSTS * PAGES_A_HOST },
    (_, i) => `http://h${i % HOSTS}.test:${port}/${i}`,
  )
  const rules = testRules(steadyClock, { filters: { scope: 'any' } })
  const pool = (threads: number) =>
    new ParsePool(
      steadyClock,
      { settings: { environment: {}, flags: { agent: { name: 'testbot' }, filters: { scope: 'any' } } } },
      { threads },
    )

  await fetchAlone(urls.slice(0, 500))
  const alone = await measured(urls.length, () => fetchAlone(urls))
  print('HttpFetcher alone, no robots.txt', alone, alone)
  const ways: Array<readonly [name: string, parser: PageParser | undefined]> = [
    ['fetch step, not parsing', undefined],
    ['fetch step, parsing in this thread', new InlineParser(rules)],
    ['fetch step, parsing in 1 worker', pool(1)],
    ['fetch step, parsing in 2 workers', pool(2)],
  ]
  for (const [name, parser] of ways) {
    // Starts the threads and warms up the compiler.
    await fetchStep(urls.slice(0, 500), parser)
    print(name, await measured(urls.length, () => fetchStep(urls, parser)), alone)
    await parser?.close()
  }
  await server.terminate()
}

interface Figures {
  readonly pagesPerSecond: number
  readonly mainCpuUs: number
}

function print(name: string, { pagesPerSecond, mainCpuUs }: Figures, alone: Figures): void {
  const ratio = (mainCpuUs / alone.mainCpuUs).toFixed(2)
  console.log(
    `${name.padEnd(36)} ${pagesPerSecond.toFixed(0).padStart(6)} pages/s  ${mainCpuUs.toFixed(0).padStart(5)} µs of the main thread a page  ${ratio} x the fetcher`,
  )
}

async function measured(pages: number, work: () => Promise<void>): Promise<Figures> {
  const cpu = process.threadCpuUsage()
  const start = performance.now()
  await work()
  const { user, system } = process.threadCpuUsage(cpu)
  return { pagesPerSecond: (pages * 1_000) / (performance.now() - start), mainCpuUs: (user + system) / pages }
}

function httpFetcher(): HttpFetcher {
  return new HttpFetcher({
    agent: { name: 'testbot', email: 'bench@example.org' },
    allowPrivateHosts: () => true,
    resolve: async () => ({ ok: true, addresses: [{ address: '127.0.0.1', family: 4 }] }),
  })
}

async function fetchAlone(urls: readonly string[]): Promise<void> {
  const fetcher = httpFetcher()
  let next = 0
  await Promise.all(
    Array.from({ length: THREADS }, async () => {
      for (let url = urls[next++]; url !== undefined; url = urls[next++]) await fetcher.fetch({ url })
    }),
  )
  await fetcher.close()
}

async function fetchStep(urls: readonly string[], parser: PageParser | undefined): Promise<void> {
  const fetcher = httpFetcher()
  const parts = {
    clock: steadyClock,
    fetcher,
    robots: new RobotsCache(steadyClock, 'testbot'),
    rules: testRules(steadyClock, { filters: { scope: 'any' } }),
    ...(parser !== undefined && { parser }),
  }
  const loop = new FetchLoop(parts, { threads: THREADS, politeness: { delayMs: 0 } })
  const { statuses } = await loop.join({ name: 'bench', entries: entries(urls), appender: new Forgetful() })
  if (statuses.fetch_success !== urls.length)
    throw new Error(`not all were fetched: ${JSON.stringify(statuses)}`)
  await fetcher.close()
}

async function* entries(urls: readonly string[]): AsyncGenerator<readonly FetchListEntry[]> {
  yield urls.map((url) => ({ url, sortValue: 1, score: 1, metadata: {} }))
}

/** What writing costs is measured by the benchmark `segments`. */
class Forgetful implements SegmentAppender {
  async add(_page: PageRecord): Promise<void> {}
  async addParsed(): Promise<void> {}
  async room(): Promise<void> {}
  async flush(): Promise<void> {}
  async close(): Promise<void> {}
}

function serve(): void {
  const pages = generatePages(100).map((html) => Buffer.from(html))
  const server = createServer(({ url = '' }, response) => {
    if (url === '/robots.txt') {
      response.writeHead(404).end()
      return
    }
    const body = pages[Number(url.slice(1)) % pages.length]
    response
      .writeHead(200, { 'content-type': 'text/html; charset=utf-8', 'content-length': body?.length })
      .end(body)
  })
  server.listen(0, '127.0.0.1', () => parentPort?.postMessage((server.address() as AddressInfo).port))
}

if (!isMainThread) serve()
