import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Browser, chromium, type Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { RedisServer } from '../testing/redis-server.ts'
import { CHROMIUM, requireChromium } from '../testing/require-chromium.ts'
import { useRedis } from '../testing/use-redis.ts'

/** The live page of crawls, spiders and fleets that really run. `npm test` builds dist/ before. */

const PROGRAM = join(import.meta.dirname, '../bin/orbweaver.js')
const WAIT = { timeout: 30_000 }
const HOSTILE = `<img src=x onerror="window.pwned=1"><script>window.pwned=1</script>`

describe.runIf(requireChromium())('the live page of a running crawl', () => {
  let browser: Browser
  let page: Page
  let folder: string
  let site: EndlessSite
  let redis: RedisServer
  let problems: string[]
  const processes: RunningProcess[] = []

  useRedis((started) => {
    redis = started.server
  })
  beforeAll(async () => {
    browser = await chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox'] })
    site = await EndlessSite.start()
    folder = mkdtempSync(join(tmpdir(), 'orbweaver-live-'))
  })
  afterAll(async () => {
    await browser?.close()
    await site?.close()
    rmSync(folder, { recursive: true, force: true })
  })
  beforeEach(async () => {
    page = await browser.newPage({ viewport: { width: 1300, height: 900 } })
    page.setDefaultTimeout(WAIT.timeout)
    problems = []
    site.requests.length = 0
    page.on('pageerror', (error) => problems.push(String(error)))
    page.on('console', (message) => message.type() === 'error' && problems.push(message.text()))
  })
  afterEach(async () => {
    await page.close()
    for (const process of processes.splice(0)) await process.kill()
    expect(problems.filter((text) => !text.includes('net::ERR_'))).toEqual([])
  })

  const start = (...args: readonly string[]) => {
    const process = new RunningProcess(args)
    processes.push(process)
    return process
  }
  const button = (name: string | RegExp) => page.getByRole('button', { name })
  const total = async (name: string) => {
    const note = page.locator('.tile').filter({ hasText: name }).locator('.tile-note')
    return Number(((await note.textContent()) ?? '').replaceAll(/\D/g, ''))
  }
  const grows = async (name: string) => {
    const before = await total(name)
    await expect.poll(() => total(name), WAIT).toBeGreaterThan(before)
  }
  // The whole text: 'Not running' contains 'running'.
  const state = (text: string) => page.locator('.state-badge', { hasText: RegExp(`^(${text})$`) }).waitFor()
  /** The site gets no request between two reports. */
  const isQuiet = async () => {
    const before = site.requests.length
    const time = await page.locator('.facts-line').textContent()
    await expect.poll(() => page.locator('.facts-line').textContent(), WAIT).not.toBe(time)
    return site.requests.length === before
  }
  const spiderFile = () => {
    const file = join(folder, 'books.ts')
    writeFileSync(file, SPIDER.replaceAll('SEED', site.origin).replaceAll("'zod'", `'${ZOD}'`))
    return file
  }

  it('shows and controls a crawl', async () => {
    const directory = join(folder, 'crawl')
    const crawl = start(
      ...['crawl', directory, `${site.origin}/`, '--email', 'test@example.org', '--delay', '0.05'],
      ...['--serve', '0'],
    )
    await page.goto(await crawl.url(/Dashboard: (\S+)live\n/))
    // There is no index yet: the live page is the start page.
    await page.waitForURL(/\/live$/)
    await state('Running')
    await grows('Pages')
    await button('Pause').click()
    await state('Paused')
    await expect.poll(isQuiet, WAIT).toBe(true)
    expect(await isQuiet()).toBe(true)
    await button('Resume').click()
    await state('Running')
    await grows('Pages')

    const row = page.locator('.host-table tbody tr').first()
    await row.getByRole('button').click()
    await page.getByLabel('Delay after a response').fill('0.2')
    await button('Set delay').click()
    await row.getByText(/200 ms set here/).waitFor()

    await page.locator('.host-table tbody a').first().click()
    await page.getByRole('heading', { name: '127.0.0.1' }).waitFor()
    await page.getByRole('link', { name: 'Statistics' }).click()
    await page.getByRole('heading', { name: 'Statistics' }).waitFor()
    await page.getByRole('link', { name: 'Watch it live' }).click()
    await grows('Pages')
    await button('Stop').click()
    await button('Stop the crawl').click()
    await crawl.ended
    await state('Finished')
    await page.getByText('The crawl has ended').first().waitFor()
    expect(await total('Pages')).toBeGreaterThan(0)
  })

  it('shows a crawl that runs in another process', async () => {
    const directory = join(folder, 'other')
    const crawl = start(
      ...['crawl', directory, `${site.origin}/`, '--email', 'test@example.org', '--delay', '0.05'],
    )
    await expect.poll(() => site.requests.length, WAIT).toBeGreaterThan(3)
    const server = start('serve', directory, '--port', '0')
    await page.goto(await server.url(/is running; watch it on (\S+\/live)\n/))
    await state('Running')
    await grows('Pages')
    await button('Stop').click()
    await button('Stop the crawl').click()
    await crawl.ended
    await state('Ended|Finished')
    expect(await total('Pages')).toBeGreaterThan(0)
  })

  it('shows the items and failures of a spider, and retries a failed request', async () => {
    const spider = start('run', spiderFile(), '--serve', '0', '--delay', '0.05')
    await page.goto(await spider.url(/Dashboard: (\S+)/))
    await state('Running')
    await grows('Items')
    const table = page.locator('.item-table')
    expect(await table.locator('thead th').allTextContents()).toEqual(['Time', 'title', 'number', 'Page'])
    await table.getByText(HOSTILE).first().waitFor()
    await page.getByRole('heading', { name: 'Rejected items' }).waitFor()
    expect(await page.locator('main img, main script').count()).toBe(0)
    expect(await page.evaluate('window.pwned')).toBeUndefined()

    await expect.poll(() => site.requests.filter((path) => path === '/fails').length, WAIT).toBeGreaterThan(0)
    const failed = page
      .locator('section[aria-labelledby="failures"] tr')
      .filter({ hasText: '/fails' })
      .first()
    await failed.waitFor()
    const before = site.requests.filter((path) => path === '/fails').length
    await failed.getByRole('button', { name: /^Retry/ }).click()
    await expect
      .poll(() => site.requests.filter((path) => path === '/fails').length, WAIT)
      .toBeGreaterThan(before)
    await button('Pause').click()
    await state('Paused')
    await expect.poll(isQuiet, WAIT).toBe(true)
  })

  it('shows and pauses a fleet of two workers', async () => {
    const file = spiderFile()
    const worker = () => start('run', file, '--redis', redis.address, '--delay', '0.05')
    worker()
    worker()
    await expect.poll(() => site.requests.length, WAIT).toBeGreaterThan(3)
    const server = start('serve', '--redis', redis.address, '--port', '0')
    await page.goto(await server.url(/^Serving books on (http:\/\/127\.0\.0\.1:\d+\/)/))
    await page.waitForURL(/\/live$/)
    const workers = page.locator('section[aria-labelledby="workers"] tbody tr')
    await expect.poll(() => workers.count(), WAIT).toBe(2)
    await grows('Pages')
    await page.locator('.host-table tbody tr').filter({ hasText: '127.0.0.1' }).waitFor()
    await button('Pause').click()
    await state('Paused')
    await expect.poll(isQuiet, WAIT).toBe(true)
    await button('Resume').click()
    await state('Running')
    await expect.poll(isQuiet, WAIT).toBe(false)
  })
})

