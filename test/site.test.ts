import { existsSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, extname, join } from 'node:path'
import { type Browser, chromium, type Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { headingSlug } from '../site/heading-slug.ts'
import { siteAddress } from '../site/site-address.ts'
import { siteProblems } from '../site/site-problems.ts'
import { CHROMIUM, requireChromium } from '../testing/require-chromium.ts'
import { runProgram } from './run-orbweaver.ts'

const ROOT = join(import.meta.dirname, '..')
const BUILT = join(ROOT, 'site/dist')
const BUILD_MS = 600_000

beforeAll(async () => {
  const { exitCode, stdout, stderr } = await runProgram('npm', ['run', 'docs'], ROOT)
  expect({ exitCode, output: exitCode === 0 ? '' : stdout + stderr }).toEqual({ exitCode: 0, output: '' })
}, BUILD_MS)

describe('the documentation site', () => {
  it('has a page for every file of docs/', () => {
    const missing = globSync('docs/**/*.md', { cwd: ROOT })
      .map((file) =>
        file
          .slice('docs/'.length)
          .replace(/README\.md$/, 'index.md')
          .replace(/\.md$/, '.html'),
      )
      .filter((page) => !existsSync(join(BUILT, page)))
    expect(missing).toEqual([])
  })

  it('has no broken links and loads nothing from other hosts', () => {
    expect(siteProblems(BUILT, '/')).toEqual([])
  })

  it('shows two versions of a spider as tabs, and the names of files', () => {
    const html = readFileSync(join(BUILT, 'coming-from-scrapy.html'), 'utf8')
    expect(Array.from(html.matchAll(/<label[^>]*>([^<]*)</g), ([, title]) => title)).toEqual([
      'Scrapy',
      'Orbweaver',
    ])
    expect(readFileSync(join(BUILT, 'get-started.html'), 'utf8')).toContain('<span>quotes.ts</span>')
  })

  it('links each page to the file to edit', () => {
    expect(readFileSync(join(BUILT, 'cycle.html'), 'utf8')).toMatch(
      /href="https:[^"]+\/edit\/main\/docs\/cycle\.md"/,
    )
    expect(readFileSync(join(BUILT, 'get-started.html'), 'utf8')).toMatch(/\/edit\/main\/README\.md"/)
    expect(readFileSync(join(BUILT, 'api/orbweaver/url/index.html'), 'utf8')).not.toContain('/edit/main/')
  })

  it('shows the examples of README.md on its first page', () => {
    const readme = readFileSync(join(ROOT, 'README.md'), 'utf8')
    const page = readFileSync(join(ROOT, 'site/index.md'), 'utf8')
    const lines = Array.from(page.matchAll(/^```[^\n]+\n(.*?)^```$/gms), ([, code = '']) => code)
      .flatMap((code) => code.split('\n'))
      .filter((line) => !line.startsWith('#'))
    expect(lines.length).toBeGreaterThan(20)
    expect(lines.filter((line) => !readme.includes(line))).toEqual([])
  })
})

describe.runIf(requireChromium())('the documentation site in a browser', () => {
  let server: Server
  let browser: Browser
  let page: Page
  const foreign: string[] = []
  let origin: string

  beforeAll(async () => {
    server = serveFolder(BUILT)
    origin = await new Promise<string>((resolve) => {
      server.listen(0, '127.0.0.1', () =>
        resolve(`http://127.0.0.1:${(server.address() as AddressInfo).port}`),
      )
    })
    browser = await chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox'] })
    page = await browser.newPage()
    page.on('request', (request) => {
      if (!request.url().startsWith(origin) && !request.url().startsWith('data:')) foreign.push(request.url())
    })
  })

  afterAll(async () => {
    await browser?.close()
    server?.close()
  })

  it('finds pages by their text, without other hosts', async () => {
    await page.goto(`${origin}/`)
    await page.getByRole('button', { name: 'Search' }).first().click()
    await page.getByRole('searchbox').fill('politeness certificate')
    const first = page.getByRole('option').first()
    await expect.poll(() => first.textContent()).toContain('Politeness certificate')
    await first.locator('a').click()
    await page.waitForURL('**/certificate.html*')
    await expect
      .poll(() => page.getByRole('heading', { level: 1 }).textContent())
      .toContain('Politeness certificate')
    expect(foreign).toEqual([])
  })

  it('shows a page of the API reference', async () => {
    await page.goto(`${origin}/api/`)
    await page.getByRole('main').getByRole('link', { name: 'orbweaver/url' }).first().click()
    await page.getByRole('main').getByRole('link', { name: 'normalizeUrl' }).first().click()
    await expect
      .poll(() => page.getByRole('main').textContent())
      .toContain("ok: true, url: 'http://example.org/b'")
  })

  it('fits on a small screen', async () => {
    await page.setViewportSize({ width: 390, height: 800 })
    for (const address of ['/', '/cycle.html', '/configuration.html', '/architecture.html']) {
      await page.goto(origin + address)
      const width = await page.evaluate('document.documentElement.scrollWidth')
      expect({ address, width }).toEqual({ address, width: 390 })
    }
  })
})

describe('problems of a built site', () => {
  let folder: string
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'orbweaver-site-'))
  })
  afterAll(() => rmSync(folder, { recursive: true }))

  function problemsOf(files: Readonly<Record<string, string>>): string[] {
    rmSync(folder, { recursive: true })
    for (const [file, content] of Object.entries(files)) {
      mkdirSync(dirname(join(folder, file)), { recursive: true })
      writeFileSync(join(folder, file), content)
    }
    return siteProblems(folder, '/docs/')
  }

  it('are broken links and anchors', () => {
    const other = '<h2 id="there">There</h2>'
    const good = '<a href="/docs/a/other.html#there"><a href="a/other.html"><a href="https://example.org/">'
    expect(problemsOf({ 'index.html': good, 'a/other.html': other })).toEqual([])
    expect(
      problemsOf({
        'index.html': '<a href="a/other.html#gone"><a href="/docs/gone.html"><a href="/elsewhere.html">',
        'a/other.html': other,
      }),
    ).toEqual([
      'index.html links to a/other.html#gone, which does not exist',
      'index.html links to /docs/gone.html, which does not exist',
      'index.html links to /elsewhere.html, which does not exist',
    ])
  })

  it('are resources of other hosts', () => {
    expect(
      problemsOf({
        'index.html':
          '<script src="https://cdn.test/a.js"></script><link rel="stylesheet" href="//cdn.test/a.css">',
        'a.css': '@import "https://fonts.test/a.css"; p { background: url(https://cdn.test/a.png) }',
      }),
    ).toEqual([
      'a.css loads https://fonts.test/a.css',
      'a.css loads https://cdn.test/a.png',
      'index.html loads https://cdn.test/a.js',
      'index.html loads //cdn.test/a.css',
    ])
  })
})

