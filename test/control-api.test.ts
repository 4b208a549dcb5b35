import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { createServer, request, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { chromium } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import type { ControlledCrawl } from '../src/adapters/serve/control/control-schemas.ts'
import { CHROMIUM, requireChromium } from '../testing/require-chromium.ts'
import { runOrbweaver } from './run-orbweaver.ts'
import { StartedOrbweaver } from './started-orbweaver.ts'

/** The life of crawls over HTTP, with the built program: server, crawl processes and site are real. */

const TOKEN = 'a-token-of-the-control-tests'
const folder = mkdtempSync(join(tmpdir(), 'orbweaver-control-'))
const crawls = join(folder, 'crawls')

let site: Server
let seed: string
let server: StartedOrbweaver | undefined
let api: string

beforeAll(async () => {
  mkdirSync(crawls)
  // An endless site: each page links to two others.
  site = createServer(({ url = '' }, response) => {
    const [, digits] = /^\/p(\d+)$/.exec(url) ?? []
    if (url !== '/' && digits === undefined) return void response.writeHead(404).end()
    const n = Number(digits ?? 0)
    const links = [2 * n + 1, 2 * n + 2].map((page) => `<a href="/p${page}">page ${page}</a>`)
    response.setHeader('content-type', 'text/html')
    response.end(`<title>Page ${n}</title><p>spider silk</p>${links.join(' ')}`)
  })
  await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve))
  seed = `http://127.0.0.1:${(site.address() as AddressInfo).port}/`
})

afterEach(async () => {
  server?.kill('SIGTERM')
  await server?.ended
  server = undefined
})

afterAll(() => {
  site.close()
  site.closeAllConnections()
  rmSync(folder, { recursive: true })
})

