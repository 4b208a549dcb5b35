import { beforeEach, describe, expect, it } from 'vitest'
import { FakeClock } from '../../../testing/fake-clock.ts'
import type { FetchedBody, FetchOutcome } from '../fetch/fetch-outcome.ts'
import type { FetchRequest } from '../fetch/fetcher.ts'
import type { HeaderList } from '../fetch/headers.ts'
import type { SendRequest } from './fetch-robots.ts'
import { MAX_ROBOTS_BYTES } from './parse-robots.ts'
import { RobotsCache } from './robots-cache.ts'
import type { RobotsRecord } from './robots-record.ts'
import { MemoryRobotsStore } from './robots-record.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR
const FILE = 'User-agent: *\nDisallow: /no\nCrawl-delay: 2\nSitemap: https://a.test/s.xml'

/** The response of a scripted server. */
type Response = (url: string) => FetchOutcome

let clock: FakeClock
let cache: RobotsCache
let sent: FetchRequest[]
/** By URL; `otherwise` is the response of all other URLs. */
let web: Record<string, Response>
let otherwise: Response

const send: SendRequest = async (request) => {
  sent.push(request)
  return (web[request.url] ?? otherwise)(request.url)
}
const load = (url = 'https://a.test/no') => cache.load(url, send)

beforeEach(() => {
  clock = new FakeClock()
  cache = new RobotsCache(clock, 'FooBot')
  sent = []
  web = {}
  otherwise = file(FILE)
})

describe('load', () => {
  it('fetches the file of each scheme, host and port', async () => {
    for (const url of ['https://a.test/x?y', 'http://a.test/', 'https://a.test:8443/', 'https://b.a.test/'])
      await load(url)
    expect(sent.map(({ url }) => url)).toEqual([
      'https://a.test/robots.txt',
      'http://a.test/robots.txt',
      'https://a.test:8443/robots.txt',
      'https://b.a.test/robots.txt',
    ])
  })

  it('uses a copy until it is a day old', async () => {
    expect(cache.peek('https://a.test/no')).toBeUndefined()
    expect(await load()).toMatchObject({ allowed: false, kind: 'rule', line: { number: 2 } })
    clock.advance(DAY - 1)
    expect(cache.peek('https://user@a.test:443/no?x#y')).toMatchObject({ allowed: false, kind: 'rule' })
    expect(cache.peek('https://a.test/yes')).toMatchObject({ allowed: true, kind: 'no-rule' })
    await load()
    expect(sent).toHaveLength(1)
    clock.advance(1)
    expect(cache.peek('https://a.test/no')).toBeUndefined()
    await load()
    expect(sent).toHaveLength(2)
  })

  it('sends one request for concurrent loads', async () => {
    const verdicts = await Promise.all([
      load('https://a.test/no'),
      load('https://a.test/yes'),
      load('https://a.test/'),
    ])
    expect(verdicts.map(({ allowed }) => allowed)).toEqual([false, true, true])
    expect(sent).toHaveLength(1)
  })

  it('rejects all concurrent loads if one throws, and can load again', async () => {
    const broken = () => Promise.reject(new Error('queue closed'))
    const loads = [cache.load('https://a.test/', broken), cache.load('https://a.test/', broken)]
    expect((await Promise.allSettled(loads)).map(({ status }) => status)).toEqual(['rejected', 'rejected'])
    expect((await load()).kind).toBe('rule')
  })

  it('returns the cached rules', async () => {
    expect(cache.rules('https://a.test/')).toBeUndefined()
    await load()
    expect(cache.rules('https://a.test/')).toMatchObject({
      crawlDelayMs: 2_000,
      sitemaps: ['https://a.test/s.xml'],
    })
    otherwise = status('not-found', 404)
    await load('https://b.test/')
    expect(cache.rules('https://b.test/')).toBeUndefined()
  })

  it('does not accept an agent name that no robots.txt can contain', () => {
    expect(() => new RobotsCache(clock, ['FooBot', '(bot)'])).toThrow('"(bot)"')
  })

  it('requests one byte more than it parses', async () => {
    await load()
    expect(sent[0]?.maxBodyBytes).toBe(MAX_ROBOTS_BYTES + 1)
  })
})

