import { describe, expect, it } from 'vitest'
import type { Cookie } from '../../domain/fetch/cookie.ts'
import { cookieText, readCookies } from './stored-cookies.ts'

const COOKIE: Cookie = {
  ...{ name: 'id', value: '1', domain: 'a.test', hostOnly: true, path: '/', secure: false },
  expiresAt: 1_900_000_000_000.5,
}

it('returns cookies as they were stored', () => {
  const cookies = [COOKIE, { ...COOKIE, name: 'other', value: 'a=b "c"', path: '/é' }]
  expect(readCookies(cookieText(cookies))).toEqual(cookies)
  expect(cookieText([])).toBe('')
  expect(readCookies('')).toEqual([])
})

it('stores the newest 50 cookies of a host', () => {
  const cookies = Array.from({ length: 60 }, (_, i) => ({ ...COOKIE, name: `c${i}` }))
  expect(readCookies(cookieText(cookies)).map(({ name }) => name)).toEqual(
    cookies.slice(10).map(({ name }) => name),
  )
})

it('stores 16 kB of cookies per host at most, the newest ones', () => {
  const cookies = Array.from({ length: 10 }, (_, i) => ({
    ...COOKIE,
    name: `c${i}`,
    value: 'x'.repeat(4_000),
  }))
  const text = cookieText(cookies)
  expect(Buffer.byteLength(text)).toBeLessThanOrEqual(16_384)
  expect(readCookies(text).map(({ name }) => name)).toEqual(['c7', 'c8', 'c9'])
})

describe('a stored value', () => {
  it.each([
    ['half a text', '[{"name":'],
    ['not a list', JSON.stringify(COOKIE)],
    ['a list of something else', '[1,null,"x",[]]'],
    ['too long', JSON.stringify(Array.from({ length: 200 }, () => ({ ...COOKIE, value: 'x'.repeat(100) })))],
    ['a value that no header can have', JSON.stringify([{ ...COOKIE, value: 'a\r\nX: y' }])],
    ['a second cookie in a value', JSON.stringify([{ ...COOKIE, value: 'a; b=c' }])],
    ['a long value', JSON.stringify([{ ...COOKIE, value: 'x'.repeat(4_096) }])],
    ['no name', JSON.stringify([{ ...COOKIE, name: '' }])],
    ['a time that is not a number', JSON.stringify([{ ...COOKIE, expiresAt: 'never' }])],
    ['a domain that is too long', JSON.stringify([{ ...COOKIE, domain: 'a'.repeat(256) }])],
  ])('with %s is ignored', (_, text) => {
    expect(readCookies(text)).toEqual([])
  })

  it('keeps its valid cookies without unknown members', () => {
    expect(readCookies(JSON.stringify([{ ...COOKIE, more: 1 }, 7]))).toEqual([COOKIE])
  })
})