async function startServer(...flags: string[]): Promise<void> {
  server = new StartedOrbweaver(['serve', crawls, '--control', '--port', '0', ...flags], {
    ORBWEAVER_SERVE_TOKEN: TOKEN,
    ORBWEAVER_EMAIL: 'test@example.org',
  })
  const [, url = ''] = await server.says(/to (http:\/\/127\.0\.0\.1:\d+\/api\/v1)\//)
  api = url
}

async function call<T = Record<string, unknown>>(
  method: string,
  path: string,
  body?: unknown,
  token: string | undefined = TOKEN,
): Promise<{ status: number; body: T & { error?: { code: string; message: string } } }> {
  const response = await fetch(`${api}${path}`, {
    method,
    ...(token !== '' && { headers: { authorization: `Bearer ${token}` } }),
    ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  })
  return { status: response.status, body: (await response.json()) as never }
}

async function until(name: string, isReached: (crawl: ControlledCrawl) => boolean): Promise<ControlledCrawl> {
  for (;;) {
    const { body } = await call<ControlledCrawl>('GET', `/crawls/${name}`)
    if (isReached(body)) return body
    await sleep(100)
  }
}

const QUICK = { politeness: { delaySeconds: 0.02 } }
const SLOW = { politeness: { delaySeconds: 0.2 } }
const isOver = ({ state }: ControlledCrawl) => !['running', 'paused', 'stopping'].includes(state)
const hasPages = ({ live }: ControlledCrawl) => (live?.pages ?? 0) > 0

function pidOf(name: string): number {
  return (JSON.parse(readFileSync(join(crawls, name, 'job.json'), 'utf8')) as { owner: { pid: number } })
    .owner.pid
}

describe('serve --control', () => {
  it('creates, configures, starts, searches and stops a crawl', async () => {
    await startServer('--allow-host', '127.0.0.1')
    expect((await call('GET', '/crawls')).body).toEqual({ crawls: [] })
    const created = await call('POST', '/crawls', { name: 'one', seeds: [seed, 'bogus'], settings: SLOW })
    expect(created).toMatchObject({
      ...{
        status: 201,
        body: { crawl: { name: 'one', state: 'idle' }, injected: { seeds: 2, injected: 1 } },
      },
    })
    expect(await call('PUT', '/crawls/one/settings', { settings: QUICK })).toMatchObject({ status: 200 })
    expect((await call('GET', '/crawls/one/settings')).body).toEqual({ settings: QUICK })
    const more = { seeds: [`${seed}p100`, seed] }
    expect((await call('POST', '/crawls/one/seeds', more)).body).toMatchObject({ injected: 1, existing: 1 })
    // Two starts at once: one of them wins.
    const starts = await Promise.all([1, 2].map(() => call('POST', '/crawls/one/start', { maxPages: 12 })))
    expect(starts.map(({ status }) => status).sort()).toEqual([202, 409])
    expect(await call('POST', '/crawls/one/seeds', more)).toMatchObject({ status: 409 })
    const { state, job, hasIndex } = await until('one', isOver)
    expect({ state, hasIndex, result: job?.result }).toMatchObject({
      ...{ state: 'finished', hasIndex: true, result: { ended: 'pages', pages: 12 } },
    })
    expect((await call('GET', '/crawls/one/search?q=silk')).body).toMatchObject({ kind: 'found', total: 12 })
    expect((await call('GET', '/crawls/one/summary')).body).toMatchObject({ db: { hosts: 1 } })
    expect(JSON.stringify((await call('GET', '/crawls/one/log')).body)).toContain('finished')
    expect(await call('POST', '/crawls/one/stop')).toMatchObject({ status: 409 })
    // Without limits, until it is stopped.
    expect(await call('POST', '/crawls/one/start')).toMatchObject({ status: 202 })
    await until('one', hasPages)
    expect((await call('POST', '/crawls/one/pause')).body).toMatchObject({ ok: true })
    expect((await until('one', (crawl) => crawl.state === 'paused')).state).toBe('paused')
    expect((await call('POST', '/crawls/one/resume')).body).toMatchObject({ ok: true })
    expect(await call('POST', '/crawls/one/stop')).toMatchObject({ status: 202, body: { ok: true } })
    expect((await until('one', isOver)).state).toBe('stopped')
    expect(await call('POST', '/crawls/one/index')).toMatchObject({ status: 202 })
    expect((await until('one', isOver)).job).toMatchObject({ kind: 'index', state: 'finished' })
  })

  it('shows a killed crawl as interrupted, and resumes it; a crawl outlives a killed server', async () => {
    await startServer('--allow-host', '127.0.0.1')
    await call('POST', '/crawls', { name: 'killed', seeds: [seed], settings: SLOW })
    await call('POST', '/crawls/killed/start', { maxPages: 1000 })
    await until('killed', hasPages)
    process.kill(pidOf('killed'), 'SIGKILL')
    expect((await until('killed', isOver)).state).toBe('interrupted')
    expect(await call('POST', '/crawls/killed/start', { maxPages: 1000 })).toMatchObject({ status: 202 })
    await until('killed', hasPages)
    server?.kill('SIGKILL')
    await server?.ended
    await startServer('--allow-host', '127.0.0.1')
    expect((await call<ControlledCrawl>('GET', '/crawls/killed')).body.state).toBe('running')
    expect(await call('POST', '/crawls/killed/start')).toMatchObject({ status: 409 })
    // Both at once, as when the machine loses power.
    const pid = pidOf('killed')
    server?.kill('SIGKILL')
    await server?.ended
    process.kill(pid, 'SIGKILL')
    await startServer('--allow-host', '127.0.0.1')
    expect((await until('killed', isOver)).state).toBe('interrupted')
    await call('POST', '/crawls/killed/start', { maxPages: 3 })
    expect((await until('killed', isOver)).job).toMatchObject({
      state: 'finished',
      result: { ended: 'pages' },
    })
    // A server that is stopped stops its crawls.
    await call('POST', '/crawls/killed/start')
    await until('killed', hasPages)
    server?.kill('SIGTERM')
    expect((await server?.ended)?.exitCode).toBe(0)
    expect(readFileSync(join(crawls, 'killed', 'job.json'), 'utf8')).toContain('"state": "stopped"')
  })

  it('rejects requests without the token, foreign hosts, bad input and paths', async () => {
    symlinkSync(folder, join(crawls, 'link'))
    mkdirSync(join(folder, 'segments'))
    await startServer()
    const origin = api.replace('/api/v1', '')
    expect(await call('GET', '/health', undefined, '')).toEqual({ status: 200, body: { status: 'ok' } })
    expect(await call('GET', '/crawls', undefined, '')).toMatchObject({ status: 401 })
    expect(await call('GET', '/openapi.json', undefined, '')).toMatchObject({ status: 401 })
    expect(await call('POST', '/crawls', { name: 'x' }, 'wrong-token')).toMatchObject({ status: 401 })
    for (const path of ['/api/search?q=a', '/api/live/report', '/api/overview', '/metrics'])
      expect((await fetch(origin + path)).status).toBe(401)
    expect(await (await fetch(`${origin}/api/crawls`)).json()).toEqual({
      ...{ crawls: [], access: { requiresToken: true, readOnly: false, mayAct: false, acceptsToken: true } },
    })
    expect(await statusWithHost('rebound.example')).toBe(403)
    for (const body of [
      ...[
        'not json',
        '[]',
        {},
        { name: '../up' },
        { name: '.hidden' },
        { name: 'a/b' },
        { name: 'x', seeds: [1] },
      ],
      ...[
        { name: 'x', seeds: ['http://a.test/\nhttp://b.test/'] },
        { name: 'x', code: 1 },
      ],
      { name: 'x', settings: { notify: { onFinish: 'touch /tmp/x' } } },
    ])
      expect(await call('POST', '/crawls', body)).toMatchObject({ status: 400 })
    expect(await call('POST', '/crawls', { name: 'x', seeds: ['x'.repeat(2_100_000)] })).toMatchObject({
      status: 413,
    })
    for (const path of ['/crawls/none', '/crawls/link', '/crawls/..%2Fcrawls', '/crawls/%2e%2e', '/nothing'])
      expect(await call('GET', path)).toMatchObject({ status: 404 })
    expect(await call('DELETE', '/crawls/none')).toMatchObject({ status: 405 })
  })

  it('requests no private address because of a seed', async () => {
    await startServer()
    await call('POST', '/crawls', { name: 'private', seeds: [seed, seed.replace('127.0.0.1', 'localhost')] })
    await call('POST', '/crawls/private/start', {})
    const { job } = await until('private', isOver)
    expect(job?.result?.pages).toBe(0)
    expect(JSON.stringify((await call('GET', '/crawls/private/log')).body)).toContain(
      '127.0.0.1 is not a public address',
    )
  })

  it('exits with 2 for a server that anyone could use, and for contradicting flags', async () => {
    const control = (...flags: string[]) =>
      runOrbweaver(['serve', crawls, '--control', '--port', '0', ...flags])
    expect(await control('--host', '0.0.0.0')).toMatchObject({
      ...{ exitCode: 2, stderr: expect.stringContaining('choose a token with --token-file') },
    })
    expect(await control('--read-only')).toMatchObject({ exitCode: 2 })
  })
})

describe.runIf(requireChromium())('the page of serve --control', () => {
  it('creates and starts a crawl', async () => {
    await startServer('--allow-host', '127.0.0.1')
    const browser = await chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox'] })
    onTestFinished(() => browser.close())
    const page = await browser.newPage()
    page.setDefaultTimeout(15_000)
    await page.goto(api.replace('api/v1', ''))
    await page.getByLabel('Token').fill(TOKEN)
    await page.getByRole('button', { name: 'Send' }).click()
    await page.getByLabel('Seeds, one URL').fill(`${seed}\r\n`)
    await page.getByLabel('Delay').fill('0.02')
    await page.getByLabel('Name', { exact: true }).fill('not a name')
    await page.getByRole('button', { name: 'Create' }).click()
    await page.getByText('a name has up to 100 letters').waitFor()
    await page.getByLabel('Name', { exact: true }).fill('browsed')
    await page.getByRole('button', { name: 'Create' }).click()
    const row = page.getByRole('row').filter({ has: page.getByRole('rowheader', { name: 'browsed' }) })
    await row.getByRole('spinbutton').fill('5')
    await row.getByRole('button', { name: 'Start' }).click()
    await row.getByText('5 pages in the last run').waitFor()
    expect((await call('GET', '/crawls/browsed/settings')).body).toEqual({
      settings: { filters: { scope: 'host' }, politeness: { delaySeconds: 0.02 } },
    })
    await row.getByRole('link', { name: 'Search' }).click()
    await page.waitForURL('**/?crawl=browsed')
  })
})

/** `fetch` cannot set the Host header. */
function statusWithHost(host: string): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    request(`${api}/crawls`, { headers: { host, authorization: `Bearer ${TOKEN}` } }, (response) => {
      response.resume()
      resolve(response.statusCode)
    })
      .on('error', reject)
      .end()
  })
}
