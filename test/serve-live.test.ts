import { once } from 'node:events'
import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { Access } from '../src/adapters/serve/access.ts'
import { type Listening, listen } from '../src/adapters/serve/listen.ts'
import { createServeApp, readWebFiles, type ServeAppParts } from '../src/adapters/serve/serve-app.ts'
import type { ServedEntry } from '../src/adapters/serve/serve-ports.ts'
import { wallClock } from '../src/base/clock.ts'
import type { LiveCrawl } from '../src/domain/live/live-crawl.ts'
import { FakeLiveCrawl, type FakeLiveCrawlOptions } from '../testing/fake-live-crawl.ts'
import { CHROMIUM, requireChromium } from '../testing/require-chromium.ts'

/** The live page in a real browser, with made-up crawls. */

const WAIT = { timeout: 15_000 }
const LONG_HOST = `${'a'.repeat(10_000)}.test`
const REORDERED = 'safe.test/\u202egnp.exe\u0007'

describe.runIf(requireChromium())('the live page', () => {
  let browser: Browser
  let context: BrowserContext
  let page: Page
  const servers: Listening[] = []
  /** Errors in the page, violations of the CSP included. */
  let problems: string[]
  let mayBeUnreachable: boolean
  let mayBeRejected: boolean

  beforeAll(async () => {
    browser = await chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox'] })
  })
  afterAll(async () => {
    await browser?.close()
  })
  beforeEach(async () => {
    context = await browser.newContext({ viewport: { width: 1300, height: 900 } })
    context.setDefaultTimeout(15_000)
    page = await context.newPage()
    problems = []
    mayBeUnreachable = false
    mayBeRejected = false
    page.on('pageerror', (error) => problems.push(String(error)))
    page.on('console', (message) => message.type() === 'error' && problems.push(message.text()))
  })
  afterEach(async () => {
    await context.close()
    for (const server of servers.splice(0)) await server.close()
    const isExpected = (text: string) =>
      (mayBeUnreachable && /net::ERR_/.test(text)) || (mayBeRejected && /status of 40[13]/.test(text))
    expect(problems.filter((text) => !isExpected(text))).toEqual([])
  })

  const serve = async (crawls: readonly ServedEntry[], more: Partial<ServeAppParts> = {}) => {
    const files = await readWebFiles(join(import.meta.dirname, '../dist/web'))
    const app = createServeApp({ crawls, clock: wallClock, files, host: '127.0.0.1', ...more })
    const server = await listen(app, { host: '127.0.0.1', port: 0 })
    servers.push(server)
    return server.url
  }
  const fake = async (options: FakeLiveCrawlOptions = {}, more: Partial<ServeAppParts> = {}) => {
    const live = new FakeLiveCrawl(wallClock, options)
    const url = await serve([entryOf('made-up', live)], more)
    await page.goto(`${url}live`)
    await page.getByRole('heading', { name: 'Hosts' }).waitFor()
    return live
  }
  const tile = (name: string) => page.locator('.tile').filter({ hasText: name }).locator('.tile-note')
  // The whole text: 'Not running' contains 'running'.
  const state = (text: string) => page.locator('.state-badge', { hasText: RegExp(`^${text}$`) }).waitFor()
  const pages = async () => numberIn(await tile('Pages').textContent())
  const moreThan = (count: number) => expect.poll(pages, WAIT).toBeGreaterThan(count)
  const hosts = () => page.locator('.host-table tbody th').allTextContents()
  const button = (name: string | RegExp) => page.getByRole('button', { name })

  it('updates its figures every second', async () => {
    await fake()
    await moreThan(await pages())
    await page.locator('.area-chart .line').first().waitFor({ state: 'attached' })
    const text = (await page.getByRole('main').textContent()) ?? ''
    for (const words of ['Running', 'fetching segment', 'left', 'Median', 'p95', 'p99', 'fetched', 'cores'])
      expect(text).toContain(words)
  })

  it('pauses, resumes and stops a crawl', async () => {
    const live = await fake()
    await button('Pause').click()
    await state('Paused')
    await page.getByText('The crawl is paused.', { exact: true }).first().waitFor()
    await button('Resume').click()
    await state('Running')
    await button('Stop').click()
    await button('Keep it running').click()
    expect(live.actions.map(({ action }) => action)).toEqual(['pause', 'resume'])
    await button('Stop').click()
    await button('Stop the crawl').click()
    await state('Stopping')
    expect(live.actions.at(-1)).toEqual({ action: 'stop' })
  })

  it('changes the delay of a host, and removes the change', async () => {
    const live = await fake({ hosts: 3 })
    const row = page.locator('.host-table tr').filter({ hasText: 'site-0001' })
    await row.getByRole('button').click()
    await page.getByLabel('Delay after a response').fill('7.5')
    // The page is drawn again meanwhile.
    await moreThan(await pages())
    await button('Set delay').click()
    await row.getByText(/7\.5 s set here/).waitFor()
    expect(live.actions).toEqual([{ action: 'set-delay', host: 'site-0001.example.org', delayMs: 7_500 }])
    await row.getByRole('button').click()
    await button('Use the configured delay').click()
    await row.getByText(/1 s config/).waitFor()
    expect(live.actions.at(-1)).toMatchObject({ delayMs: null })
  })

  it('retries one failed request, and all of them', async () => {
    const live = await fake({ kind: 'spider' })
    const row = page
      .locator('tr')
      .filter({ has: button(/^Retry https/) })
      .first()
    const url = (await row.locator('.url-link').textContent())?.replace('↗', '')
    await row.getByRole('button').click()
    await page.getByText('queued', { exact: true }).first().waitFor()
    expect(live.actions).toEqual([{ action: 'retry-failed', url }])
    await button('Retry failed').click()
    await expect.poll(() => live.actions.at(-1), WAIT).toEqual({ action: 'retry-failed' })
    await page.getByText('Failed requests are queued again: 1.').waitFor()
  })

  it('sorts, pages and filters hosts', async () => {
    await fake({ hosts: 120 })
    await page.getByText('Page 1 of 5').waitFor()
    await page.getByRole('columnheader', { name: 'Host' }).getByRole('button').click()
    await expect.poll(async () => (await hosts())[0], WAIT).toBe('site-0000.example.org')
    expect(await page.locator('th[aria-sort]').getAttribute('aria-sort')).toBe('ascending')
    await page.getByRole('columnheader', { name: 'Host' }).getByRole('button').press('Enter')
    await expect.poll(async () => (await hosts())[0], WAIT).toBe('site-0119.example.org')
    expect(await page.locator('th[aria-sort]').getAttribute('aria-sort')).toBe('descending')
    await button('Next →').click()
    await page.getByText('Page 2 of 5').waitFor()
    await expect.poll(async () => (await hosts())[0], WAIT).toBe('site-0094.example.org')
    await page.getByRole('searchbox').fill('0042')
    await expect.poll(hosts, WAIT).toEqual(['site-0042.example.org'])
    expect(page.url()).toContain('contains=0042')
    await page.getByRole('searchbox').fill('none of them')
    await page.getByText('No host contains this text.').waitFor()
  })

  it('can be used with the keyboard alone', async () => {
    const live = await fake({ hosts: 60 })
    await page.keyboard.press('Tab')
    expect(await page.evaluate('document.activeElement.textContent')).toBe('Skip to the content')
    await page.keyboard.press('Enter')
    expect(await page.evaluate('document.activeElement.id')).toBe('content')
    await page.keyboard.press('x')
    await state('Paused')
    await page.keyboard.press('x')
    await state('Running')
    expect(live.actions.map(({ action }) => action)).toEqual(['pause', 'resume'])
    await page.keyboard.press('r')
    await page.waitForURL(/range=run/)
    const slider = page.getByRole('slider')
    await page.locator('.area-chart .line').first().waitFor({ state: 'attached' })
    await slider.focus()
    await page.keyboard.press('Home')
    const first = await slider.getAttribute('aria-valuetext')
    expect(first).toMatch(/^\d\d:\d\d:\d\d: [\d.]+ pages\/s, [\d.]+ kB\/s$/)
    await page.keyboard.press('ArrowRight')
    await expect.poll(() => slider.getAttribute('aria-valuetext'), WAIT).not.toBe(first)
    expect(await page.locator('.cursor').count()).toBe(2)
    await slider.blur()
    await page.keyboard.press('n')
    await page.getByText('Page 2 of 3').waitFor()
    await page.keyboard.press('p')
    await page.getByText('Page 1 of 3').waitFor()
    await page.keyboard.press('/')
    await page.keyboard.type('0007')
    await expect.poll(hosts, WAIT).toEqual(['site-0007.example.org'])
    await page.keyboard.press('Tab')
    await button('Change the delay of site-0007.example.org').focus()
    await page.keyboard.press('Enter')
    await page.getByLabel('Delay after a response').waitFor()
    await page.keyboard.press('Escape')
    await expect
      .poll(() => page.evaluate('document.activeElement.getAttribute("aria-label")'), WAIT)
      .toBe('Change the delay of site-0007.example.org')
    await page.keyboard.press('?')
    await page.getByText('pause or resume the crawl').waitFor()
  })

  it('shows the values of the charts on hover and as a table', async () => {
    await fake()
    await page.locator('.area-chart .line').first().waitFor({ state: 'attached' })
    await page.locator('.area-chart').first().hover()
    await page.locator('.cursor').first().waitFor()
    expect(await page.locator('.chart-caption').first().textContent()).toMatch(
      /\d\d:\d\d:\d\d: [\d.]+ pages\/s/,
    )
    await page.getByText('Show as a table').click()
    await page.getByRole('columnheader', { name: 'Pages per second' }).waitFor()
    expect(await page.locator('details tbody tr').count()).toBeGreaterThan(5)
  })

  it('shows items of a spider as a table', async () => {
    await fake({ kind: 'spider' })
    const table = page.locator('.item-table')
    expect(await table.locator('thead th').allTextContents()).toEqual([
      ...['Time', 'title', 'price', 'tags', 'stock', 'Page'],
    ])
    expect(await table.locator('tbody tr').first().textContent()).toContain('["a","b"]')
    await page.getByRole('heading', { name: 'Rejected items' }).waitFor()
    await page.getByText('price: expected a number').first().waitFor()
  })

  it('shows the workers of a fleet, with a warning for a late heartbeat', async () => {
    const live = new FakeLiveCrawl(wallClock, { kind: 'fleet', workers: 3 })
    const late: LiveCrawl = {
      ...{
        series: () => live.series(),
        hosts: (query) => live.hosts(query),
        act: (action) => live.act(action),
      },
      async report() {
        const report = await live.report()
        const { fleet } = report
        if (fleet === undefined) return report
        const workers = fleet.workers.map((worker, i) =>
          i === 0 ? { ...worker, heardAt: report.at - 25_000, expiresAt: report.at + 5_000 } : worker,
        )
        return { ...report, fleet: { ...fleet, workers } }
      },
    }
    await page.goto(`${await serve([entryOf('fleet', late)])}live`)
    const rows = page.locator('section[aria-labelledby="workers"] tbody tr')
    await rows.first().waitFor()
    expect(await rows.count()).toBe(3)
    expect(await rows.first().textContent()).toContain('late')
    expect(await rows.nth(1).textContent()).not.toContain('late')
    for (const words of ['Dead letters', 'Start URLs', 'Waiting'])
      await page.getByText(words).first().waitFor()
  })

  it('shows hostile texts as text', async () => {
    for (const kind of ['cycle', 'spider', 'fleet'] as const) {
      await fake({ kind, hostile: true, hosts: 4 })
      await page.getByText('{{7*7}}').first().waitFor()
      expect(await page.locator('main img, main script, main b, main iframe').count()).toBe(0)
      expect(await page.evaluate('window.pwned')).toBeUndefined()
      const links = await page.evaluate<string[]>(
        `[...document.querySelectorAll('main a')].map((a) => a.href)`,
      )
      expect(links.filter((href) => !/^https?:/.test(href))).toEqual([])
    }
  })

  it('shows very long and reordering texts without breaking the layout', async () => {
    const live = new FakeLiveCrawl(wallClock, { kind: 'spider', hosts: 2 })
    const odd: LiveCrawl = {
      ...{ series: () => live.series(), act: (action) => live.act(action) },
      async report() {
        const report = await live.report()
        const [item] = report.items?.latest ?? []
        if (item === undefined) return report
        const strange = {
          ...item,
          item: { [LONG_HOST]: REORDERED, text: 'word '.repeat(5_000), [REORDERED]: 1 },
        }
        const failure = {
          at: report.at,
          url: `http://${LONG_HOST}/`,
          host: LONG_HOST,
          code: LONG_HOST,
          reason: REORDERED,
        }
        return {
          ...{ ...report, activity: LONG_HOST, failures: [failure] },
          items: { latest: [strange], rejected: [{ ...strange, reason: LONG_HOST }] },
        }
      },
      async hosts(query) {
        const list = await live.hosts(query)
        return {
          total: 3,
          hosts: list.hosts.map((host, i) => ({ ...host, host: i === 0 ? LONG_HOST : REORDERED })),
        }
      },
    }
    const url = await serve([entryOf(LONG_HOST, odd)])
    for (const width of [1_300, 390]) {
      await page.setViewportSize({ width, height: 800 })
      await page.goto(`${url}live`)
      await page.getByRole('rowheader', { name: /safe\.test/ }).waitFor()
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(width)
      const text = (await page.getByRole('main').textContent()) ?? ''
      expect(text).toContain('safe.test/\\u202egnp.exe\\u0007')
      expect(text).not.toContain('\u202e')
    }
    await button('more').first().click()
    await button('less').first().waitFor()
    await button(/^Change the delay of aaa/).click()
    await page.getByRole('heading', { name: 'Delay of aaa' }).waitFor()
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390)
  })

  it('lists ten hosts in a few lines each on a narrow screen', async () => {
    await page.setViewportSize({ width: 390, height: 800 })
    await fake({ hosts: 120 })
    await page.getByText('Page 1 of 12').waitFor()
    await expect.poll(async () => (await hosts()).length, WAIT).toBe(10)
    const heights = `[...document.querySelectorAll('.host-table tbody tr')].map((row) => row.offsetHeight)`
    expect(Math.max(...(await page.evaluate<number[]>(heights)))).toBeLessThan(130)
    for (let i = 2; i <= 12; i++) {
      await button('Next →').click()
      await page.getByText(`Page ${i} of 12`).waitFor()
    }
    await page.setViewportSize({ width: 1300, height: 800 })
    await page.getByText('Page 5 of 5').waitFor()
    await expect.poll(async () => (await hosts()).length, WAIT).toBe(20)
  })

  it('does not scroll horizontally on a narrow screen, and with 200 % zoom', async () => {
    for (const kind of ['cycle', 'spider', 'fleet'] as const)
      for (const width of [390, 320, 640]) {
        await page.setViewportSize({ width, height: 800 })
        await fake({ kind })
        expect([kind, await page.evaluate('document.documentElement.scrollWidth')]).toEqual([kind, width])
      }
  })

  it('names every control, and has readable colours', async () => {
    await fake({ kind: 'spider' })
    expect(await page.evaluate(NAMELESS)).toEqual([])
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme })
      const low = await page.evaluate<string[]>(LOW_CONTRAST)
      expect([colorScheme, low]).toEqual([colorScheme, []])
    }
  })

  it('does not move its parts when figures change', async () => {
    await fake({ hosts: 60 })
    await page.locator('.area-chart .line').first().waitFor({ state: 'attached' })
    const before = await page.evaluate(POSITIONS)
    await moreThan((await pages()) + 15)
    expect(await page.evaluate(POSITIONS)).toEqual(before)
  })

  it('hides actions and gives the reason when they are not allowed', async () => {
    await fake({}, { access: new Access(wallClock, { readOnly: true }) })
    await page.getByText('Read-only: the server was started with --read-only.').waitFor()
    expect(await button('Pause').count()).toBe(0)
    expect(await button(/^Change the delay/).count()).toBe(0)
    expect(await button(/^Retry/).count()).toBe(0)
  })

  describe('for clients on other machines', () => {
    const TOKEN = 'a+token/with=odd&characters%'
    const access = () => new Access(wallClock, { token: TOKEN })
    /** Opens the live page through a proxy, so that the server counts the browser as remote. */
    const remote = async (fragment = '') => {
      const live = new FakeLiveCrawl(wallClock, { hosts: 3 })
      const proxy = await forwardTo(await serve([entryOf('made-up', live)], { access: access() }))
      servers.push(proxy)
      const messages: string[] = []
      page.on('console', (message) => messages.push(message.text()))
      await page.goto(`${proxy.url}live${fragment}`)
      await page.getByRole('heading', { name: 'Hosts' }).waitFor()
      return { live, proxy, messages }
    }
    const address = () => page.evaluate<string>('location.href')

    it('shows a form for the token instead of the actions', async () => {
      // The browser logs responses with a status of 4xx.
      mayBeRejected = true
      const { live } = await remote()
      await page.getByText('To pause, stop or change the crawl, enter the token of the server.').waitFor()
      await moreThan(await pages())
      for (const name of ['Pause', 'Stop', /^Change the delay/, /^Retry/])
        expect([name, await button(name).count()]).toEqual([name, 0])
      await page.keyboard.press('x')
      await page.getByLabel('Token').fill('not the token of the server')
      await page.getByLabel('Token').press('Enter')
      await page.getByText('The token is not valid.').waitFor()
      expect(live.actions).toEqual([])
      await page.getByLabel('Token').fill(TOKEN)
      await button('Send').click()
      await button('Pause').click()
      await state('Paused')
      expect(live.actions).toEqual([{ action: 'pause' }])
    })

    it('accepts the token in the address, and keeps it nowhere', async () => {
      const { live, proxy, messages } = await remote(`#token=${encodeURIComponent(TOKEN)}`)
      await button('Pause').click()
      await state('Paused')
      expect(live.actions).toEqual([{ action: 'pause' }])
      expect(await address()).toBe(`${proxy.url}live`)
      await page.goto(`${proxy.url}live?range=run`)
      await button('Resume').waitFor()
      await page.goBack()
      await button('Resume').waitFor()
      expect(await address()).toBe(`${proxy.url}live`)
      const stored = await page.evaluate<string>(
        'JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie, history.state])',
      )
      const cookies = await context.cookies(`${proxy.url}api/`)
      expect(cookies).toMatchObject([{ httpOnly: true, sameSite: 'Strict', expires: -1 }])
      const kept = [stored, JSON.stringify(cookies), ...messages, ...proxy.lines]
      for (const token of [TOKEN, encodeURIComponent(TOKEN)])
        expect(kept.filter((text) => text.includes(token))).toEqual([])
      expect(proxy.lines.filter((line) => line.startsWith('POST /api/login'))).toHaveLength(1)
      // A new session of the browser has to log in again.
      const other = await browser.newContext()
      const second = await other.newPage()
      await second.goto(`${proxy.url}live`)
      await second.getByLabel('Token').waitFor()
      await other.close()
    })

    it('accepts an address with the token in a tab that already shows the page', async () => {
      const { proxy } = await remote()
      await page.getByLabel('Token').waitFor()
      await page.evaluate(`location.hash = 'token=${encodeURIComponent(TOKEN)}'`)
      await button('Pause').waitFor()
      expect(await address()).toBe(`${proxy.url}live`)
    })

    it('says that the token in the address is not valid', async () => {
      mayBeRejected = true
      const { live, proxy } = await remote('#token=not-the-token-of-the-server')
      await page.getByText('The token is not valid.').waitFor()
      expect(await address()).toBe(`${proxy.url}live`)
      expect(await button('Pause').count()).toBe(0)
      expect(live.actions).toEqual([])
    })
  })

  it('switches between crawls', async () => {
    const url = await serve([
      entryOf('first', new FakeLiveCrawl(wallClock)),
      entryOf('second', new FakeLiveCrawl(wallClock, { kind: 'fleet' })),
      { id: 'idle', name: 'idle', live: { find: async () => undefined } },
    ])
    await page.goto(url)
    await page.waitForURL(/\/live$/)
    await page.getByRole('heading', { name: 'Rounds' }).waitFor()
    await page.getByRole('combobox', { name: /^Crawl/ }).selectOption('second')
    await page.getByRole('heading', { name: 'Workers' }).waitFor()
    expect(page.url()).toContain('crawl=second')
    await page.getByRole('combobox', { name: /^Crawl/ }).selectOption('idle')
    await page.getByRole('heading', { name: 'This crawl is not running' }).waitFor()
    await page.goBack()
    await page.getByRole('heading', { name: 'Workers' }).waitFor()
  })

  it('says so when its code cannot be loaded', async () => {
    mayBeUnreachable = true
    await page.route('**/assets/live-page-*.js', (route) => route.abort())
    await page.goto(`${await serve([entryOf('made-up', new FakeLiveCrawl(wallClock))])}live`)
    await page.getByRole('heading', { name: 'This page cannot be loaded' }).waitFor()
  })

  it('says when the connection is lost, reconnects, and keeps the last state of a crawl that has ended', async () => {
    // The browser logs requests to a server that cannot be reached.
    mayBeUnreachable = true
    const live = new FakeLiveCrawl(wallClock)
    let running: LiveCrawl | undefined = live
    const entry = { id: 'made-up', name: 'made-up', live: { find: async () => running } }
    const url = new URL(await serve([entry]))
    await page.goto(`${url.href}live`)
    await state('Running')
    await servers.pop()?.close()
    await page.getByText('Connection lost.').waitFor()
    expect(await tile('Pages').textContent()).toMatch(/in total/)
    const files = await readWebFiles(join(import.meta.dirname, '../dist/web'))
    const app = createServeApp({ crawls: [entry], clock: wallClock, files, host: '127.0.0.1' })
    servers.push(await listen(app, { host: '127.0.0.1', port: Number(url.port) }))
    await page.getByText('Connection lost.').waitFor({ state: 'detached' })
    running = undefined
    await state('Ended')
    expect(await tile('Pages').textContent()).toMatch(/in total/)
    expect(await button('Pause').count()).toBe(0)
  })
})

