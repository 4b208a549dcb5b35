import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { writePickle } from '../../../testing/write-pickle.ts'
import { scrapyRequestDict } from '../../../testing/write-scrapy-request.ts'
import type { CrawlRequest } from '../../domain/frontier/crawl-request.ts'
import type { PickleValue } from './pickle-value.ts'
import { readPickle } from './read-pickle.ts'
import { readScrapyRequest } from './scrapy-request.ts'
import vectors from './vectors.json' with { type: 'json' }

const URL = 'http://www.example.com/p'

describe('readScrapyRequest', () => {
  it('reads the requests that every Scrapy writes', () => {
    const readings = vectors.pickled_requests.map((row) => {
      const pickle = readPickle(Buffer.from(row.pickle_protocol_5_base64, 'base64'))
      return pickle.ok ? readScrapyRequest(pickle.value) : pickle
    })
    const referred = {
      url: URL,
      handler: 'parse_page',
      headers: { referer: 'http://www.example.com/' },
      depth: 1,
      from: 'http://www.example.com/',
    }
    expect(readings).toEqual([
      {
        ok: true,
        dropped: [],
        request: {
          url: 'http://www.example.com/?a=1',
          handler: 'parse',
          meta: { 'job-id': '123xsd' },
          dontFilter: true,
          depth: 0,
        },
      },
      {
        ok: true,
        dropped: [],
        request: {
          ...referred,
          method: 'POST',
          body: 'a=1&b=2',
          meta: { link_text: 'café', cb_kwargs: { page: 300 } },
          priority: -10,
        },
      },
      { ok: true, dropped: [], request: { ...referred, priority: 5 } },
    ])
  })

  it('keeps a body that is not text as base64', () => {
    expect(requestOf({ body: Uint8Array.of(0xff, 0) })).toMatchObject({ body: '/wA=', base64: true })
  })

  it('joins the values of a header, and sends bytes as they are', () => {
    const headers = new Map<PickleValue, PickleValue>([
      [bytes('Accept'), [bytes('a'), bytes('b')]],
      [bytes('Cookie'), [bytes('a=1'), bytes('b=2')]],
      [bytes('X-Name'), [bytes('é')]],
      [bytes('Empty'), []],
    ])
    expect(requestOf({ headers }).headers).toEqual({ accept: 'a, b', cookie: 'a=1; b=2', 'x-name': 'Ã©' })
  })

  it('drops headers that cannot be sent, and says so', () => {
    const headers = new Map<PickleValue, PickleValue>([
      [bytes('Host'), [bytes('elsewhere')]],
      [bytes('X-Split'), [bytes('a\r\nEvil: 1')]],
      [bytes('Bad Name'), [bytes('a')]],
      [bytes('X-Null'), [null]],
    ])
    const reading = readScrapyRequest(dict({ headers }))
    expect(reading).toEqual({
      ok: true,
      request: { url: URL, handler: 'parse', depth: 0 },
      dropped: ['headers.host', 'headers.x-split', 'headers.bad name', 'headers.x-null'],
    })
  })

  it('makes a header of a dict of cookies', () => {
    const cookies = new Map<PickleValue, PickleValue>([
      ['a', '1'],
      ['n', 2],
      ['x', 'y; z'],
    ])
    expect(readScrapyRequest(dict({ cookies }))).toMatchObject({
      request: { headers: { cookie: 'a=1; n=2' } },
      dropped: ['cookies.x'],
    })
  })

  it('makes a header of a list of cookies, those of other hosts left out', () => {
    const cookies = [
      new Map([
        ['name', 'a'],
        ['value', '1'],
        ['domain', '.example.com'],
      ]),
      new Map([
        ['name', 'b'],
        ['value', '2'],
        ['domain', 'ample.com'],
      ]),
      new Map([
        ['name', 'c'],
        ['value', '3'],
        ['path', '/'],
      ]),
    ]
    expect(readScrapyRequest(dict({ cookies }))).toMatchObject({
      request: { headers: { cookie: 'a=1; c=3' } },
      dropped: ['cookies.b'],
    })
  })

  it('keeps what JSON can hold of meta, and lists the rest', () => {
    const meta = new Map<PickleValue, PickleValue>([
      ['tags', new Set(['a'])],
      ['pair', [1, null]],
      ['raw', bytes('x')],
      ['big', 2n ** 70n],
      ['nan', Number.NaN],
      [7, 'seven'],
      ['nested', new Map([['raw', bytes('x')]])],
    ])
    expect(readScrapyRequest(dict({ meta, errback: 'failed' }))).toMatchObject({
      request: { meta: { tags: ['a'], pair: [1, null] } },
      dropped: ['errback', 'meta.raw', 'meta.big', 'meta.nan', 'meta.7', 'meta.nested'],
    })
  })

  it.each<[string, PickleValue]>([
    ['no dict', [1]],
    ['no url', new Map()],
    ['scheme', dict({ url: 'ftp://example.com/' })],
    ['method', dict({ method: 'GET / HTTP/1.1\r\n' })],
    ['callback', dict({ callback: 7 })],
  ])('refuses a request for its %s', (_, value) => {
    expect(readScrapyRequest(value)).toMatchObject({ ok: false })
  })

  it('never throws', () => {
    const leaf = fc.constantFrom<PickleValue>(null, true, 1, 1.5, 2n ** 80n, '', 'a', '\n', bytes('b'))
    const value = fc.oneof(
      leaf,
      fc.array(leaf, { maxLength: 3 }),
      fc
        .array(fc.tuple(leaf, fc.oneof(leaf, fc.array(leaf, { maxLength: 2 }))))
        .map((entries) => new Map(entries)),
    )
    const names = [
      'callback',
      'headers',
      'method',
      'body',
      'cookies',
      'meta',
      'priority',
      'cb_kwargs',
      'dont_filter',
    ]
    fc.assert(
      fc.property(fc.dictionary(fc.constantFrom(...names), value), (members) => {
        expect(typeof readScrapyRequest(dict(members)).ok).toBe('boolean')
      }),
      { numRuns: 500 },
    )
  })
})

