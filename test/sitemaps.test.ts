import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { type Run, runOrbweaver } from './run-orbweaver.ts'
import { StartedOrbweaver } from './started-orbweaver.ts'

/** Bodies by path; absent paths are not found. A sitemap names its own site `SITE`. */
let files: Map<string, string | Buffer>
let requests: string[]
let onRequest: (path: string) => void
let server: Server
let site: string
let folder: string
let dir: string

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'orbweaver-sitemaps-'))
  dir = join(folder, 'crawl')
  files = new Map()
  requests = []
  onRequest = () => {}
  server = createServer(({ url = '' }, response) => {
    requests.push(url)
    onRequest(url)
    const body = files.get(url)
    if (body === undefined) response.writeHead(404).end()
    else {
      const type = url.endsWith('.xml') ? 'application/xml' : /\.(?:txt|gz)$/.test(url) ? '' : 'text/html'
      if (type !== '') response.setHeader('content-type', type)
      response.end(body)
    }
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  site = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})

afterEach(() => {
  server.close()
  server.closeAllConnections()
  rmSync(folder, { recursive: true })
})

const FLAGS = ['--delay', '0', '--email', 'test@localhost']

function crawl(...more: readonly string[]): Promise<Run> {
  return runOrbweaver(['crawl', dir, ...more, '--sitemaps', ...FLAGS, '--json'])
}

const urlset = (...entries: readonly string[]) =>
  `<urlset>${entries.map((entry) => `<url>${entry}</url>`).join('')}</urlset>`
const loc = (path: string) => `<loc>${site}${path}</loc>`

it('fetches the pages of the sitemaps that robots.txt names: an index, gzip, text and a feed', async () => {
  files.set(
    '/robots.txt',
    `User-agent: *\nDisallow: /private\nSitemap: ${site}/maps/index.xml\nSitemap: /feed.xml\n`,
  )
  files.set('/', '<title>Home</title>')
  files.set(
    '/maps/index.xml',
    `<sitemapindex><sitemap>${loc('/maps/a.xml.gz')}</sitemap><sitemap>${loc('/maps/b.txt')}</sitemap></sitemapindex>`,
  )
  files.set(
    '/maps/a.xml.gz',
    gzipSync(
      urlset(
        `${loc('/a')}<lastmod>2026-11-15</lastmod><changefreq>weekly</changefreq><priority>0.9</priority>`,
        ...[loc('/private'), loc('/a.zip'), '<loc>http://elsewhere.test/</loc>', '<loc>no url</loc>'],
      ),
    ),
  )
  files.set('/maps/b.txt', `${site}/b\r\n${site}/b2\r\n`)
  files.set(
    '/feed.xml',
    `<rss><channel><item><link>${site}/c</link><pubDate>Mon, 16 Nov 2026 10:00:00 GMT</pubDate></item></channel></rss>`,
  )
  for (const path of ['/a', '/b', '/b2', '/c']) files.set(path, `<title>${path}</title>`)

  const { stdout, stderr, exitCode } = await crawl(`${site}/`)
  expect(exitCode, stderr).toBe(0)
  const { pages, dropped } = JSON.parse(stdout)
  expect(pages, stdout).toBe(9)
  expect(dropped).toMatchObject({ scope: 1, 'invalid URL': 1 })
  expect(Object.values(dropped)).toEqual([1, 1, 1])
  expect(requests).not.toContain('/sitemap.xml')
  const record = async (path: string) =>
    JSON.parse((await runOrbweaver(['readdb', dir, '--url', `${site}${path}`, '--json'])).stdout)
  expect(await record('/a')).toMatchObject({
    metadata: { lastmod: '2026-11-15T00:00:00.000Z', changefreq: 'weekly' },
  })
  expect((await record('/a')).score).toBeGreaterThanOrEqual(0.9)
  expect(await record('/c')).toMatchObject({ metadata: { lastmod: '2026-11-16T10:00:00.000Z' } })
  expect(await record('/maps/index.xml')).toMatchObject({ fetchInterval: 86_400 })
  const { stdout: why } = await runOrbweaver(['explain', dir, `${site}/private`])
  expect(why).toContain(`found    link on ${site}/maps/a.xml.gz`)
  expect(why).toContain('Disallow: /private')
})