describe('RFC 9309, 2.3.1.1: success', () => {
  it('finds no rules in an HTML page', async () => {
    otherwise = file('<html><p>Welcome: all</html>')
    expect(await load()).toMatchObject({ allowed: true, kind: 'no-rule' })
  })

  it('reads a file that was cut at the size limit, without its last line', async () => {
    otherwise = file('User-agent: *\nDisallow: /no\nDisallow: /', [], { truncated: 'size' })
    expect((await load('https://a.test/no')).allowed).toBe(false)
    expect((await load('https://a.test/yes')).allowed).toBe(true)
  })

  it('keeps octets that are not UTF-8', async () => {
    otherwise = file(Buffer.from('User-agent: *\nDisallow: /caf\xE9', 'latin1'))
    expect((await load('https://a.test/caf%E9')).allowed).toBe(false)
  })

  it.each(['disconnect', 'time', 'encoding', 'partial'] as const)(
    'does not use an incomplete file: %s',
    async (truncated) => {
      otherwise = file(FILE, [], { truncated })
      expect(await load()).toMatchObject({ allowed: false, kind: 'unreachable' })
    },
  )
})

describe('RFC 9309, 2.3.1.2: redirects', () => {
  const chain = (hops: number) => {
    otherwise = file(FILE)
    for (let i = 0; i < hops; i++) {
      web[i === 0 ? 'https://a.test/robots.txt' : `https://h${i}.test/r`] = moved(
        `https://h${i + 1}.test/r#x`,
      )
    }
  }

  it('follows five, to other hosts, and keeps the rules for the first', async () => {
    chain(5)
    expect(await load()).toMatchObject({ allowed: false, kind: 'rule' })
    expect(sent.map(({ url }) => new URL(url).host)).toEqual([
      'a.test',
      'h1.test',
      'h2.test',
      'h3.test',
      'h4.test',
      'h5.test',
    ])
    expect(cache.peek('https://h5.test/')).toBeUndefined()
  })

  it('treats more than five as no file', async () => {
    chain(6)
    expect(await load()).toEqual({
      allowed: true,
      kind: 'unavailable',
      reason: 'robots.txt redirects more than 5 times',
    })
    expect(sent).toHaveLength(6)
  })

  it('treats a redirect loop as no file', async () => {
    web['https://a.test/robots.txt'] = moved('https://b.test/r')
    web['https://b.test/r'] = moved('https://a.test/robots.txt')
    expect(await load()).toMatchObject({ allowed: true, kind: 'unavailable' })
    expect(sent).toHaveLength(2)
  })

  it('uses the last response', async () => {
    web['https://a.test/robots.txt'] = moved('https://b.test/r')
    web['https://b.test/r'] = status('server-error', 500)
    expect((await load()).kind).toBe('unreachable')
  })

  it('postpones a site whose file is at an address that is not allowed', async () => {
    web['https://a.test/robots.txt'] = moved('http://10.0.0.1/')
    otherwise = (url) => ({ ...base(url), kind: 'refused', cause: 'address', detail: 'private' })
    expect(await load()).toMatchObject({ allowed: false, kind: 'unreachable' })
  })
})

describe('RFC 9309, 2.3.1.3: unavailable', () => {
  it.each([
    ['not-found', 404],
    ['gone', 410],
    ['not-found', 400],
    ['not-found', 418],
    ['access-denied', 451],
    ['not-found', 300],
  ] as const)('allows everything on %s %i', async (kind, code) => {
    otherwise = status(kind, code)
    expect(await load()).toEqual({
      allowed: true,
      kind: 'unavailable',
      reason: `robots.txt returned ${code}`,
    })
    clock.advance(DAY - 1)
    expect(cache.peek('https://a.test/no')?.allowed).toBe(true)
  })

  it.each([401, 403])('allows everything on %i, unless denyOnForbidden is set', async (code) => {
    otherwise = status('access-denied', code)
    expect(await load()).toEqual({
      allowed: true,
      kind: 'denied',
      reason: `robots.txt returned ${code}, which counts as no rules`,
    })
    expect(cache.forbidden).toBe(1)
    cache = new RobotsCache(clock, 'FooBot', { denyOnForbidden: true })
    expect(await load()).toEqual({
      allowed: false,
      kind: 'denied',
      reason: `robots.txt returned ${code} and robots.denyOnForbidden is set`,
    })
    await load()
    await load('https://b.test/')
    expect(cache.forbidden).toBe(2)
  })
})

