import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { openCrawlDirectory } from '../src/adapters/duckdb/open-crawl-directory.ts'
import { CHROMIUM, requireChromium } from '../testing/require-chromium.ts'
import { type MadeUpPage, makeServedCrawl, removeServedCrawl } from '../testing/served-crawl.ts'
import { ServedDirectory } from '../testing/served-directory.ts'
import { runNode } from './run-orbweaver.ts'

/** The search page in a real browser. */

const HOSTILE_TITLE = `</title><script>window.pwned = 'title'</script>"><img src=x onerror="window.pwned = 'title'">`
const HOSTILE_TEXT = `poison <img src=x onerror="window.pwned = 'text'"> <a href="javascript:pwned=1">x</a> {{7*7}}`
const HOSTILE_URL = `http://hostile.test/%22%3E%3Cscript%3Ewindow.pwned=1%3C/script%3E?a='><b onclick=alert(1)>`
const HOSTILE_KEY = new URL(HOSTILE_URL).href

const PAGES: readonly MadeUpPage[] = [
  ...Array.from({ length: 23 }, (_, i) => ({
    url: `http://webs.test/spider/${i}`,
    title: `Spider number ${i}`,
    text: `All about the spider of number ${i}.\nIt spins a web, and then it waits.`,
    lang: i < 4 ? 'de' : 'en',
  })),
  { url: 'http://loom.test/silk', title: 'Silk as cloth', text: 'A spider gives little silk.', lang: 'en' },
  {
    ...{ url: 'http://loom.test/manual.pdf', title: 'Manual', text: 'Of a loom, and of a spider.' },
    type: 'application/pdf',
  },
  { url: HOSTILE_KEY, title: HOSTILE_TITLE, text: HOSTILE_TEXT },
  {
    url: 'http://hostile.test/js',
    title: 'Trap',
    text: 'poison trap',
    indexedUrl: `javascript:window.pwned='url'`,
  },
]

