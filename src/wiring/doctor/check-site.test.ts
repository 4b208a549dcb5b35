import { once } from 'node:events'
import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, expect, it } from 'vitest'
import { configSchema, type OrbweaverConfig } from '../../adapters/config/config-schema.ts'
import { steadyClock } from '../../base/clock.ts'
import { checkAgent, checkNetwork, checkSites } from './check-site.ts'

const servers: Server[] = []
afterEach(() => {
  for (const server of servers.splice(0)) server.close().closeAllConnections()
})

async function site(respond: RequestListener): Promise<string> {
  const server = createServer(respond).listen(0, '127.0.0.1')
  servers.push(server)
  await once(server, 'listening')
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
}

const settingsOf = (config: OrbweaverConfig = {}) => configSchema().parse(config)

function check(url: string, config?: OrbweaverConfig) {
  const { signal } = new AbortController()
  return checkSites([url], { settings: settingsOf(config), clock: steadyClock, signal })
}

it('requests only robots.txt, and says what it allows', async () => {
  const paths: string[] = []
  const url = await site((request, response) => {
    paths.push(request.url ?? '')
    response.end('User-agent: *\nCrawl-delay: 20\nAllow: /')
  })
  const findings = await check(url)
  expect(findings).toMatchObject([{ check: 'site', state: 'ok' }])
  expect(findings[0]?.message).toMatch(/^127\.0\.0\.1.*: responds in \d+ ms; .*Crawl-delay 20 s$/)
  expect(paths).toEqual(['/robots.txt'])
})

it.each<[string, RequestListener, string]>([
  [
    'a seed that robots.txt disallows',
    (_, response) => response.end('User-agent: *\nDisallow: /'),
    'robots.txt',
  ],
  ['a robots.txt that fails', (_, response) => response.writeHead(503).end(), 'robots.txt'],
  ['a host that closes connections', (request) => request.socket.destroy(), 'robots.txt'],
])('reports %s', async (_, respond, name) => {
  const findings = await check(await site(respond))
  expect(findings).toMatchObject([{ check: name, state: 'problem', remedy: expect.any(String) }])
})

it.each([
  ['DNS', 'http://no-such-host.invalid/'],
  ['connection', 'http://127.0.0.1:1081/'],
])('reports a problem of %s', async (name, url) => {
  expect(await check(url)).toMatchObject([{ check: name, state: 'problem' }])
})

it('reports a server without TLS on an https URL', async () => {
  const url = (await site((_, response) => response.end())).replace('http:', 'https:')
  expect(await check(url)).toMatchObject([{ check: 'TLS', state: 'problem' }])
})

it('compares the clock with the Date header', async () => {
  const url = await site((_, response) => {
    response.setHeader('date', new Date(Date.now() - 3_600_000).toUTCString())
    response.writeHead(404).end()
  })
  expect(await check(url)).toMatchObject([
    { check: 'site', state: 'ok' },
    {
      check: 'clock',
      state: 'warning',
      message: expect.stringMatching(/^this machine is 36\d\d s ahead of 127/),
    },
  ])
})

it('reports a proxy that does not respond', async () => {
  const proxied = settingsOf({ http: { proxy: 'http://127.0.0.1:1081' } })
  expect((await checkNetwork(proxied)).find(({ check: name }) => name === 'proxy')).toMatchObject({
    state: 'problem',
    message: expect.stringContaining('ECONNREFUSED'),
  })
  const url = await site((_, response) => response.end())
  const running = settingsOf({ http: { proxy: url } })
  expect((await checkNetwork(running)).find(({ check: name }) => name === 'proxy')).toMatchObject({
    state: 'ok',
  })
})

it('warns about a missing contact', () => {
  expect(checkAgent(settingsOf())).toMatchObject({ state: 'warning' })
  expect(checkAgent(settingsOf({ agent: { email: 'me@example.org' } }))).toMatchObject({ state: 'ok' })
})