describe('a host that cannot be reached', () => {
  it.each([
    'dns-not-found',
    'dns-failed',
    'connect-refused',
    'connect-timeout',
    'connect-failed',
    'tls',
    'proxy',
  ] as const)('is a failure of the host and not of robots.txt: %s', async (cause) => {
    otherwise = failure(cause)
    expect(await load()).toMatchObject({
      allowed: false,
      kind: 'host-failure',
      outcome: { kind: 'network-failure', cause },
    })
  })

  it('is not stored, and does not change the stored record', async () => {
    const store = new MemoryRobotsStore()
    cache = new RobotsCache(clock, 'FooBot', { store })
    await load()
    const known = await store.get('https://a.test')
    clock.advance(DAY)
    otherwise = failure('connect-refused')
    await load()
    expect(await store.get('https://a.test')).toBe(known)
    expect(cache.peek('https://a.test/no')).toBeUndefined()
    otherwise = file(FILE)
    expect((await load()).kind).toBe('rule')
  })

  it.each(['address', 'port'] as const)(
    'or may not be requested (%s) is the outcome of its pages',
    async (cause) => {
      otherwise = (url) => ({ ...base(url), kind: 'refused', cause, detail: 'private' })
      expect(await load()).toMatchObject({
        allowed: false,
        kind: 'host-failure',
        outcome: { kind: 'refused', cause },
      })
    },
  )

  it('after a redirect is a robots.txt that cannot be reached', async () => {
    web['https://a.test/robots.txt'] = moved('https://b.test/r')
    web['https://b.test/r'] = failure('dns-not-found')
    expect(await load()).toMatchObject({ kind: 'unreachable', retryAt: clock.now() + 5 * MINUTE })
  })
})