describe.runIf(requireChromium())('the search page', () => {
  let browser: Browser
  let context: BrowserContext
  let page: Page
  let crawl: string
  let served: ServedDirectory
  /** Errors in the page. */
  let problems: string[]

  beforeAll(async () => {
    browser = await chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox'] })
    crawl = await makeServedCrawl(PAGES)
    served = await ServedDirectory.start(crawl)
  })
  afterAll(async () => {
    await browser?.close()
    await served?.stop()
    removeServedCrawl(crawl)
  })
  beforeEach(async () => {
    context = await browser.newContext({ viewport: { width: 1300, height: 900 } })
    context.setDefaultTimeout(10_000)
    page = await context.newPage()
    problems = []
    page.on('pageerror', (error) => problems.push(String(error)))
    page.on('console', (message) => message.type() === 'error' && problems.push(message.text()))
  })
  afterEach(async () => {
    await context.close()
    expect(problems).toEqual([])
  })

  const open = (place: string) => page.goto(new URL(place, served.url).href)
  const titles = () => page.locator('.result h2').allTextContents()
  const pwned = () => page.evaluate('window.pwned')

  it('searches while the user types, and marks matches', async () => {
    await open('/')
    await page.getByText('27 URLs of 3 hosts').waitFor()
    await page.keyboard.type('silk')
    await page.waitForURL(/[?&]q=silk/)
    await page.getByText('1 page ·').waitFor()
    expect(await titles()).toEqual(['Silk as cloth'])
    expect(await page.locator('.snippet mark').allTextContents()).toEqual(['silk'])
    expect(await page.title()).toBe('silk · Orbweaver')
  })

  it('opens the stored page of a result, and returns to the results', async () => {
    await open('/?q=silk')
    await page.getByRole('link', { name: 'Silk as cloth' }).click()
    const preview = page.getByRole('complementary', { name: 'Stored page' })
    await preview.getByText('A spider gives little').waitFor()
    expect(await preview.locator('mark').allTextContents()).toEqual(['silk'])
    await page.goBack()
    await preview.waitFor({ state: 'detached' })
    expect(await titles()).toEqual(['Silk as cloth'])
  })

  it('shows the next and the previous page of results', async () => {
    await open('/?q=spider')
    await page.getByText('1–10 of 25 pages').waitFor()
    const first = await titles()
    await page.getByRole('link', { name: 'Next' }).click()
    await page.getByText('11–20 of 25 pages').waitFor()
    expect(await page.evaluate('scrollY')).toBe(0)
    expect((await titles()).filter((title) => first.includes(title))).toEqual([])
    await page.keyboard.press('Escape')
    await page.locator('body').click({ position: { x: 5, y: 400 } })
    await page.keyboard.press('n')
    await page.getByText('21–25 of 25 pages').waitFor()
    expect(await titles()).toHaveLength(5)
  })

  it('filters by site, type and language, and removes the filters', async () => {
    await open('/?q=spider')
    await page.getByRole('link', { name: 'webs.test, 23' }).click()
    await page.getByText('1–10 of 23 pages').waitFor()
    await page.getByRole('link', { name: 'German, 4' }).click()
    await page.getByText('4 pages').waitFor()
    await page.getByRole('link', { name: /^webs\.test.*remove$/ }).click()
    await page.getByRole('link', { name: /^German.*remove$/ }).click()
    await page.getByRole('link', { name: 'PDF, 1' }).click()
    await page.getByText('1 page ·').waitFor()
    expect(await titles()).toEqual(['Manual'])
  })

  it('can be used with the keyboard alone', async () => {
    await open('/?q=spider&site=loom.test')
    await page.getByText('2 pages').waitFor()
    const focused = () => page.evaluate('document.activeElement.textContent')
    await page.locator('#search').press('ArrowDown')
    const [first = '', second = ''] = await titles()
    expect(await focused()).toBe(first)
    await page.keyboard.press('j')
    expect(await focused()).toBe(second)
    await page.keyboard.press('k')
    await page.keyboard.press('Enter')
    const preview = page.getByRole('complementary', { name: 'Stored page' })
    await preview.getByRole('heading', { name: first }).waitFor()
    await page.keyboard.press('Escape')
    await preview.waitFor({ state: 'detached' })
    expect(await focused()).toBe(first)
    await page.keyboard.press('/')
    await page.keyboard.type('silk')
    await page.getByText('1 page ·').waitFor()
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('?')
    await page.getByRole('heading', { name: 'Keys' }).waitFor()
    await page.keyboard.press('Escape')
    await page.keyboard.press('i')
    await page.getByRole('heading', { name: 'CrawlDb record' }).waitFor()
    expect(page.url()).toContain('/url?url=')
  })

  it('shows hostile titles, texts and URLs as text', async () => {
    await open('/?q=poison')
    await page.getByText('2 pages').waitFor()
    expect(await titles()).toContain(HOSTILE_TITLE)
    expect(await page.locator('.result').count()).toBe(2)
    await page.locator('.result h2 a').filter({ hasText: 'window.pwned' }).click()
    await page.locator('.page-text').waitFor()
    expect(await page.locator('.page-text').textContent()).toBe(HOSTILE_TEXT)
    expect(await page.locator('main img, main script, main b').count()).toBe(0)
    for (const place of [
      `/url?url=${encodeURIComponent(HOSTILE_KEY)}`,
      '/host?host=hostile.test',
      '/statistics',
      `/?q=${encodeURIComponent('<img src=x onerror=pwned=1>')}`,
      `/host?host=${encodeURIComponent('"><script>pwned=1</script>')}`,
      `/url?url=${encodeURIComponent('javascript:pwned=1')}`,
    ]) {
      problems.length = 0
      await open(place)
      await page.locator('main').locator('h1, h2').first().waitFor()
      expect([place, await page.locator('main img, main script, main b').count()]).toEqual([place, 0])
      expect(await pwned()).toBeUndefined()
    }
    // An invalid host is a 4xx response, which the browser logs.
    problems.length = 0
  })

  it('does not link to URLs other than http: and https:', async () => {
    await open('/?q=trap')
    await page.getByText('1 page ·').waitFor()
    expect(await page.locator('.result-url').evaluate((element) => element.tagName)).toBe('SPAN')
    await open('/?q=poison')
    await page.getByText('2 pages').waitFor()
    const links = await page.evaluate<string[]>(`[...document.querySelectorAll('main a')].map((a) => a.href)`)
    expect(links.filter((href) => !/^https?:/.test(href))).toEqual([])
    const outward = page.locator('a.result-url').first()
    expect(await outward.getAttribute('rel')).toBe('noopener noreferrer')
  })

  it('cannot run or load foreign content, because of its CSP', async () => {
    await open('/?q=silk')
    await page.getByText('1 page ·').waitFor()
    const blocked = await page.evaluate(BREAK_OUT)
    expect(blocked).toEqual(expect.arrayContaining(['TypeError', 'img-src', 'frame-src', 'connect-src']))
    expect(await pwned()).toBeUndefined()
    expect(problems.length).toBeGreaterThan(0)
    problems.length = 0
  })

  it('uses the colour scheme of the system until the user chooses one', async () => {
    const brightness = () => page.evaluate<number>(BRIGHTNESS)
    await page.emulateMedia({ colorScheme: 'dark' })
    await open('/')
    expect(await brightness()).toBeLessThan(60)
    await page.emulateMedia({ colorScheme: 'light' })
    expect(await brightness()).toBeGreaterThan(200)
    await page.getByRole('button', { name: 'Colours: auto' }).click()
    await page.getByRole('button', { name: 'Colours: light' }).click()
    expect(await brightness()).toBeLessThan(60)
    await page.reload()
    expect(await brightness()).toBeLessThan(60)
  })

  it('does not scroll horizontally on a narrow screen', async () => {
    await page.setViewportSize({ width: 360, height: 700 })
    for (const place of ['/', '/?q=spider', '/?q=poison', '/statistics', '/host?host=hostile.test']) {
      await open(place)
      await page.locator('main').locator('.chip, h2').locator('visible=true').first().waitFor()
      const width = await page.evaluate('document.documentElement.scrollWidth')
      expect([place, width]).toEqual([place, 360])
    }
    await open('/?q=spider')
    await page.locator('summary', { hasText: 'Filters' }).click()
    await page.getByRole('link', { name: 'PDF, 1' }).click()
    await page.getByText('1 page ·').waitFor()
  })

  it('shows information about a URL and a host', async () => {
    await open(`/url?url=${encodeURIComponent('http://loom.test/silk')}`)
    await page.getByRole('heading', { name: 'Stored page' }).waitFor()
    await page.getByText('A spider gives little silk.').waitFor()
    const about = (await page.getByRole('main').textContent()) ?? ''
    for (const words of ['a seed', 'accepted by the rule', 'HTTP 200', 'fetch interval30 days', 'in 30 days'])
      expect(about).toContain(words)
    await page.getByRole('link', { name: 'Host', exact: true }).click()
    await page.getByRole('heading', { name: 'loom.test' }).waitFor()
    await page.getByRole('heading', { name: 'Latest fetches' }).waitFor()
    expect(await page.getByRole('main').textContent()).toContain('2 URLs')
    await page.getByRole('link', { name: 'Search its pages' }).click()
    await page.getByText('2 pages').waitFor()
    await open('/url?url=http://loom.test/unknown')
    await page.getByText('not in the CrawlDb: not a seed, and no fetched page links to it').waitFor()
    await page.getByText('The crawl has no stored text of this page.').waitFor()
    // That response is a 404, which the browser logs.
    problems.length = 0
  })

  it('shows statistics, and does not block other processes', async () => {
    await open('/statistics')
    await page.getByText('27 URLs · 3 hosts · 1 segment').waitFor()
    await page.getByRole('heading', { name: 'Fetching over time' }).waitFor()
    // The server has read the database; another process changes it.
    const args = ['testing/orbweaver-process.ts', 'inject', crawl, 'http://new.test/']
    expect(await runNode(args)).toMatchObject({ exitCode: 0 })
    await open('/host?host=new.test')
    await page.getByText('1 URL, 1 due now').waitFor()
    // A process that keeps the lock.
    const holder = await openCrawlDirectory(crawl, { command: 'crawl', memoryMb: 128 })
    try {
      await page.reload()
      await page.getByText(/A crawl is running.*Watch it live/).waitFor()
      await page.getByText('1 URL, 1 due now').waitFor()
      await open('/statistics')
      await page.getByText('A crawl is running').waitFor()
      await open('/?q=silk')
      await page.getByText('1 page ·').waitFor()
    } finally {
      await holder.close()
    }
  })

  it('says what to do without an index, and reads a crawl that another process had before the server started', async () => {
    const bare = await makeServedCrawl(PAGES.slice(0, 2), false)
    const holder = await openCrawlDirectory(bare, { command: 'crawl', memoryMb: 128 })
    const other = await ServedDirectory.start(bare)
    try {
      await page.goto(`${other.url}?q=spider`)
      await page.getByText(`npx orbweaver index ${bare}`).waitFor()
      await page.goto(`${other.url}statistics`)
      await page.getByText('2 URLs · 1 host · 1 segment').waitFor()
      await page.getByText('A crawl is running').waitFor()
      await page.getByRole('heading', { name: 'Fetching over time' }).waitFor()
      await page.goto(`${other.url}url?url=${encodeURIComponent('http://webs.test/spider/1')}`)
      await page.getByRole('heading', { name: 'CrawlDb record' }).waitFor()
      await page.getByText('All about the spider of number 1.').waitFor()
    } finally {
      await other.stop()
      await holder.close()
      removeServedCrawl(bare)
    }
  })

  it('shows all of its pages in the bar at the top of a narrow screen', async () => {
    await page.setViewportSize({ width: 390, height: 800 })
    await open('/?q=silk')
    const bar = page.getByRole('navigation', { name: 'Main' })
    await bar.getByRole('link', { name: 'Hosts' }).waitFor()
    expect(await page.evaluate(HIDDEN_WIDTH)).toBe(0)
  })

  it('gives hints when no page matches', async () => {
    await open('/?q=unheardof&site=webs.test')
    await page.getByRole('heading', { name: 'No page matches “unheardof”' }).waitFor()
    await page.getByRole('link', { name: 'Search without filters' }).click()
    await page.waitForURL((url) => !url.searchParams.has('site'))
    await open('/?q=spider+after%3A2050&lang=en')
    await page
      .getByRole('listitem')
      .filter({ hasText: 'for “spider” without the filters' })
      .getByRole('link')
      .click()
    await page.waitForURL((url) => url.searchParams.get('q') === 'spider' && !url.searchParams.has('lang'))
  })
})

