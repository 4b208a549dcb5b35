import { describe, expect, it } from 'vitest'
import { FakeClock } from '../../../testing/fake-clock.ts'
import { ConfigurationError } from '../../base/crawl-error.ts'
import type { ErrorResponse, HostFactsQuery, Overview, PagePreview, SearchResponse } from './responses.ts'
import { createServeApp } from './serve-app.ts'
import type { CrawlApi } from './serve-ports.ts'
import { type SearchApi, SearchBusy, SearchFailed, type SearchRequest, SearchTooSlow } from './serve-ports.ts'

const OVERVIEW: Overview = { directory: 'crawl', freshness: {}, segments: 0 }
const PREVIEW: PagePreview = { url: 'http://a.test/', title: '', paragraphs: [], cut: false, fetchedAt: 1 }
const FOUND: SearchResponse = {
  ...{ kind: 'found', offset: 0, hits: [], total: 0, exact: true, relaxed: false, tookMs: 1 },
  facets: { host: [], type: [], lang: [] },
}

/** What `crawl.url` waits for. */
let scanning: Promise<void> = Promise.resolve()
const searched: SearchRequest[] = []
const search: SearchApi = {
  async search(request) {
    searched.push(request)
    if (request.query === 'slow') throw new SearchTooSlow('too slow')
    if (request.query === 'busy') throw new SearchBusy('busy')
    if (request.query === 'broken') throw new SearchFailed('the index is damaged')
    if (request.query === 'sql') throw new Error('Parser Error at SELECT url FROM pages')
    if (request.query === 'our sql')
      throw new ConfigurationError('QUERY_INVALID', 'LINE 1: SELECT url FROM crawldb')
    return FOUND
  },
  document: async ({ id, query }) =>
    id === 'http://indexed.test/' ? { ...PREVIEW, title: query } : undefined,
}
const listed: HostFactsQuery[] = []
const crawl: CrawlApi = {
  overview: async () => OVERVIEW,
  history: async (range) => ({
    ...{ runs: range === 'all' ? 2 : 1, bucketMs: 0, buckets: [], types: [] },
    totals: { fetched: 0, redirected: 0, gone: 0, failed: 0, bytes: 0 },
  }),
  host: async () => undefined,
  hosts: async (query) => {
    listed.push(query)
    return { freshness: {}, list: { total: 0, hosts: [] } }
  },
  url: async (input) => {
    await scanning
    return { input, freshness: {}, seed: false, foundOn: [], inlinks: [], fetches: [] }
  },
  preview: async (url) => (url === 'http://stored.test/' ? PREVIEW : undefined),
}
const files = new Map([
  ['/index.html', { bytes: new Uint8Array([60]), type: 'text/html; charset=utf-8', immutable: false }],
  ['/assets/a.js', { bytes: new Uint8Array([59]), type: 'text/javascript', immutable: true }],
])
const failures: string[] = []
const app = createServeApp({
  crawls: [{ id: 'a', name: 'crawl', live: { find: async () => undefined }, crawl, search }],
  ...{ clock: new FakeClock(), files, host: '127.0.0.1' },
  onFailure: ({ message }) => failures.push(message),
})

/** Sends a request as a browser on this machine does. */
function send(path: string, init: RequestInit = {}): Promise<Response> {
  return Promise.resolve(
    app.request(`http://127.0.0.1:8090${path}`, {
      ...init,
      headers: { host: '127.0.0.1:8090', ...init.headers },
    }),
  )
}

async function errorOf(path: string): Promise<[status: number, ErrorResponse['error']]> {
  const response = await send(path)
  return [response.status, ((await response.json()) as ErrorResponse).error]
}

describe('/api/hosts', () => {
  it('has the largest hosts by default, and checks its parameters', async () => {
    expect((await send('/api/hosts')).status).toBe(200)
    expect(
      (await send('/api/hosts?sort=averageMs&descending=false&offset=50&limit=5&contains=B')).status,
    ).toBe(200)
    expect(listed).toEqual([
      { sort: 'urls', descending: true, offset: 0, limit: 50 },
      { sort: 'averageMs', descending: false, offset: 50, limit: 5, contains: 'b' },
    ])
    for (const query of ['sort=1%3Bdrop', 'limit=0', 'limit=201', 'descending=yes', 'contains=%00'])
      expect((await errorOf(`/api/hosts?${query}`))[0]).toBe(400)
  })
})

describe('the page', () => {
  it('is one document at each of its paths', async () => {
    for (const place of ['/', '/statistics', '/url?url=x', '/hosts', '/host?host=x']) {
      const response = await send(place)
      expect([place, response.status, await response.text()]).toEqual([place, 200, '<'])
      expect(response.headers.get('cache-control')).toBe('no-cache')
    }
  })

  it('has immutable assets, because their names contain a hash', async () => {
    const response = await send('/assets/a.js')
    expect(response.headers.get('content-type')).toBe('text/javascript')
    expect(response.headers.get('cache-control')).toContain('immutable')
  })

  it('returns 404 for other paths, and for paths above its directory', async () => {
    for (const path of ['/nothing', '/assets/../../package.json', '/%2e%2e/package.json'])
      expect((await send(path)).status).toBe(404)
  })

  it('has security headers, also in error responses', async () => {
    for (const path of ['/', '/api/overview', '/nothing', '/api/nothing', '/api/search?limit=x']) {
      const { headers } = await send(path)
      expect(headers.get('content-security-policy')).toMatch(/^default-src 'none'; script-src 'self';/)
      expect(headers.get('content-security-policy')).not.toContain('unsafe')
      expect(headers.get('x-content-type-options')).toBe('nosniff')
      expect(headers.get('referrer-policy')).toBe('no-referrer')
      expect(headers.get('x-frame-options')).toBe('DENY')
    }
  })

  it('rejects methods other than GET and HEAD', async () => {
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']) {
      const response = await send('/api/overview', { method })
      expect([method, response.status, response.headers.get('allow')]).toEqual([method, 405, 'GET, HEAD'])
    }
    expect((await send('/', { method: 'HEAD' })).status).toBe(200)
  })

  it('rejects a foreign Host header (DNS rebinding)', async () => {
    const response = await send('/api/overview', { headers: { host: 'evil.example:8090' } })
    expect(response.status).toBe(403)
    expect(((await response.json()) as ErrorResponse).error.code).toBe('forbidden-host')
  })
})