describe('RFC 9309, 2.3.1.4: unreachable', () => {
  it.each<[string, Response, string]>([
    ['500', status('server-error', 500), 'robots.txt returned 500'],
    ['503', status('server-error', 503), 'robots.txt returned 503'],
    ['429', status('rate-limited', 429), 'robots.txt returned 429'],
    ['a 304 to an unconditional request', status('not-modified', 304), 'robots.txt returned 304'],
    ['a reset', failure('reset'), 'robots.txt could not be fetched (network-failure: reset)'],
    [
      'a timeout',
      failure('headers-timeout'),
      'robots.txt could not be fetched (network-failure: headers-timeout)',
    ],
    [
      'nonsense',
      (url) => ({ ...base(url), kind: 'malformed', detail: '' }),
      'robots.txt could not be fetched (malformed)',
    ],
    [
      'a trickle',
      (url) => ({ ...base(url), kind: 'too-slow', detail: '' }),
      'robots.txt could not be fetched (too-slow)',
    ],
    [
      'a bomb',
      (url) => ({ ...base(url), kind: 'too-large', cause: 'bomb', detail: '' }),
      'robots.txt could not be fetched (too-large: bomb)',
    ],
    [
      'an unknown coding',
      (url) => ({
        ...base(url),
        kind: 'unsupported',
        detail: '',
        response: response(200, []),
        body: body(''),
      }),
      'robots.txt has an unknown content coding',
    ],
  ])('postpones everything on %s', async (_, outcome, reason) => {
    otherwise = outcome
    const retryAt = clock.now() + 5 * MINUTE
    expect(await load()).toEqual({
      allowed: false,
      kind: 'unreachable',
      reason: `${reason}; next attempt after ${new Date(retryAt).toISOString()}`,
      retryAt,
    })
    expect(cache.peek('https://a.test/robots.txt')?.allowed).toBe(true)
  })

  it('tries again after 5 minutes, then after twice as long each time, up to a day', async () => {
    otherwise = status('server-error', 503)
    const waits: number[] = []
    for (let i = 0; i < 11; i++) {
      const waitMs = ((await load()).retryAt ?? 0) - clock.now()
      waits.push(waitMs / MINUTE)
      clock.advance(waitMs - 1)
      expect(cache.peek('https://a.test/no')?.kind).toBe('unreachable')
      clock.advance(1)
      expect(cache.peek('https://a.test/no')).toBeUndefined()
    }
    expect(waits).toEqual([5, 10, 20, 40, 80, 160, 320, 640, 1280, 1440, 1440])
    expect(sent).toHaveLength(11)
    otherwise = file(FILE)
    expect((await load()).kind).toBe('rule')
    otherwise = status('server-error', 503)
    clock.advance(DAY)
    await load()
    clock.advance(5 * MINUTE)
    expect(cache.peek('https://a.test/no')).toBeUndefined()
  })

  it('is listed until the file is fetched again', async () => {
    otherwise = status('server-error', 503)
    const { retryAt } = await load()
    expect(cache.failures()).toEqual([
      { origin: 'https://a.test', reason: 'robots.txt returned 503', retryAt, usesCopy: false },
    ])
    clock.advance(5 * MINUTE)
    otherwise = file(FILE)
    await load()
    expect(cache.failures()).toEqual([])
    clock.advance(DAY)
    otherwise = status('server-error', 503)
    await load()
    expect(cache.failures()).toMatchObject([{ usesCopy: true }])
  })

  it('waits as long as the server requests', async () => {
    const retryAt = clock.now() + 2 * HOUR
    otherwise = (url) => ({ ...base(url), kind: 'rate-limited', response: response(429, []), retryAt })
    expect((await load()).retryAt).toBe(retryAt)
  })

  it('uses its copy for 30 days, and tries again meanwhile', async () => {
    const start = clock.now()
    await load()
    otherwise = status('server-error', 503)
    clock.advance(DAY)
    let lastByCopy = 0
    for (let i = 0; i < 60; i++) {
      const verdict = await load()
      if (verdict.kind === 'unreachable') break
      expect(verdict).toMatchObject({ allowed: false, kind: 'rule', line: { number: 2 } })
      expect(verdict.reason).toBe('line 2: Disallow: /no (by an older copy: robots.txt returned 503)')
      expect(cache.peek('https://a.test/yes')?.allowed).toBe(true)
      lastByCopy = clock.now() - start
      clock.advance(12 * HOUR)
    }
    expect(lastByCopy).toBeGreaterThan(28 * DAY)
    expect(lastByCopy).toBeLessThanOrEqual(30 * DAY)
    clock.advance(365 * DAY)
    expect(await load('https://a.test/yes')).toMatchObject({ allowed: false, kind: 'unreachable' })
  })

  it('does not use an old 404 as a copy', async () => {
    otherwise = status('not-found', 404)
    await load()
    clock.advance(DAY)
    otherwise = status('server-error', 503)
    expect(await load()).toMatchObject({ allowed: false, kind: 'unreachable' })
  })

  it('does not count an aborted request as an outage', async () => {
    otherwise = failure('aborted')
    expect(await load()).toMatchObject({ allowed: false, kind: 'unreachable', retryAt: clock.now() })
    expect(cache.peek('https://a.test/no')).toBeUndefined()
    otherwise = status('server-error', 503)
    expect((await load()).retryAt).toBe(clock.now() + 5 * MINUTE)
  })
})

