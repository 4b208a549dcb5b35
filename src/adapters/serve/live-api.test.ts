import { beforeEach, describe, expect, it } from 'vitest'
import { FakeClock } from '../../../testing/fake-clock.ts'
import { FakeLiveCrawl } from '../../../testing/fake-live-crawl.ts'
import type { LiveCrawl } from '../../domain/live/live-crawl.ts'
import { Access, type AccessOptions } from './access.ts'
import type { CrawlList, ErrorResponse, HostList, LiveMessage, LiveSeries } from './responses.ts'
import { createServeApp } from './serve-app.ts'

const TOKEN = 'a-token-of-the-tests'

let clock: FakeClock
let live: FakeLiveCrawl
/** What runs in the crawl `b`. */
let other: LiveCrawl | undefined
let finds: number

beforeEach(() => {
  clock = new FakeClock()
  live = new FakeLiveCrawl(clock, { hosts: 120 })
  other = undefined
  finds = 0
})

interface Client {
  /** Of the TCP connection. @default 127.0.0.1 */
  readonly from?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly method?: string
  readonly body?: string
}

function server(options: AccessOptions = {}) {
  const app = createServeApp({
    crawls: [
      { id: 'a', name: 'crawl-a', live: { find: async () => live } },
      {
        id: 'b',
        name: 'crawl-b',
        live: {
          find: async () => {
            finds++
            return other
          },
        },
      },
    ],
    ...{ clock, files: new Map(), host: '0.0.0.0', access: new Access(clock, options) },
  })
  const send = async (path: string, { from = '127.0.0.1', headers = {}, method, body }: Client = {}) =>
    app.request(
      `http://127.0.0.1:8090${path}`,
      {
        ...(method !== undefined && { method }),
        ...(body !== undefined && { body }),
        headers: {
          host: '127.0.0.1:8090',
          ...(body !== undefined && { 'content-length': String(body.length) }),
          ...headers,
        },
      },
      { incoming: { socket: { remoteAddress: from } } },
    )
  const json = async <T>(path: string, client?: Client) => (await (await send(path, client)).json()) as T
  const csrfToken = async (client?: Client) =>
    (await json<CrawlList>('/api/crawls', client)).access.csrfToken ?? ''
  /** Sends an action as the page does; `headers` replace the usual ones. '' leaves one out. */
  const act = async (client: Client & { readonly crawl?: string } = {}) => {
    const headers = {
      'content-type': 'application/json',
      'sec-fetch-site': 'same-origin',
      origin: 'http://127.0.0.1:8090',
      'x-orbweaver-csrf': await csrfToken({ from: '127.0.0.1' }),
      ...client.headers,
    }
    const response = await send(`/api/live/actions?crawl=${client.crawl ?? 'a'}`, {
      ...{ method: 'POST', body: '{"action":"pause"}', ...client },
      headers: Object.fromEntries(Object.entries(headers).filter(([, value]) => value !== '')),
    })
    const document = (await response.json()) as ErrorResponse & { readonly ok?: boolean }
    return [response.status, document.error?.code ?? document.ok]
  }
  const login = async (token: string, client: Client = {}) =>
    send('/api/login', {
      ...{ method: 'POST', body: JSON.stringify({ token }), from: '192.0.2.7', ...client },
      headers: { 'content-type': 'application/json', 'x-orbweaver-csrf': '1', ...client.headers },
    })
  return { send, json, act, login, csrfToken }
}

describe('/api/crawls', () => {
  it('lists the crawls with their state, and says what they offer', async () => {
    const { crawls } = await server().json<CrawlList>('/api/crawls')
    expect(crawls).toMatchObject([
      { id: 'a', name: 'crawl-a', state: 'running', running: { kind: 'cycle', pid: 4242 } },
      { id: 'b', name: 'crawl-b', state: 'idle', capabilities: ['live'], hasIndex: false },
    ])
    expect(crawls[1]?.running).toBeUndefined()
  })

  it('says why the state of a crawl is unknown, without internal details', async () => {
    other = { ...live, report: () => Promise.reject(new Error('SELECT secret')) } as unknown as LiveCrawl
    const { crawls } = await server().json<CrawlList>('/api/crawls')
    expect(crawls[1]).toMatchObject({ state: 'idle', problem: 'The state of the crawl cannot be read.' })
  })
})

