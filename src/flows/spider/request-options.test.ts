import { describe, expect, it } from 'vitest'
import { type RequestOptions, requestParts } from './request-options.ts'

describe('requestParts', () => {
  it('has nothing to say about a plain GET', () => {
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

  it('sends text as it is, without saying what it is', () => {
    expect(requestParts({ body: '' })).toEqual({ method: 'POST', body: '' })
    expect(requestParts({ body: '<x/>', method: 'put' })).toEqual({ method: 'PUT', body: '<x/>' })
  })

  it('keeps bytes as base64, for they may be no text', () => {
    const bytes = Uint8Array.of(0, 255, 128)
    const { body = '', base64 } = requestParts({ body: bytes })
    expect(base64).toBe(true)
    expect(new Uint8Array(Buffer.from(body, 'base64'))).toEqual(bytes)
  })

  it('lets the headers given win over its own, whatever their case', () => {
    const parts = requestParts({ json: {}, headers: { 'Content-Type': 'text/x', 'X-A': '1' } })
    expect(parts.headers).toEqual({ 'content-type': 'text/x', 'x-a': '1' })
  })

  it('puts cookies into one header', () => {
    expect(requestParts({ cookies: { a: '1', b: '2' } }).headers).toEqual({ cookie: 'a=1; b=2' })
  })

  it.each<[string, RequestOptions]>([
    ['a header with a line end', { headers: { 'x-a': 'b\r\nx-evil: 1' } }],
    ['a header of the connection', { headers: { Host: 'b.test' } }],
    ['a header name that is none', { headers: { 'x y': '1' } }],
    ['a cookie with a line end', { cookies: { a: '1\n' } }],
    ['a method that is none', { method: 'GET /' }],
  ])('refuses %s', (_, options) => {
    expect(() => requestParts(options)).toThrow(TypeError)
  })

  it('refuses a second body', () => {
    expect(() => requestParts({ body: 'x', json: 1 })).toThrow(TypeError)
    expect(() => requestParts({ json: 1, form: {} })).toThrow('one body')
  })
})
