import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import type { OrbweaverConfig } from '../../src/adapters/config/config-schema.ts'
import { RecordingTerminal } from '../../testing/recording-terminal.ts'
import type { WebPlan } from '../../testing/synthetic-web/plan-sites.ts'
import { type SyntheticWeb, startSyntheticWeb } from '../../testing/synthetic-web.ts'
import { useCrawlDirectories } from './crawl-directory.ts'

const CONFIG: OrbweaverConfig = {
  agent: { email: 'test@example.org' },
  politeness: { delaySeconds: 0.005, backoffSeconds: 0.05 },
}
/** Five trees without links between them: there is one path to each page. */
const TREES: WebPlan = { hosts: 5, pages: 200, hostile: false, crossLinks: 0 }

const newCrawl = useCrawlDirectories()
const open: Array<{ close(): Promise<void> }> = []
afterEach(async () => {
  await Promise.all(open.splice(0).map((web) => web.close()))
})

describe('--max-pages', () => {
  it.each([
    [37, TREES],
    [150, { hosts: 15, pages: 400 }],
  ])('ends after exactly %i pages', async (maxPages, plan) => {
    const { web, crawl } = await start(plan)
    const { exitCode, document } = await crawl.run('crawl', [...web.seeds, '--max-pages', String(maxPages)])
    expect(exitCode).toBe(0)
    expect(document).toMatchObject({ ended: 'pages', pages: maxPages })
    const [fetched] = await crawl.sql<{ n: number }>(
      "select count(*)::int as n from crawldb where status = 'db_fetched'",
    )
    expect(fetched).toEqual({ n: maxPages })
  })

  it('continues with the next pages when it is run again', async () => {
    const { web, crawl } = await start(TREES)
    await crawl.run('crawl', [...web.seeds, '--max-pages', '60'])
    await crawl.run('crawl', ['--max-pages', '60'])
    expect(new Set(requestedPages(web)).size).toBe(120)
    expect(requestedPages(web)).toHaveLength(120)
  })
})

it('--rounds stops after this number of fetch lists', async () => {
  const { web, crawl } = await start(TREES)
  const { document } = await crawl.run('crawl', [...web.seeds, '--rounds', '2'])
  expect(document).toMatchObject({
    ended: 'rounds',
    rounds: 2,
    segments: [expect.any(String), expect.any(String)],
  })
  const expected = web.expected()
  expect(requestedPages(web)).toEqual(expect.arrayContaining(web.seeds))
  expect(Math.max(...requestedPages(web).map((url) => expected.get(url)?.distance ?? 99))).toBe(1)
})

it.each([0, 1, 2])(
  '--depth %i fetches exactly the pages up to this number of links from a seed',
  async (depth) => {
    const { web, crawl } = await start(TREES)
    await crawl.run('crawl', [...web.seeds, '--depth', String(depth)])
    const near = [...web.expected()].filter(([, { distance }]) => distance <= depth).map(([url]) => url)
    expect(requestedPages(web).toSorted()).toEqual(near.toSorted())
    expect((await crawl.statuses()).size).toBe(near.length)
  },
)

describe('--scope', () => {
  it.each([
    ['host', ['www.site.test']],
    ['domain', ['blog.site.test', 'www.site.test']],
    ['any', ['blog.site.test', 'other.test', 'www.site.test']],
  ])('%s goes to %s', async (scope, hosts) => {
    const { proxy, fetched } = await startNamedWeb()
    const crawl = await newCrawl({ ...CONFIG, http: { proxy: { url: proxy, resolve: 'proxy' } } })
    await crawl.run('crawl', ['http://www.site.test/', '--scope', scope])
    expect(fetched.toSorted()).toEqual(hosts)
  })

  /** A proxy that responds itself, for three sites whose names do not resolve; each links to all. */
  async function startNamedWeb(): Promise<{ readonly proxy: string; readonly fetched: readonly string[] }> {
    const fetched: string[] = []
    const links = ['www.site.test', 'blog.site.test', 'other.test'].map(
      (host) => `<a href="http://${host}/">a</a>`,
    )
    const server = createServer(({ url = '' }, response) => {
      const { hostname, pathname } = new URL(url)
      if (pathname === '/') fetched.push(hostname)
      response.writeHead(pathname === '/' ? 200 : 404, { 'content-type': 'text/html' }).end(links.join(''))
    })
    await once(server.listen(0, '127.0.0.1'), 'listening')
    open.push({ close: async () => void server.close().closeAllConnections() })
    return { proxy: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, fetched }
  }
})

it('stops when it is interrupted, says how to resume, and resumes', async () => {
  const { web, crawl } = await start(TREES)
  const terminal = new RecordingTerminal()
  web.hold = () => {
    if (requestedPages(web).length === 80) terminal.interrupt()
    return undefined
  }
  const first = await crawl.run('crawl', web.seeds, terminal)
  expect(first.exitCode).toBe(3)
  expect(first.document).toMatchObject({ ended: 'interrupted' })
  expect(requestedPages(web).length).toBeLessThan(100)

  const second = await crawl.run('crawl')
  expect(second.exitCode).toBe(0)
  expect(requestedPages(web).toSorted()).toEqual([...web.expected().keys()].toSorted())
  expect(web.judge.violations({ minGapMs: 5, maxRepeats: 1 })).toEqual([])
})

it('does not let a slow host delay the rounds of others', async () => {
  const { web, crawl } = await start(TREES)
  const expected = web.expected()
  const isSlow = (url: string): boolean => url.startsWith(new URL(web.seeds[0] ?? '').origin)
  const others = [...expected.keys()].filter((url) => !isSlow(url)).length
  // The slow host responds only after all pages of the other hosts were requested: if they waited for it, the test would time out.
  const release = Promise.withResolvers<void>()
  web.hold = (url) => {
    if (requestedPages(web).filter((url) => !isSlow(url)).length === others) release.resolve()
    return isSlow(url) && !url.endsWith('/robots.txt') ? release.promise : undefined
  }
  const { document } = await crawl.run('crawl', web.seeds)
  expect(document).toMatchObject({ ended: 'nothing due', pages: expected.size })
  const slow = web.judge.hits.find(
    ({ host, path }) => host === new URL(web.seeds[0] ?? '').hostname && path === '/',
  )
  const lastOther = web.judge.hits.findLast(({ address }) => address !== slow?.address)
  expect(slow?.end).toBeGreaterThanOrEqual(lastOther?.start ?? Number.POSITIVE_INFINITY)
})

async function start(plan: WebPlan) {
  const web = await startSyntheticWeb(plan)
  open.push(web)
  return { web, crawl: await newCrawl(CONFIG) }
}

function requestedPages(web: SyntheticWeb): string[] {
  return web.requested.map(({ url }) => url).filter((url) => !url.endsWith('/robots.txt'))
}