describe('the parameter crawl', () => {
  it('is the first crawl by default', async () => {
    expect(await server().json<LiveMessage>('/api/live/report')).toMatchObject({ state: 'running' })
    expect(await server().json<LiveMessage>('/api/live/report?crawl=b')).toEqual({ state: 'idle' })
  })

  it.each([
    '/api/live/report?crawl=c',
    '/api/live?crawl=c',
    '/api/live/series?crawl=c',
    '/api/live/hosts?crawl=c',
    '/api/overview?crawl=c',
    '/api/search?crawl=c&q=x',
  ])('is rejected if there is no such crawl: %s', async (path) => {
    const response = await server().send(path)
    expect(response.status).toBe(404)
    expect(((await response.json()) as ErrorResponse).error.message).toBe(
      'There is no crawl "c"; /api/crawls lists the crawls of this server.',
    )
  })

  it('names a crawl without a directory, which has no stored pages', async () => {
    const { error } = await server().json<ErrorResponse>('/api/overview?crawl=b')
    expect(error).toEqual({
      ...{ code: 'not-found', message: 'crawl-b has no crawl directory: only /api/live is available.' },
    })
  })
})

describe('/api/live/hosts and /api/live/series', () => {
  it('sorts and pages', async () => {
    const path = '/api/live/hosts?sort=host&descending=false&offset=10&limit=2&contains=site-00'
    const { total, hosts } = await server().json<HostList>(path)
    expect([total, hosts.map(({ host }) => host)]).toEqual([
      100,
      ['site-0010.example.org', 'site-0011.example.org'],
    ])
  })

  it.each([
    ['sort=name', /^sort: /],
    ['descending=yes', /^descending: /],
    ['limit=0', /^limit: /],
    ['limit=201', /^limit: /],
    ['offset=-1', /^offset: must be a whole number$/],
    ['order=asc', /"order"/],
  ])('rejects %s', async (query, message) => {
    const { error } = await server().json<ErrorResponse>(`/api/live/hosts?${query}`)
    expect(error).toEqual({ code: 'bad-request', message: expect.stringMatching(message) })
  })

  it('is empty without a running crawl', async () => {
    expect(await server().json<HostList>('/api/live/hosts?crawl=b')).toEqual({ total: 0, hosts: [] })
    expect(await server().json<LiveSeries>('/api/live/series?crawl=b')).toEqual({ points: [] })
  })

  it('shares a result between clients for a moment', async () => {
    const { json } = server()
    await Promise.all(Array.from({ length: 5 }, () => json('/api/live/series?crawl=b')))
    expect(finds).toBe(1)
    clock.advance(1_000)
    await json('/api/live/series?crawl=b')
    expect(finds).toBe(2)
  })
})

describe('/api/live', () => {
  it('limits the number of streams, and counts closed ones no more', async () => {
    const { send } = server()
    const streams = await Promise.all(Array.from({ length: 50 }, () => send('/api/live')))
    expect(streams.every(({ status }) => status === 200)).toBe(true)
    expect(streams[0]?.headers.get('content-type')).toBe('text/event-stream; charset=utf-8')
    expect(streams[0]?.headers.get('cache-control')).toBe('no-store')
    const rejected = await send('/api/live')
    expect([rejected.status, rejected.headers.get('retry-after')]).toEqual([503, '10'])
    await streams[0]?.body?.cancel()
    expect((await send('/api/live')).status).toBe(200)
  })

  it('opens no stream for HEAD', async () => {
    const { send } = server()
    for (let i = 0; i < 60; i++)
      expect((await send('/api/live?crawl=b', { method: 'HEAD' })).status).toBe(200)
    expect(finds).toBe(0)
  })

  it('is guarded like all routes', async () => {
    const { send } = server()
    const cross = { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'cors' }
    expect((await send('/api/live', { headers: cross })).status).toBe(403)
    expect((await send('/api/live', { headers: { host: 'evil.example' } })).status).toBe(403)
  })
})