/** Runs in the page: how much of the navigation must be scrolled to. */
const HIDDEN_WIDTH = `(() => {
  const bar = document.querySelector('nav')
  return bar.scrollWidth - bar.clientWidth
})()`

/** Runs in the page: tries what injected code would try, and returns what the browser blocked. */
const BREAK_OUT = `(async () => {
  const refused = []
  document.addEventListener('securitypolicyviolation', (event) => refused.push(event.effectiveDirective))
  try {
    document.body.innerHTML = '<p>taken for markup</p>'
  } catch (error) {
    refused.push(error.name)
  }
  const image = document.createElement('img')
  image.src = 'http://127.0.0.1:9/x.png'
  const frame = document.createElement('iframe')
  frame.src = 'http://127.0.0.1:9/'
  const button = document.createElement('button')
  try {
    button.setAttribute('onclick', "window.pwned = 'inline'")
  } catch (error) {
    refused.push(error.name)
  }
  document.body.append(image, frame, button)
  button.click()
  await fetch('http://127.0.0.1:9/').catch(() => undefined)
  const all = () => ['img-src', 'frame-src', 'connect-src'].every((name) => refused.includes(name))
  for (let waits = 0; waits < 200 && !all(); waits++)
    await new Promise((resolve) => setTimeout(resolve, 10))
  return refused
})()`

/** Runs in the page. Returns the brightness of the background, from 0 to 255. */
const BRIGHTNESS = `(() => {
  const canvas = document.createElement('canvas').getContext('2d')
  canvas.fillStyle = getComputedStyle(document.body).backgroundColor
  canvas.fillRect(0, 0, 1, 1)
  return canvas.getImageData(0, 0, 1, 1).data[0]
})()`