describe('RFC 9309, 2.4: caching', () => {
  it('obeys the cache headers', async () => {
    otherwise = file(FILE, [['cache-control', 'max-age=3600']])
    await load()
    clock.advance(HOUR - 1)
    expect(cache.peek('https://a.test/no')).toBeDefined()
    clock.advance(1)
    expect(cache.peek('https://a.test/no')).toBeUndefined()
  })

  it('revalidates the copy at its final URL, and keeps it if it did not change', async () => {
    web['https://a.test/robots.txt'] = moved('https://b.test/r')
    web['https://b.test/r'] = file(FILE, [
      ['etag', '"1"'],
      ['last-modified', 'Sun, 15 Nov 2026 15:00:00 GMT'],
    ])
    await load()
    expect(sent.map(({ validators }) => validators)).toEqual([undefined, undefined])
    web['https://b.test/r'] = status('not-modified', 304, [
      ['etag', '"2"'],
      ['cache-control', 'max-age=600'],
    ])
    clock.advance(DAY)
    expect(await load()).toMatchObject({ allowed: false, kind: 'rule' })
    expect(sent.slice(2).map(({ validators }) => validators)).toEqual([
      undefined,
      { etag: '"1"', lastModified: 'Sun, 15 Nov 2026 15:00:00 GMT' },
    ])
    clock.advance(10 * MINUTE)
    await load()
    expect(sent.at(-1)?.validators?.etag).toBe('"2"')
  })

  it('replaces the old file by the new one', async () => {
    await load()
    clock.advance(DAY)
    otherwise = file('User-agent: *\nDisallow: /yes')
    expect((await load('https://a.test/no')).allowed).toBe(true)
    expect((await load('https://a.test/yes')).allowed).toBe(false)
  })

  it('uses the records of another process, as JSON', async () => {
    const records = new Map<string, string>()
    const store = {
      get: async (origin: string): Promise<RobotsRecord | undefined> => {
        const json = records.get(origin)
        return json === undefined ? undefined : JSON.parse(json)
      },
      put: async (record: RobotsRecord) => void records.set(record.origin, JSON.stringify(record)),
    }
    otherwise = file(Buffer.from('User-agent: *\nDisallow: /caf\xE9\0\xFF', 'latin1'))
    await new RobotsCache(clock, 'FooBot', { store }).load('https://a.test/', send)
    otherwise = status('server-error', 500)
    await new RobotsCache(clock, 'FooBot', { store }).load('https://b.test/', send)
    const second = new RobotsCache(clock, 'FooBot', { store })
    expect((await second.load('https://a.test/caf%E9', send)).allowed).toBe(false)
    expect((await second.load('https://b.test/', send)).kind).toBe('unreachable')
    expect(sent).toHaveLength(2)
  })

  it('fetches again if memory is too small for all files', async () => {
    cache = new RobotsCache(clock, 'FooBot', { store: new MemoryRobotsStore(1_000), maxReadyBytes: 1_000 })
    for (const host of ['a', 'b', 'c', 'c', 'b']) await load(`https://${host}.test/`)
    expect(sent.map(({ url }) => new URL(url).host)).toEqual(['a.test', 'b.test', 'c.test'])
    await load('https://a.test/')
    expect(sent).toHaveLength(4)
  })
})

function base(url: string): Pick<FetchOutcome, 'url' | 'timings'> {
  return { url, timings: { startedAt: clock.now(), totalMs: 0 } }
}

function response(status: number, headers: HeaderList) {
  return { status, headers, requestHeaders: [], address: '192.0.2.1', protocol: 'http/1.1' }
}

function body(content: string | Uint8Array): FetchedBody {
  const bytes = typeof content === 'string' ? Buffer.from(content) : content
  return { bytes, wireBytes: bytes.length, decoded: [] }
}

function file(
  content: string | Uint8Array,
  headers: HeaderList = [],
  more: Partial<FetchedBody> = {},
): Response {
  return (url) => ({
    ...base(url),
    kind: 'success',
    response: response(200, headers),
    body: { ...body(content), ...more },
  })
}

function moved(to: string): Response {
  return (url) => ({ ...base(url), kind: 'moved', response: response(301, []), to, permanent: true })
}

function status(
  kind: 'not-found' | 'gone' | 'access-denied' | 'rate-limited' | 'server-error' | 'not-modified',
  code: number,
  headers: HeaderList = [],
): Response {
  return (url) => ({ ...base(url), kind, response: response(code, headers) })
}

function failure(cause: Extract<FetchOutcome, { kind: 'network-failure' }>['cause']): Response {
  return (url) => ({ ...base(url), kind: 'network-failure', cause, detail: '' })
}