const ZOD = fileURLToPath(import.meta.resolve('zod'))

/** Every fifth item is rejected. */
const SPIDER = `import { spider } from 'orbweaver'
import { z } from 'zod'

export default spider({
  name: 'books',
  start: ['SEED/', 'SEED/fails'],
  item: z.object({ title: z.string(), number: z.number() }),
  retry: { retries: { serverError: 0 } },
  settings: { agent: { email: 'test@example.org' } },
  *parse(page) {
    const number = Number(page.url.split('/').at(-1))
    yield page.item({ title: page.text('h1'), number: number % 5 === 4 ? 'many' : number })
    yield* page.followAll('a')
  },
})
`

/** Pages without end on 127.0.0.1: each links to the next ones, with a hostile title. */
class EndlessSite {
  readonly requests: string[] = []
  readonly origin: string
  readonly #server: Server

  private constructor(server: Server) {
    this.#server = server
    this.origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  }

  static async start(): Promise<EndlessSite> {
    const server = createServer()
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    const site = new EndlessSite(server)
    server.on('request', ({ url = '' }, response) => {
      site.requests.push(url)
      if (url === '/robots.txt' || url === '/fails') {
        response.writeHead(url === '/fails' ? 500 : 404).end()
        return
      }
      const number = Number(url.split('/').at(-1))
      const links = [1, 2, 3].map((i) => `<a href="/book/${number * 3 + i}">Book</a>`).join(' ')
      const title = HOSTILE.replaceAll('<', '&lt;')
      response.setHeader('content-type', 'text/html')
      response.end(`<!doctype html><title>${title} ${number}</title><h1>${title}</h1><p>Text.</p>${links}`)
    })
    return site
  }

  async close(): Promise<void> {
    const closed = once(this.#server, 'close')
    this.#server.close()
    this.#server.closeAllConnections()
    await closed
  }
}

/** The built command in its own process. */
class RunningProcess {
  readonly ended: Promise<unknown>
  readonly #child: ChildProcess
  #text = ''

  constructor(args: readonly string[]) {
    this.#child = spawn(process.execPath, [PROGRAM, ...args], { stdio: ['ignore', 'pipe', 'pipe'] })
    for (const stream of [this.#child.stdout, this.#child.stderr])
      stream?.setEncoding('utf8').on('data', (text: string) => {
        this.#text += text
      })
    this.ended = once(this.#child, 'close')
  }

  /** The URL that it prints. */
  async url(pattern: RegExp): Promise<string> {
    await expect.poll(() => this.#text, WAIT).toMatch(pattern)
    return pattern.exec(this.#text)?.[1] ?? ''
  }

  async kill(): Promise<void> {
    this.#child.kill('SIGKILL')
    await this.ended
  }
}