it.each([
  ['A URL in `orbweaver run --redis`', 'a-url-in-orbweaver-run---redis'],
  ['1. inject: add seeds', '1-inject-add-seeds'],
  ['Größe & Maß', 'größe--maß'],
])('gives the heading %s the anchor of code hosts', (heading, slug) => {
  expect(headingSlug(heading)).toBe(slug)
})

it('turns relative links into addresses of pages or of the repository', () => {
  expect(siteAddress('fleet.md#shards', 'docs/growing.md')).toBe('/fleet.md#shards')
  expect(siteAddress('../bench/README.md', 'docs/growing.md')).toBe('/benchmarks.md')
  expect(siteAddress('docs/limits.md', 'README.md')).toBe('/limits.md')
  expect(siteAddress('../src/adapters/redis/README.md', 'docs/fleet.md')).toMatch(
    /^https:\/\/.+\/blob\/main\/src\/adapters\/redis\/README\.md$/,
  )
  expect(siteAddress('../examples', 'docs/fleet.md')).toMatch(/\/tree\/main\/examples$/)
  expect(siteAddress('#shards', 'docs/fleet.md')).toBe('#shards')
  expect(() => siteAddress('gone.md', 'docs/fleet.md')).toThrow('docs/fleet.md links to gone.md')
})

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.svg': 'image/svg+xml',
}

function serveFolder(folder: string): Server {
  return createServer(({ url = '/' }, response) => {
    const { pathname } = new URL(url, 'http://site')
    const file = join(folder, decodeURIComponent(pathname), pathname.endsWith('/') ? 'index.html' : '')
    if (!existsSync(file)) {
      response.writeHead(404).end()
      return
    }
    response.writeHead(200, { 'content-type': TYPES[extname(file)] ?? 'application/octet-stream' })
    response.end(readFileSync(file))
  })
}