describe('/api/live/actions', () => {
  it('acts for the page on this machine', async () => {
    expect(await server().act()).toEqual([200, true])
    expect(live.actions).toEqual([{ action: 'pause' }])
    expect(await server().act({ from: '::ffff:127.0.0.1' })).toEqual([200, true])
    expect(await server().act({ from: '::1' })).toEqual([200, true])
  })

  it('is rejected if the crawl is not running', async () => {
    expect(await server().act({ crawl: 'b' })).toEqual([409, 'not-running'])
  })

  it.each([
    ['{"action":"explode"}'],
    ['{"action":"set-delay","host":"a.test"}'],
    ['{"action":"set-delay","host":"a.test","delayMs":-1}'],
    ['{"action":"set-delay","host":"a test","delayMs":1}'],
    ['{"action":"pause","url":"http://a.test/"}'],
    ['not JSON'],
    ['[]'],
  ])('rejects the body %.60s', async (body) => {
    expect(await server().act({ body })).toEqual([400, 'bad-request'])
    expect(live.actions).toEqual([])
  })

  it('rejects a long body', async () => {
    const body = JSON.stringify({ action: 'retry-failed', url: 'x'.repeat(30_000) })
    expect(await server().act({ body })).toEqual([413, 'too-large'])
    expect(live.actions).toEqual([])
  })

  it('passes on the values of an action', async () => {
    const body = '{"action":"set-delay","host":"site-0001.example.org","delayMs":null}'
    expect(await server().act({ body })).toEqual([200, true])
    expect(live.actions).toEqual([{ action: 'set-delay', host: 'site-0001.example.org', delayMs: null }])
  })

  it.each<[what: string, headers: Record<string, string>, rejected: [number, string]]>([
    ['posts of forms', { 'content-type': 'application/x-www-form-urlencoded' }, [415, 'content-type']],
    ['posts of forms with files', { 'content-type': 'multipart/form-data' }, [415, 'content-type']],
    ['plain text', { 'content-type': 'text/plain' }, [415, 'content-type']],
    ['a body without type', { 'content-type': '' }, [415, 'content-type']],
    ['other sites', { 'sec-fetch-site': 'cross-site' }, [403, 'cross-site']],
    ['other ports of this machine', { 'sec-fetch-site': 'same-site' }, [403, 'cross-site']],
    ['addresses that a user typed', { 'sec-fetch-site': 'none' }, [403, 'cross-site']],
    ['another origin', { origin: 'http://127.0.0.1:3000' }, [403, 'cross-site']],
    ['an opaque origin', { origin: 'null' }, [403, 'cross-site']],
    ['a missing CSRF token', { 'x-orbweaver-csrf': '' }, [403, 'csrf']],
    ['a wrong CSRF token', { 'x-orbweaver-csrf': 'guessed' }, [403, 'csrf']],
    ['a foreign Host header', { host: 'evil.example' }, [403, 'forbidden-host']],
  ])('rejects %s', async (_, headers, rejected) => {
    expect(await server().act({ headers })).toEqual(rejected)
    expect(live.actions).toEqual([])
  })

  it('accepts programs, which send neither Origin nor Sec-Fetch-Site', async () => {
    expect(await server().act({ headers: { origin: '', 'sec-fetch-site': '' } })).toEqual([200, true])
  })

  it('rejects the CSRF token of another process', async () => {
    const token = await server().csrfToken()
    expect(await server().act({ headers: { 'x-orbweaver-csrf': token } })).toEqual([403, 'csrf'])
  })

  it('rejects other methods', async () => {
    for (const method of ['GET', 'PUT', 'DELETE', 'OPTIONS']) {
      const response = await server().send('/api/live/actions', { method })
      expect([method, response.status, response.headers.get('allow')]).toEqual([method, 405, 'POST'])
    }
  })

  it('is turned off by readOnly, and the API says so', async () => {
    const readOnly = server({ readOnly: true, token: TOKEN })
    expect(await readOnly.act({ headers: { authorization: `Bearer ${TOKEN}` } })).toEqual([405, 'method'])
    expect((await readOnly.json<CrawlList>('/api/crawls')).access).toEqual({
      ...{ readOnly: true, mayAct: false, acceptsToken: false },
    })
    expect((await readOnly.login(TOKEN)).status).toBe(405)
  })
})

