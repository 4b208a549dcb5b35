import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { writePickle } from '../../../testing/write-pickle.ts'
import { scrapyRequestDict } from '../../../testing/write-scrapy-request.ts'
import { readSerialized } from './read-serialized.ts'
import { readScrapyRequest } from './scrapy-request.ts'

/** As Scrapy's `to_dict` has it, with bytes as text. */
const whole = {
  url: 'http://a.test/p?x=1',
  callback: 'parse_book',
  errback: null,
  headers: { 'X-Token': ['abc'], Referer: ['http://a.test/'] },
  method: 'POST',
  body: 'a=é',
  cookies: { session: '1' },
  meta: { depth: 2, page: 3 },
  encoding: 'utf-8',
  priority: 5,
  dont_filter: true,
  flags: [],
  cb_kwargs: { id: 7 },
}

function read(value: unknown) {
  const serialized = readSerialized(Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)))
  return serialized.ok ? readScrapyRequest(serialized.value) : serialized
}

describe('readSerialized', () => {
  it('reads requests of a JSON serializer', () => {
    expect(read(whole)).toEqual({
      ok: true,
      request: {
        url: 'http://a.test/p?x=1',
        method: 'POST',
        headers: { 'x-token': 'abc', referer: 'http://a.test/', cookie: 'session=1' },
        body: 'a=é',
        handler: 'parse_book',
        meta: { page: 3, cb_kwargs: { id: 7 } },
        priority: 5,
        dontFilter: true,
        depth: 2,
        from: 'http://a.test/',
      },
      dropped: [],
    })
    expect(read({ url: 'http://a.test/', headers: { Accept: 'a' }, body: null })).toMatchObject({
      request: { headers: { accept: 'a' }, handler: 'parse' },
    })
  })

  it('reads pickles as before', () => {
    const request = { url: 'http://a.test/', handler: 'parse', depth: 0 }
    const serialized = readSerialized(writePickle(scrapyRequestDict(request)))
    expect(serialized.ok && readScrapyRequest(serialized.value)).toMatchObject({ ok: true, request })
  })

  it.each([
    ['{"url":', 'JSON: '],
    [`{"url": ${'['.repeat(90)}${']'.repeat(90)}}`, 'JSON: more than 64 levels deep'],
    ['{"callback": "parse"}', 'not a request: no url'],
    [{ ...whole, body: { 'py/b64': 'YQ==' } }, 'body: neither text nor bytes'],
  ])('says what is wrong with %j', (text, reason) => {
    expect(read(text)).toMatchObject({ ok: false, reason: expect.stringContaining(reason) })
  })

  it('tells of headers that it cannot use', () => {
    expect(read({ ...whole, headers: [['X-Token', ['abc']]] })).toMatchObject({
      ok: true,
      dropped: ['headers'],
    })
  })

  it('never throws', () => {
    fc.assert(
      fc.property(fc.oneof(fc.uint8Array(), fc.json().map(Buffer.from)), (bytes) => {
        const serialized = readSerialized(bytes)
        if (serialized.ok) readScrapyRequest(serialized.value)
      }),
    )
  })
})