function entryOf(name: string, live: LiveCrawl): ServedEntry {
  return { id: name.slice(0, 100), name, live: { find: async () => live } }
}

/** A reverse proxy as in docs/serve.md, with the request lines and headers that it received. */
async function forwardTo(target: string): Promise<Listening & { readonly lines: string[] }> {
  const lines: string[] = []
  const proxy = createServer((incoming, outgoing) => {
    lines.push(`${incoming.method} ${incoming.url} ${incoming.rawHeaders.join(' ')}`)
    const headers = { ...incoming.headers, 'x-forwarded-for': '192.0.2.1' }
    const sent = request(new URL(incoming.url ?? '/', target), { method: incoming.method, headers })
    sent.on('response', (response) => {
      outgoing.writeHead(response.statusCode ?? 502, response.headers)
      response.pipe(outgoing)
    })
    sent.on('error', () => outgoing.destroy())
    outgoing.on('close', () => sent.destroy())
    incoming.pipe(sent)
  })
  proxy.listen(0, '127.0.0.1')
  await once(proxy, 'listening')
  return {
    lines,
    url: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}/`,
    async close() {
      proxy.close()
      proxy.closeAllConnections()
      await once(proxy, 'close')
    },
  }
}

function numberIn(text: string | null): number {
  return Number((text ?? '').replaceAll(/\D/g, ''))
}

/** Runs in the page. Returns controls without a name. */
const NAMELESS = `[...document.querySelectorAll('button, a[href], input, select, [role=slider], dialog')]
  .filter((element) => {
    const labelled = element.getAttribute('aria-labelledby')
    const name = element.getAttribute('aria-label') ?? (labelled && document.getElementById(labelled)?.textContent)
      ?? element.textContent
    return name.trim() === '' && !element.labels?.length
  })
  .map((element) => element.outerHTML.slice(0, 200))`

/** Runs in the page. Returns the tops and lefts of panels and table columns. */
const POSITIONS = `[...document.querySelectorAll('.tile, .panel, .host-table thead th')]
  .map((element) => { const { top, left } = element.getBoundingClientRect(); return [Math.round(top), Math.round(left)] })`

/** Runs in the page. Returns texts whose contrast with their background is below 4.5 (3 for large ones), as WCAG computes it. */
const LOW_CONTRAST = `(() => {
  const canvas = document.createElement('canvas').getContext('2d', { willReadFrequently: true })
  const rgba = (colour) => {
    canvas.clearRect(0, 0, 1, 1)
    canvas.fillStyle = colour
    canvas.fillRect(0, 0, 1, 1)
    return [...canvas.getImageData(0, 0, 1, 1).data]
  }
  const luminance = ([r, g, b]) => {
    const [x, y, z] = [r, g, b].map((c) => (c /= 255) <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4)
    return 0.2126 * x + 0.7152 * y + 0.0722 * z
  }
  const backgroundOf = (element) => {
    for (let at = element; at !== null; at = at.parentElement) {
      const colour = rgba(getComputedStyle(at).backgroundColor)
      if (colour[3] > 250) return colour
    }
    return [255, 255, 255]
  }
  const low = new Set()
  for (const element of document.querySelectorAll('body *')) {
    const hasText = [...element.childNodes].some((node) => node.nodeType === 3 && node.data.trim() !== '')
    if (!hasText || element.closest('dialog, [disabled], option, noscript') || element.getClientRects().length === 0) continue
    const style = getComputedStyle(element)
    const a = luminance(rgba(style.color))
    const b = luminance(backgroundOf(element))
    const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05)
    if (ratio < (parseFloat(style.fontSize) >= 24 ? 3 : 4.5)) low.add(element.className + ' ' + ratio.toFixed(2))
  }
  return [...low]
})()`