it('reads back what scrapyRequestDict makes for Python', () => {
  fc.assert(
    fc.property(requests, (request) => {
      const pickle = readPickle(writePickle(scrapyRequestDict(request)))
      expect(pickle.ok && readScrapyRequest(pickle.value)).toEqual({ ok: true, request, dropped: [] })
    }),
    { numRuns: 200 },
  )
})

const requests: fc.Arbitrary<CrawlRequest> = fc.record(
  {
    url: fc.constantFrom(URL, 'https://example.com/?q=%C3%A9'),
    handler: fc.constantFrom('parse', 'book'),
    depth: fc.nat(9),
    method: fc.constantFrom('POST', 'PUT'),
    headers: fc.constantFrom({ 'x-a-b1c': 'Ã©', accept: '*/*' }, { cookie: 'a=1' }),
    body: fc.constantFrom('a=1', 'é', '{"a":1}'),
    priority: fc.integer().filter((priority) => priority !== 0),
    dontFilter: fc.constant(true),
    meta: fc.constantFrom({ a: [1, null, { b: 'é' }] }, { cb_kwargs: { page: 1 } }, { score: 0.5 }),
  },
  { requiredKeys: ['url', 'handler', 'depth'] },
)

function requestOf(members: Record<string, PickleValue>): CrawlRequest {
  const reading = readScrapyRequest(dict(members))
  if (!reading.ok) throw new Error(reading.reason)
  return reading.request
}

function dict(members: Record<string, PickleValue>): PickleValue {
  return new Map<PickleValue, PickleValue>(Object.entries({ url: URL, ...members }))
}

function bytes(text: string): Uint8Array {
  return new Uint8Array(Buffer.from(text))
}
