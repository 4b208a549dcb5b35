import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { command, commandJson } from '../testing/command-line.ts'

// Dropped URLs are counted and explained, and a run that fetches no page reports the reason.

const LINKS = 100_000
const QUICK = ['--delay', '0', '--email', 'test@localhost']
const SPIDER_MODULE = fileURLToPath(new URL('../src/spider.ts', import.meta.url))

let folder: string
let dir: string
let server: Server
let site: string
let runs = 0

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'orbweaver-limits-'))
  server = createServer(({ url = '' }, response) => respond(url, response))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  site = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})

beforeEach(() => {
  dir = join(folder, `crawl-${++runs}`)
})

afterAll(async () => {
  await new Promise((resolve) => server.close(resolve))
  rmSync(folder, { recursive: true })
})

function respond(url: string, response: ServerResponse): void {
  const html = (body: string) =>
    response.setHeader('content-type', 'text/html').end(`<title>${url}</title>${body}`)
  if (url === '/robots.txt') response.end('User-agent: *\nDisallow: /private')
  else if (url === '/index') html(links(LINKS))
  else if (url === '/five') html(`${links(5)}<a href="http://elsewhere.test/">out</a>`)
  else if (url === '/long') html(`${'text '.repeat(1_000)}${links(5)}`)
  else if (url === '/away') response.writeHead(301, { location: 'http://elsewhere.test/' }).end()
  else if (url === '/denied') response.writeHead(403).end()
  else if (url.startsWith('/missing')) response.writeHead(404).end()
  else html('<p>page</p>')
}

function links(count: number): string {
  return Array.from({ length: count }, (_, i) => `<a href="/p/${i}">${i}</a>`).join('\n')
}

function config(settings: object): string[] {
  const file = join(folder, `config-${runs}.json`)
  writeFileSync(file, JSON.stringify(settings))
  return ['--config', file]
}

function spider(source: string): string {
  const file = join(folder, `spider-${runs}.mts`)
  writeFileSync(
    file,
    `import { spider } from ${JSON.stringify(SPIDER_MODULE)}\nexport default spider({ name: 'test', ${source} })\n`,
  )
  return file
}

describe(`a page of ${LINKS} links`, () => {
  it('passes parser thread, segment and updatedb without loss', async () => {
    const { exitCode, stdout } = await command(['crawl', dir, `${site}/index`, '--rounds', '1', ...QUICK])
    expect(exitCode).toBe(0)
    expect(stdout).not.toContain('dropped')
    expect(stdout).toContain('100,000 URLs still due')
    expect(await commandJson(['readdb', dir, '--stats'])).toMatchObject({ total: LINKS + 1, dropped: {} })
  })

  it('passes a spider and its crawl directory without loss', async () => {
    const file = spider(`start: '${site}/index', parse(page) { return page.followAll(page.links()) }`)
    const result = await commandJson(['run', file, '--dir', dir, '--max-pages', '1', ...QUICK])
    expect(result).toMatchObject({ stats: { pages: 1, skipped: {} }, pending: { ready: LINKS } })
  })
})