describe('the API', () => {
  it('passes on the search request', async () => {
    searched.length = 0
    expect(await (await send('/api/search?q=+silk+&site=a.test&lang=en&offset=20&limit=5')).json()).toEqual(
      FOUND,
    )
    await send('/api/search')
    expect(searched).toEqual([
      { query: 'silk', site: 'a.test', lang: 'en', offset: 20, limit: 5 },
      { query: '', offset: 0, limit: 10 },
    ])
  })

  it('names an invalid parameter', async () => {
    const cases: ReadonlyArray<readonly [path: string, message: RegExp]> = [
      ['/api/search?limit=101', /^limit: /],
      ['/api/search?limit=0', /^limit: /],
      ['/api/search?offset=-1', /^offset: must be a whole number$/],
      ['/api/search?offset=1e9', /^offset: /],
      [`/api/search?q=${'x'.repeat(1001)}`, /^q: /],
      ['/api/search?sites=a.test', /"sites"/],
      ['/api/search?q=a&q=b', /^q is given more than once/],
      ['/api/history?range=some', /^range: /],
      ['/api/host', /^host: /],
      ['/api/host?host=a/b', /^host: must be a host name$/],
      ["/api/host?host=a%00'", /^host: must be a host name$/],
      ["/api/host?host=a'b", /^host: must be a host name$/],
      ["/api/preview?url=a%00'", /^url: must not contain control characters$/],
      ['/api/url', /^url: /],
      ['/api/preview?url=', /^url: /],
      ['/api/overview?x=1', /"x"/],
    ]
    for (const [path, message] of cases)
      expect([path, ...(await errorOf(path))]).toEqual([
        path,
        400,
        { code: 'bad-request', message: expect.stringMatching(message) },
      ])
  })

  it('has different errors for slow, busy and broken searches', async () => {
    expect(await errorOf('/api/search?q=slow')).toEqual([504, { code: 'too-slow', message: 'too slow' }])
    expect(await errorOf('/api/search?q=busy')).toEqual([429, { code: 'busy', message: 'busy' }])
    expect(await errorOf('/api/search?q=broken')).toEqual([
      500,
      { code: 'failed', message: 'the index is damaged' },
    ])
  })

  it.each(['sql', 'our sql'])('does not show the SQL of a failure (%s), but logs it', async (query) => {
    failures.length = 0
    const [status, { message }] = await errorOf(`/api/search?q=${encodeURIComponent(query)}`)
    expect([status, message]).toEqual([500, 'Internal error. The terminal of the server shows the reason.'])
    expect(failures.join()).toContain('SELECT')
  })

  it.each(['/api/search?q=a', '/api/url?url=x', '/', '/assets/a.js'])(
    'rejects %s when a page of another site has a browser request it',
    async (path) => {
      const response = await send(path, {
        headers: { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'no-cors' },
      })
      expect(response.status).toBe(403)
      for (const site of ['same-origin', 'none'])
        expect((await send(path, { headers: { 'sec-fetch-site': site } })).status).toBe(200)
    },
  )

  it('allows links from other sites to the page, but not to the API', async () => {
    const headers = { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate' }
    expect((await send('/', { headers })).status).toBe(200)
    expect((await send('/api/overview', { headers })).status).toBe(403)
  })

  it('rejects scans beyond its limit, and runs those that waited', async () => {
    const { promise, resolve } = Promise.withResolvers<void>()
    scanning = promise
    const responses = Array.from({ length: 20 }, () => send('/api/url?url=x'))
    const rejected = await Promise.race(responses)
    expect(rejected.status).toBe(429)
    expect(rejected.headers.get('retry-after')).toBe('1')
    resolve()
    const statuses = (await Promise.all(responses)).map(({ status }) => status)
    expect(statuses.filter((status) => status === 200)).toHaveLength(18)
  })

  it('shows a page from the index, else from the segments, else returns 404', async () => {
    expect(await (await send('/api/preview?url=http://indexed.test/&q=silk')).json()).toMatchObject({
      title: 'silk',
    })
    expect(await (await send('/api/preview?url=http://stored.test/')).json()).toEqual(PREVIEW)
    expect((await errorOf('/api/preview?url=http://unknown.test/'))[0]).toBe(404)
  })

  it('is not cached by browsers', async () => {
    expect((await send('/api/overview')).headers.get('cache-control')).toBe('no-store')
  })

  it('returns 404 for other routes and unknown hosts', async () => {
    expect((await errorOf('/api/nothing'))[1].code).toBe('not-found')
    expect(await errorOf('/api/host?host=a.test')).toEqual([
      404,
      { code: 'not-found', message: 'The crawl has no URLs of a.test.' },
    ])
  })
})