it('looks in the usual places without a robots.txt, and only with --sitemaps', async () => {
  files.set('/', '<title>Home</title>')
  files.set('/sitemap.xml', urlset(loc('/x')))
  files.set('/x', '<title>x</title>')
  const plain = await runOrbweaver(['crawl', join(folder, 'plain'), `${site}/`, ...FLAGS, '--json'])
  expect(JSON.parse(plain.stdout)).toMatchObject({ pages: 1 })
  expect(JSON.parse((await crawl(`${site}/`)).stdout)).toMatchObject({ pages: 3 })
  expect(requests).toEqual(expect.arrayContaining(['/sitemap_index.xml', '/sitemap.xml.gz', '/sitemap.txt']))
})

it('fetches all sitemaps before the pages that they list, with a limit on pages', async () => {
  files.set('/', '<title>Home</title>')
  const maps = [1, 2, 3, 4, 5].map((n) => `/map-${n}.xml`)
  files.set(
    '/sitemap.xml',
    `<sitemapindex>${maps.map((map) => `<sitemap>${loc(map)}</sitemap>`).join('')}</sitemapindex>`,
  )
  for (const map of maps)
    files.set(map, urlset(...[1, 2, 3].map((n) => `${loc(`${map}-${n}`)}<priority>1</priority>`)))
  for (const more of [[`${site}/`], [], []]) await crawl(...more, '--max-pages', '3')
  expect(requests.filter((path) => maps.includes(path)).sort()).toEqual(maps)
  const record = await runOrbweaver(['readdb', dir, '--url', `${site}/map-1.xml-1`, '--json'])
  expect(JSON.parse(record.stdout).score).toBeLessThan(2)
})

it('fetches the rest after kill -9', async () => {
  const paths = Array.from({ length: 60 }, (_, i) => `/page-${i}`)
  files.set('/', '<title>Home</title>')
  files.set('/sitemap.xml', urlset(...paths.map(loc)))
  for (const path of paths) files.set(path, `<title>${path}</title>`)
  const run = new StartedOrbweaver([
    'crawl',
    dir,
    `${site}/`,
    '--sitemaps',
    '--delay',
    '0.02',
    ...FLAGS.slice(2),
  ])
  await new Promise<void>((resolve) => {
    onRequest = (path) => path === '/page-20' && resolve()
  })
  run.kill('SIGKILL')
  await run.ended
  const { stdout, stderr } = await crawl()
  expect(JSON.parse(stdout), stderr).toMatchObject({ ended: 'nothing due' })
  const stats = await runOrbweaver(['readdb', dir, '--stats', '--json'])
  expect(JSON.parse(stats.stdout).statuses).toMatchObject({ db_fetched: 62 })
})

it('fetches a page again of which the sitemap says that it changed, and explains the schedule', async () => {
  const config = join(folder, 'orbweaver.config.json')
  writeFileSync(config, JSON.stringify({ schedule: { kind: 'freshness', minIntervalSeconds: 1, budget: 5 } }))
  const map = (date: string) =>
    urlset(`${loc('/moving')}<lastmod>${date}</lastmod>`, `${loc('/still')}<lastmod>2026-01-01</lastmod>`)
  files.set('/sitemap.xml', map('2026-01-01'))
  files.set('/moving', '<title>Moving</title>one')
  files.set('/still', '<title>Still</title>')
  const first = await crawl(`${site}/sitemap.xml`, '--config', config)
  expect(JSON.parse(first.stdout), first.stderr).toMatchObject({ pages: 3 })
  files.set('/moving', '<title>Moving</title>two')
  files.set('/sitemap.xml', map(new Date().toISOString()))
  requests = []
  const sitemap = ['--url', `${site}/sitemap.xml`, '--email', 'test@localhost']
  expect(await runOrbweaver(['fetch', dir, ...sitemap, '--config', config])).toMatchObject({ exitCode: 0 })
  expect(await runOrbweaver(['updatedb', dir, '--config', config])).toMatchObject({ exitCode: 0 })
  // A fast machine is here before the shortest interval, one second, is over.
  const fetchedAgain = async () => {
    await crawl('--config', config)
    return requests.filter((path) => path === '/moving' || path === '/still')
  }
  await expect.poll(fetchedAgain, { timeout: 30_000 }).toEqual(['/moving'])
  const explained = await runOrbweaver(['explain', dir, `${site}/moving`, '--config', config])
  expect(explained.stdout).toMatch(/schedule 2 fetches compared: 2 changes \(1 with a date\)/)
  expect(explained.stdout).toContain('schedule a sitemap or feed states: changed at 2026')
  const stats = await runOrbweaver(['readdb', dir, '--stats'])
  expect(stats.stdout).toMatch(/expected freshness {2}[\d.]+ % of 3 pages, with 5 fetches per day/)
})