describe('the count of dropped URLs', () => {
  const dropped = { 'links.maxOutlinks': 3, scope: 1 }

  it('is in the summary, in the stats of the CrawlDb, and in explain', async () => {
    const flags = [...config({ links: { maxOutlinks: 2 } }), ...QUICK]
    const { stdout } = await command(['crawl', dir, `${site}/five`, ...flags])
    expect(stdout).toContain(
      `dropped by rules and limits: links.maxOutlinks: 3 links, scope: 1 link\n  for one URL: orbweaver explain ${dir} <url>\n`,
    )
    expect(await commandJson(['readdb', dir, '--stats'])).toMatchObject({ dropped })
    expect((await command(['readdb', dir, '--stats'])).stdout).toMatch(
      /^dropped +links\.maxOutlinks: 3 links$/m,
    )
    expect(await command(['explain', dir, `${site}/p/4`])).toMatchObject({
      exitCode: 1,
      stdout: expect.stringMatching(
        /record {3}none: every link to it was dropped\ndropped {2}on http:.*\/five \(\d+\) by links\.maxOutlinks, which dropped 3 of its 6 links\n/,
      ) as string,
    })
    expect((await command(['explain', dir, 'http://elsewhere.test/'])).stdout).toContain('rejected by scope')
  })

  it('comes with the truncated pages that may have had a link', async () => {
    const flags = [...config({ http: { maxBodyBytes: 1_000 } }), ...QUICK]
    const { stdout } = await command(['crawl', dir, `${site}/long`, ...flags])
    expect(stdout).toContain('http.maxBodyBytes: 1 body')
    const { stdout: story } = await command(['explain', dir, `${site}/p/4`])
    expect(story).toMatch(/^maybe {4}on http:.*\/long \(\d+\): its body was truncated \(size\)$/m)
  })

  it('names the depth limit of the crawl, not the present one', async () => {
    await command(['crawl', dir, `${site}/five`, '--depth', '0', ...QUICK])
    const explained = async () => (await command(['explain', dir, `${site}/p/4`])).stdout
    expect(await explained()).toContain('by filters.maxDepth: deeper than 0 links')
    // As a crawl of the library leaves it: the depth is not known any more.
    rmSync(join(dir, 'settings.json'))
    expect(await explained()).toContain('by filters.maxDepth, which dropped 5 of its 6 links')
  })

  it('includes due URLs that generate leaves out, and those that a filter rejects', async () => {
    await command(['inject', dir, ...[1, 2, 3].map((n) => `${site}/p/${n}`)])
    const { stdout } = await command(['generate', dir, '--top-n', '1'])
    expect(stdout).toMatch(/^1 selected; 2 due URLs left out by the limits of this list$/m)
    const stricter = config({ filters: { rules: ['-/p/', '+.'] } })
    expect(await command(['generate', dir, ...stricter])).toMatchObject({
      exitCode: 1,
      stdout: 'nothing is due; rejected: 2 filtered\n',
    })
    const stories = await Promise.all(
      [1, 2, 3].map((n) => command(['explain', dir, `${site}/p/${n}`, ...stricter])),
    )
    const rejected = stories.filter(({ stdout: story }) => story.includes('due      never: generate skips'))
    expect(rejected).toHaveLength(2)
  })

  it('is stored for a spider, too', async () => {
    const file = spider(
      `start: '${site}/five', limits: { maxPagesPerHost: 3 }, parse(page) { return page.followAll(page.links()) }`,
    )
    const { stats } = await commandJson<{ stats: object }>(['run', file, '--dir', dir, ...QUICK])
    expect(stats).toMatchObject({ pages: 3, skipped: { scope: 1, 'limits.maxPagesPerHost': 3 } })
    expect(await commandJson(['readdb', dir, '--stats'])).toMatchObject({
      dropped: { scope: 1, 'limits.maxPagesPerHost': 3 },
    })
    expect((await command(['explain', dir, `${site}/p/4`])).stdout).toContain(
      'limits.maxPagesPerHost: the host has its 3 pages',
    )
  })
})

describe('a run that fetches no page exits with 3 and prints the reason in one line', () => {
  it.each([
    [
      'a host name without address',
      () => 'http://nosuch.invalid/',
      /: nosuch\.invalid does not resolve \(ENOTFOUND\)\. Check the spelling/,
    ],
    [
      'a closed port',
      () => 'http://127.0.0.1:39999/',
      /: 127\.0\.0\.1:39999 refused the connection \(.*\)\. Check that a server listens/,
    ],
    [
      'a server without TLS',
      () => `${site.replace('http:', 'https:')}/`,
      /TLS connection|closed the connection/,
    ],
    ['HTTP 403', () => `${site}/denied`, /returned HTTP 403 \(forbidden\)\. The site denies access/],
    [
      'robots.txt',
      () => `${site}/private`,
      /robots\.txt of .* disallows .*line 2: Disallow: \/private.*\. The site/,
    ],
    [
      'a redirect out of scope',
      () => `${site}/away`,
      /redirects to a URL that this crawl does not fetch: .*--scope domain/,
    ],
    ['a blocked port', () => 'http://127.0.0.1:25/', /port 25 is on the list of blocked ports/],
  ])('crawl: %s', async (_, seed, message) => {
    const { exitCode, stderr } = await command(['crawl', dir, seed(), ...QUICK])
    expect(exitCode).toBe(3)
    const errors = stderr.split('\n').filter((line) => line.startsWith('error: '))
    expect(errors).toEqual([expect.stringMatching(/^error: 0 pages: /)])
    expect(errors[0]).toMatch(message)
  })

  it('fetch', async () => {
    await command(['inject', dir, `${site}/denied`])
    await command(['generate', dir])
    expect(await command(['fetch', dir, ...QUICK])).toMatchObject({
      exitCode: 3,
      stderr: expect.stringMatching(/error: 0 pages: .* returned HTTP 403/) as string,
    })
  })

  it.each([
    [
      '30 of 30 requests',
      `start: Array.from({ length: 30 }, (_, i) => 'SITE/missing' + i), parse() {}`,
      /returned HTTP 404 \(not found\); 29 more requests failed in the same way\./,
    ],
    ['robots.txt', `start: 'SITE/private', parse() {}`, /robots\.txt of .* disallows/],
    [
      'a handler that throws',
      `start: 'SITE/p/1', parse() { throw new Error('no such field') }`,
      /every page failed in the spider: .*no such field.*Fix the spider/,
    ],
  ])('run: %s', async (_, source, message) => {
    const { exitCode, stderr } = await command(['run', spider(source.replaceAll('SITE', site)), ...QUICK])
    expect(exitCode).toBe(3)
    expect(stderr).toMatch(message)
  })

  it('exits with 1 when a second run has no due URL', async () => {
    await command(['crawl', dir, `${site}/denied`, ...QUICK])
    expect(await command(['crawl', dir, ...QUICK])).toMatchObject({
      exitCode: 1,
      stdout: `nothing is due; see: orbweaver readdb ${dir} --stats\n`,
    })
  })
})
