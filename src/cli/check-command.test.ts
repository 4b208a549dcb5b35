import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { RecordingTerminal } from '../../testing/recording-terminal.ts'
import type { CheckDocument } from './check-document.ts'
import { run } from './main.ts'

type Response = (request: IncomingMessage, response: ServerResponse) => void

const PAGE = `<!doctype html><html lang="en"><title>Hello \x1b[31mred</title><meta name="robots" content="noindex">
<p>Some text. <a href="/a?b=1&amp;c=2">A link</a> <a href="mailto:me@a.test">mail</a></p>`

let server: Server
let base: string
let terminal: RecordingTerminal
let requested: string[]
let routes: Record<string, Response>

beforeEach(async () => {
  // The environment of the developer must not change the result.
  for (const name of ['AGENT', 'CONTACT', 'EMAIL', 'PROXY']) vi.stubEnv(`ORBWEAVER_${name}`, undefined)
  terminal = new RecordingTerminal()
  requested = []
  routes = {
    '/robots.txt': (_, response) => response.end('User-agent: *\nDisallow: /secret\nCrawl-delay: 0.01\n'),
    '/': (_, response) => response.setHeader('content-type', 'text/html; charset=utf-8').end(PAGE),
    '/old': (_, response) => response.writeHead(301, { location: '/' }).end(),
    '/round': (_, response) => response.writeHead(302, { location: '/round' }).end(),
    '/silent': () => terminal.interrupt(),
  }
  server = createServer((request, response) => {
    const path = request.url ?? ''
    requested.push(path)
    const route = routes[path]
    if (route === undefined) response.writeHead(404).end()
    else route(request, response)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})

afterEach(() => {
  vi.unstubAllEnvs()
  server.closeAllConnections()
  return new Promise((resolve) => server.close(resolve))
})

async function check(...args: string[]): Promise<string> {
  expect(await run(['check', '--delay', '0.01', '--email', 'me@a.test', ...args], terminal)).toBe(0)
  return terminal.stdout
}

async function checkJson(...args: string[]): Promise<CheckDocument> {
  return JSON.parse(await check('--json', ...args)) as CheckDocument
}

it('reports every step as text', async () => {
  const text = await check(`${base}/#top`)
  expect(requested).toEqual(['/robots.txt', '/'])
  expect(text).toContain(`url        ${base}/\n`)
  expect(text).toMatch(/filter {5}accepted by default rules:\d+ \+\./)
  expect(text).toContain('robots     allowed: no rule of robots.txt matches this URL')
  expect(text).toContain('fetch      success · 200 · http/1.1 · 127.0.0.1')
  expect(text).toContain('nutch      SUCCESS, fetch_success')
  expect(text).toContain('page       text/html · utf-8 (header) · en')
  expect(text).toContain('directive  noindex (meta, for robots)')
  expect(text).toContain('links      1; rejected: 1 scheme')
  expect(text).toContain(`${base}/a?b=1&c=2  “A link”`)
  expect(terminal.stderr).toBe('')
})

it('removes escape sequences of a page', async () => {
  const text = await check(`${base}/`)
  expect(text).toContain('title      Hello')
  expect(text).not.toContain('\x1b')
})

it('prints one JSON document', async () => {
  const document = await checkJson(`${base}/`)
  expect(document).toMatchObject({
    url: `${base}/`,
    filter: { accepted: true },
    robots: { allowed: true, kind: 'no-rule', crawlDelaySeconds: 0.01 },
    fetch: { outcome: 'success', status: 200, protocolStatus: 'SUCCESS', fetchStatus: 'fetch_success' },
    page: {
      type: 'text/html',
      charset: 'utf-8',
      language: 'en',
      links: { count: 1 },
      directives: { noindex: true },
    },
  })
})

it('does not fetch a URL that robots.txt disallows, and shows the rule', async () => {
  const document = await checkJson(`${base}/secret/x`)
  expect(requested).toEqual(['/robots.txt'])
  expect(document.robots).toMatchObject({ allowed: false, line: { number: 2, text: 'Disallow: /secret' } })
  expect(document.fetch).toBeUndefined()
})

it('sends no request for a URL that a filter rejects', async () => {
  const document = await checkJson(`${base}/logo.png`)
  expect(requested).toEqual([])
  expect(document).toMatchObject({ filter: { accepted: false } })
})

it('reports a redirect without following it', async () => {
  const document = await checkJson(`${base}/old`)
  expect(document.fetch).toMatchObject({ outcome: 'moved', permanent: true, redirectTo: `${base}/` })
  expect(document.via).toBeUndefined()
})

it('follows redirects with --follow, and shows each of them', async () => {
  const document = await checkJson('--follow', `${base}/old`)
  expect(document.url).toBe(`${base}/`)
  expect(document.via?.map(({ url }) => url)).toEqual([`${base}/old`])
})

it('stops at a redirect loop', async () => {
  const document = await checkJson('--follow', `${base}/round`)
  expect(document.via).toHaveLength(5)
})

it('reports that the page must wait if robots.txt cannot be fetched', async () => {
  routes['/robots.txt'] = (_, response) => response.writeHead(500).end()
  const document = await checkJson(`${base}/`)
  expect(document.robots).toMatchObject({ allowed: false, kind: 'unreachable' })
  expect(requested).toEqual(['/robots.txt'])
})

it('rejects a redirect to a private address that is not allowed', async () => {
  const other = base.replace('127.0.0.1', '127.0.0.2')
  routes['/old'] = (_, response) => response.writeHead(302, { location: `${other}/` }).end()
  const document = await checkJson('--follow', `${base}/old`)
  expect(document.fetch).toMatchObject({ outcome: 'refused', cause: 'address' })
})

it('prints one warning if no contact is configured', async () => {
  await run(['check', '--delay', '0.01', `${base}/`], terminal)
  expect(terminal.stderr).toMatch(/^warning: .*contact.*\n$/)
})

it('stops when interrupted', async () => {
  const document = await checkJson(`${base}/silent`)
  expect(document.fetch).toMatchObject({ outcome: 'network-failure', cause: 'aborted' })
})

it('shows the document that would be indexed, with --index', async () => {
  const html =
    '<title>Hello</title><h1>Hello</h1><p>Some text about spiders, long enough to be the content.</p>'
  routes['/good'] = (_, response) => response.setHeader('content-type', 'text/html').end(html)
  expect(await run(['check', `${base}/good`, '--index', '--json', '--delay', '0'], terminal)).toBe(0)
  expect(JSON.parse(terminal.stdout)).toMatchObject({ url: `${base}/good`, document: { title: 'Hello' } })
})

it('shows the document of a file, with --index and --allow-files', async () => {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'orbweaver-check-file-')))
  try {
    writeFileSync(join(folder, 'a.html'), '<title>A file</title><p>Words of a file.')
    const url = pathToFileURL(join(folder, 'a.html')).href
    expect(await run(['check', url, '--index', '--json', '--allow-files', folder], terminal)).toBe(0)
    expect(JSON.parse(terminal.stdout)).toMatchObject({ url, document: { title: 'A file' } })
  } finally {
    rmSync(folder, { recursive: true })
  }
})

it.each([
  ['/', '1 noindex'],
  ['/secret', 'robots.txt'],
  ['/missing', '404'],
])('tells why %s would not be indexed', async (path, reason) => {
  expect(await run(['check', base + path, '--index', '--delay', '0'], terminal)).toBe(0)
  expect(terminal.stdout).toContain(`${base}${path} would not be indexed: `)
  expect(terminal.stdout).toContain(reason)
})