describe('clients on other machines', () => {
  const from = '192.0.2.7'

  it('may not act, and get no CSRF token', async () => {
    const { act, json } = server()
    expect(await act({ from })).toEqual([401, 'token-required'])
    expect((await json<CrawlList>('/api/crawls', { from })).access).toEqual({
      ...{ readOnly: false, mayAct: false, acceptsToken: false },
    })
  })

  it.each(['x-forwarded-for', 'forwarded', 'via', 'x-real-ip', 'x-forwarded-host', 'x-forwarded-proto'])(
    'are those of a reverse proxy on this machine, too (%s)',
    async (name) => {
      expect(await server().act({ headers: { [name]: 'x' } })).toEqual([401, 'token-required'])
    },
  )

  it('are those without an address', async () => {
    expect(await server().act({ from: '' })).toEqual([401, 'token-required'])
  })

  it('may act with the token, without a CSRF token: browsers do not send it on their own', async () => {
    const { act } = server({ token: TOKEN })
    const headers = { authorization: `Bearer ${TOKEN}`, 'x-orbweaver-csrf': '' }
    expect(await act({ from, headers })).toEqual([200, true])
    expect(await act({ from, headers: { ...headers, 'sec-fetch-site': 'cross-site' } })).toEqual([
      403,
      'cross-site',
    ])
  })

  it.each(['Bearer wrong-token-of-tests', `Basic ${TOKEN}`, 'Bearer', `Bearer ${TOKEN}x`])(
    'may not act with %s',
    async (authorization) => {
      expect(await server({ token: TOKEN }).act({ from, headers: { authorization } })).toEqual([
        401,
        'token-invalid',
      ])
    },
  )

  it('exchange the token for a cookie, with which they may act', async () => {
    const { login, act, json, csrfToken } = server({ token: TOKEN })
    const response = await login(TOKEN)
    const [cookie = '', ...attributes] = (response.headers.get('set-cookie') ?? '').split('; ')
    expect(response.status).toBe(204)
    expect(cookie).not.toContain(TOKEN)
    expect(attributes).toEqual(expect.arrayContaining(['HttpOnly', 'SameSite=Strict', 'Path=/api']))
    const { access } = await json<CrawlList>('/api/crawls', { from, headers: { cookie } })
    expect(access).toMatchObject({ mayAct: true, acceptsToken: true })
    const headers = { cookie, 'x-orbweaver-csrf': await csrfToken({ from, headers: { cookie } }) }
    expect(await act({ from, headers })).toEqual([200, true])
    // The cookie alone does not protect against requests of other sites.
    expect(await act({ from, headers: { cookie, 'x-orbweaver-csrf': '' } })).toEqual([403, 'csrf'])
    expect(await act({ from, headers: { ...headers, cookie: `${cookie}x` } })).toEqual([
      401,
      'token-required',
    ])
    expect(await server({ token: TOKEN }).act({ from, headers })).toEqual([401, 'token-required'])
  })

  it('cannot log in with a wrong token, from a form, or from another site', async () => {
    const { login } = server({ token: TOKEN })
    expect((await login('wrong')).status).toBe(401)
    expect((await login(TOKEN, { headers: { 'content-type': 'text/plain' } })).status).toBe(415)
    expect((await login(TOKEN, { headers: { 'sec-fetch-site': 'same-site' } })).status).toBe(403)
    expect((await login(TOKEN, { body: '{}' })).status).toBe(400)
    expect((await server().login(TOKEN)).status).toBe(401)
  })

  it('are blocked for a minute after ten invalid tokens, others are not', async () => {
    const { login } = server({ token: TOKEN })
    for (let i = 0; i < 10; i++) expect((await login('wrong')).status).toBe(401)
    const blocked = await login(TOKEN)
    expect([blocked.status, blocked.headers.get('retry-after')]).toEqual([429, '60'])
    expect((await login(TOKEN, { from: '192.0.2.8' })).status).toBe(204)
    clock.advance(60_000)
    expect((await login(TOKEN)).status).toBe(204)
  })
})
