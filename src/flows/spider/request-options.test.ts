import { describe, expect, it } from 'vitest'
import { type RequestOptions, requestParts } from './request-options.ts'

describe('requestParts', () => {
  it('is empty for a plain GET', () => {
    expect(requestParts({})).toEqual({})
    expect(requestParts({ method: 'get' })).toEqual({})
  })

  it('sends a form as a browser does, and by POST', () => {
    expect(requestParts({ form: { q: 'a b&c', page: 2, tag: ['x', 'ü'] } })).toEqual({
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: 'q=a+b%26c&page=2&tag=x&tag=%C3%BC',
    })
  })

  it('sends JSON, also when it is null', () => {
    expect(requestParts({ json: { a: [1, null] } })).toEqual({
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"a":[1,null]}',
    })
    expect(requestParts({ json: null }).body).toBe('null')
  })

  it('sends text as it is, without a content type', () => {
    expect(requestParts({ body: '' })).toEqual({ method: 'POST', body: '' })
    expect(requestParts({ body: '<x/>', method: 'put' })).toEqual({ method: 'PUT', body: '<x/>' })
  })

  it('keeps bytes as base64', () => {
    const bytes = Uint8Array.of(0, 255, 128)
    const { body = '', base64 } = requestParts({ body: bytes })
    expect(base64).toBe(true)
    expect(new Uint8Array(Buffer.from(body, 'base64'))).toEqual(bytes)
  })

  it('replaces its own headers by those given, in any case', () => {
    const parts = requestParts({ json: {}, headers: { 'Content-Type': 'text/x', 'X-A': '1' } })
    expect(parts.headers).toEqual({ 'content-type': 'text/x', 'x-a': '1' })
  })

  it('puts cookies into one header', () => {
    expect(requestParts({ cookies: { a: '1', b: '2' } }).headers).toEqual({ cookie: 'a=1; b=2' })
  })

  it.each<[string, RequestOptions]>([
    ['a header with a line break', { headers: { 'x-a': 'b\r\nx-evil: 1' } }],
    ['a header of the connection', { headers: { Host: 'b.test' } }],
    ['an invalid header name', { headers: { 'x y': '1' } }],
    ['a cookie with a line break', { cookies: { a: '1\n' } }],
    ['an invalid method', { method: 'GET /' }],
  ])('throws for %s', (_, options) => {
    expect(() => requestParts(options)).toThrow(TypeError)
  })

  it('throws for a second body', () => {
    expect(() => requestParts({ body: 'x', json: 1 })).toThrow(TypeError)
    expect(() => requestParts({ json: 1, form: {} })).toThrow('one body')
  })
})
