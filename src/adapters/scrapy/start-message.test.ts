import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readStartMessage, type StartOptions } from './start-message.ts'

const URL = 'https://example.com/a?x=1'

describe.each(['strict', 'rich'] as const)('the %s reading', (reading) => {
  it.each([URL, Buffer.from(` ${URL}\n`)])('takes a bare URL', (message) => {
    expect(readStartMessage(message, { reading })).toEqual({
      ok: true,
      start: { href: URL, options: { dontFilter: true } },
    })
  })

  it('takes url, method and meta', () => {
    const message = JSON.stringify({ url: URL, method: 'put', meta: { job: 1 } })
    expect(readStartMessage(message, { reading })).toEqual({
      ok: true,
      start: { href: URL, options: { method: 'PUT', meta: { job: 1 }, dontFilter: true } },
    })
  })

  it.each([
    ['broken JSON', '{"url": "https://example.com/"'],
    ['neither JSON nor a URL', 'example.com'],
    ['neither JSON nor a URL', 'ftp://example.com/'],
    ['no object', '"https://example.com/"'],
    ['no object', '[{"url": "https://example.com/"}]'],
    ['no object', '12'],
    ['url', '{}'],
    ['url', '{"url": 1}'],
    ['url', '{"url": "nowhere"}'],
    ['method', '{"url": "https://example.com/", "method": 1}'],
    ['method', '{"url": "https://example.com/", "method": "GET /"}'],
    ['meta', '{"url": "https://example.com/", "meta": [1]}'],
    ['nested', `{"url": "https://example.com/", "meta": {"a": ${'['.repeat(200)}${']'.repeat(200)}}}`],
  ])('refuses with %s: %.60s', (reason, message) => {
    expect(readStartMessage(message, { reading })).toMatchObject({
      ok: false,
      reason: expect.stringContaining(reason),
    })
  })

  it('rejects bytes that are not text, and messages that are too long', () => {
    expect(readStartMessage(Buffer.of(0xff), { reading })).toEqual({ ok: false, reason: 'not UTF-8' })
    expect(readStartMessage(URL, { reading, maxBytes: 5 })).toEqual({
      ok: false,
      reason: 'more than 5 bytes',
    })
  })

  it('never throws', () => {
    const names = [
      'url',
      'method',
      'meta',
      'headers',
      'body',
      'json',
      'form',
      'cookies',
      'priority',
      'handler',
      '__proto__',
      'q',
    ]
    const values = fc.oneof(fc.constant(URL), fc.string(), fc.jsonValue({ maxDepth: 2 }))
    const objects = fc.dictionary(fc.constantFrom(...names), values).map((message) => JSON.stringify(message))
    fc.assert(
      fc.property(fc.oneof(objects, fc.json(), fc.webUrl(), fc.string(), fc.uint8Array()), (message) => {
        expect(typeof readStartMessage(message, { reading }).ok).toBe('boolean')
      }),
      { numRuns: 200 },
    )
  })
})

describe('the strict reading', () => {
  it('posts every other member as form data, as Scrapy encodes it', () => {
    const message = {
      url: URL,
      method: 'POST',
      q: 'a b~*é',
      list: ['1', '2'],
      nested: { k: 1 },
      headers: 'h',
    }
    expect(strict(message)).toEqual({
      href: URL,
      options: {
        method: 'POST',
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
        body: 'q=a+b~%2A%C3%A9&list=1&list=2&nested=k&headers=h',
        dontFilter: true,
      },
    })
  })

  it('replaces the whole query by form data unless it is posted', () => {
    expect(strict({ url: URL, q: 'x' })?.href).toBe('https://example.com/a?q=x')
    expect(strict({ url: URL, q: [] })?.href).toBe('https://example.com/a')
  })

  it('makes the URL safe as Scrapy does', () => {
    expect(strict({ url: 'http://faß.de/é' })?.href).toBe('http://fass.de/%C3%A9')
  })

  it.each([1, null, true, ['a', 1]])('refuses %j as form data', (value) => {
    expect(strict({ url: URL, q: value })).toBeUndefined()
  })
})

describe('the rich reading', () => {
  it('takes all that a request can say', () => {
    const message = {
      url: URL,
      headers: { Accept: '*/*', 'X-Name': 'é' },
      json: { a: [1] },
      cookies: { sid: '1' },
      priority: 3,
      handler: 'book',
      meta: { a: { b: null } },
      dontFilter: false,
    }
    expect(rich(message)).toEqual({
      headers: { accept: '*/*', 'x-name': 'Ã©' },
      json: { a: [1] },
      cookies: { sid: '1' },
      priority: 3,
      handler: 'book',
      meta: { a: { b: null } },
      dontFilter: false,
    })
  })

  it('takes Scrapy’s names', () => {
    expect(rich({ url: URL, callback: 'book', dont_filter: false })).toEqual({
      handler: 'book',
      dontFilter: false,
    })
  })

  it('takes a form or a body', () => {
    expect(rich({ url: URL, form: { a: '1', n: 2, l: ['x'] } })).toMatchObject({
      form: { a: '1', n: 2, l: ['x'] },
    })
    expect(rich({ url: URL, body: 'x' })).toMatchObject({ body: 'x' })
  })

  it.each([
    { q: 'unknown' },
    { body: 'x', form: {} },
    { json: null, body: '' },
    { headers: { host: 'x' } },
    { headers: { 'x-a': 'a\nb: c' } },
    { headers: { 'a b': 'c' } },
    { headers: ['a'] },
    { cookies: { a: 'b; c' } },
    { cookies: { 'a=b': 'c' } },
    { cookies: { a: 'é' } },
    { priority: '1' },
    { handler: '' },
    { dontFilter: 1 },
  ])('refuses %j', (members) => expect(rich({ url: URL, ...members })).toBeUndefined())
})

function strict(message: unknown) {
  const result = readStartMessage(JSON.stringify(message), { reading: 'strict' })
  return result.ok ? result.start : undefined
}

function rich(message: unknown): StartOptions | undefined {
  const result = readStartMessage(JSON.stringify(message))
  return result.ok ? result.start.options : undefined
}
