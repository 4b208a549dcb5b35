/**
 * A spider over 20,000 pages of 200 hosts on a loopback web in another process: every page is selected from with css(), its links are
 * followed, items go to a JSONL file, and the crawl is kept in a crawl directory. Beside it, in the same run, the same pages through
 * the bare fetcher with a regular expression for links and a Set, without politeness, storage and items: an upper bound. Then the
 * spider once more, with its handlers in a thread of their own.
 */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { HttpFetcher } from '../src/adapters/http/http-fetcher.ts'
import { runSpider } from '../src/wiring/run-spider.ts'
import { generatePages } from './html-pages.ts'
import teasers from './teasers-spider.ts'

const HOSTS = 200
const PAGES = 20_000
const LINKS_A_PAGE = 60
const THREADS = 64
const TEASERS = new URL('./teasers-spider.ts', import.meta.url)

export async function run(): Promise<void> {
  const server = fork(new URL(import.meta.url), ['--serve'])
  const [port] = (await once(server, 'message')) as [number]
  try {
    await spiderCrawl(port, 1_000)
    const ceiling = await measured('bare loop', () => bareLoop(port))
    print(ceiling, ceiling)
    print(await measured('spider', () => spiderCrawl(port, PAGES)), ceiling)
    print(await measured('isolated', () => spiderCrawl(port, PAGES, true)), ceiling)
  } finally {
    server.kill()
  }
}

async function spiderCrawl(port: number, maxPages: number, isolated = false): Promise<number> {
  const dir = mkdtempSync(join(tmpdir(), 'orbweaver-bench-'))
  const args = {
    start: `http://${hostOf(0)}:${port}/0`,
    maxPages: String(maxPages),
    threads: String(THREADS),
    hosts: Array.from({ length: HOSTS }, (_, i) => hostOf(i)).join(' '),
  }
  try {
    const out = join(dir, 'items.jsonl')
    const { stats } = await runSpider(teasers(args), {
      dir: join(dir, 'crawl'),
      out,
      isolated,
      module: TEASERS,
      args,
    })
    const items = readFileSync(out, 'utf8').trimEnd().split('\n').length
    if (items !== stats.pages) throw new Error(`${stats.pages} pages, but ${items} items`)
    return stats.pages
  } finally {
    rmSync(dir, { recursive: true, force: true })
  }
}

async function bareLoop(port: number): Promise<number> {
  const fetcher = new HttpFetcher({
    agent: { name: 'bench', email: 'bench@example.org' },
    allowPrivateHosts: () => true,
  })
  const seen = new Set([`http://${hostOf(0)}:${port}/0`])
  const queue = [...seen]
  let pages = 0
  const consume = async (): Promise<void> => {
    for (let url = queue.shift(); url !== undefined; url = queue.shift()) {
      const outcome = await fetcher.fetch({ url })
      if (outcome.kind !== 'success') throw new Error(`${url}: ${outcome.kind}`)
      pages++
      const html = Buffer.from(outcome.body.bytes).toString()
      for (const [, href = ''] of html.matchAll(/<a class="next" href="([^"]+)"/g)) {
        if (seen.has(href)) continue
        seen.add(href)
        queue.push(href)
      }
    }
  }
  // One begins alone, so that the others find something in the queue.
  const first = consume()
  while (queue.length < THREADS && pages < PAGES) await new Promise((resolve) => setImmediate(resolve))
  await Promise.all([first, ...Array.from({ length: THREADS - 1 }, consume)])
  await fetcher.close()
  return pages
}

interface Figures {
  readonly name: string
  readonly pages: number
  readonly seconds: number
  readonly cpuSeconds: number
}

async function measured(name: string, work: () => Promise<number>): Promise<Figures> {
  const cpu = process.cpuUsage()
  const start = performance.now()
  const pages = await work()
  const { user, system } = process.cpuUsage(cpu)
  return { name, pages, seconds: (performance.now() - start) / 1_000, cpuSeconds: (user + system) / 1e6 }
}

function print({ name, pages, seconds, cpuSeconds }: Figures, ceiling: Figures): void {
  const rate = pages / cpuSeconds
  const ratio = rate / (ceiling.pages / ceiling.cpuSeconds)
  const figures = [
    `${pages} pages`,
    `${(pages / seconds).toFixed(0)} pages/s`,
    `${rate.toFixed(0)} pages per CPU-second`,
    `${ratio.toFixed(2)} x the bare loop`,
    `${(process.resourceUsage().maxRSS / 1024).toFixed(0)} MB at most so far`,
  ]
  console.log(`${name.padEnd(10)} ${figures.join('  ')}`)
}

function hostOf(host: number): string {
  return `127.0.${1 + Math.floor(host / 250)}.${1 + (host % 250)}`
}

/** Page n is on host n mod HOSTS; it links to pages of its own host for the most part, and to what comes next. */
function serve(): void {
  const bodies = generatePages(40).map((page) => page.replace('</body>', ''))
  const server = createServer((request, response) => {
    const n = Number(request.url?.slice(1))
    if (!Number.isInteger(n)) {
      response.statusCode = 404
      response.end()
      return
    }
    const { port } = server.address() as AddressInfo
    const links = Array.from({ length: LINKS_A_PAGE }, (_, i) => {
      const to = (i < 4 ? n * 4 + i + 1 : n + HOSTS * (i - 30) + PAGES * 30) % PAGES
      return `<a class="next" href="http://${hostOf(to % HOSTS)}:${port}/${to}">Page ${to}</a>`
    })
    response.setHeader('content-type', 'text/html; charset=utf-8')
    response.end(`${bodies[n % bodies.length]}<div id="links">${links.join('\n')}</div></body></html>`)
  })
  server.listen(0, '0.0.0.0', () => process.send?.((server.address() as AddressInfo).port))
}

if (process.argv.includes('--serve')) serve()
