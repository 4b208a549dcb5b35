import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  type Candidate,
  compareDuplicates,
  type DuplicateRule,
  parseDuplicateOrder,
  splitDuplicates,
} from './duplicate-order.ts'

const page = (url: string, score = 1, lastFetchTime = 1): Candidate => ({ url, score, lastFetchTime })
const http = page('http://a.test/')
const https = page('https://a.test/')

describe('compareDuplicates', () => {
  it('keeps the higher score, then the later fetch, then the shorter URL', () => {
    expect(compareDuplicates(page('http://long.test/', 2, 1), page('http://a.test/', 1, 9))).toBeLessThan(0)
    expect(compareDuplicates(page('http://long.test/', 1, 9), page('http://a.test/', 1, 1))).toBeLessThan(0)
    expect(compareDuplicates(page('http://long.test/'), page('http://a.test/'))).toBeGreaterThan(0)
  })

  it('does not decide between identical URLs', () => {
    expect(compareDuplicates(http, http, ['httpsOverHttp', 'urlLength'])).toBe(0)
  })

  it('takes https for the longer URL unless told that it is better', () => {
    expect(compareDuplicates(http, https, ['urlLength'])).toBeLessThan(0)
    expect(compareDuplicates(http, https, ['httpsOverHttp', 'urlLength'])).toBeGreaterThan(0)
    expect(compareDuplicates(https, http, ['httpsOverHttp', 'urlLength'])).toBeLessThan(0)
    expect(compareDuplicates(http, page('https://b.test/'), ['httpsOverHttp'])).toBe(0)
  })

  it('counts an escaped umlaut as one character, and a broken escape as it stands', () => {
    const order: DuplicateRule[] = ['urlLength']
    expect(compareDuplicates(page('http://a.test/%C3%BC'), page('http://a.test/uu'), order)).toBeLessThan(0)
    expect(compareDuplicates(page('http://a.test/%C3'), page('http://a.test/uu'), order)).toBeGreaterThan(0)
  })

  it('keeps the later fetch of http and https, and https when that comes first', () => {
    const later = page('http://a.test/', 1, 9)
    expect(compareDuplicates(later, https, ['fetchTime', 'urlLength', 'score'])).toBeLessThan(0)
    expect(
      compareDuplicates(later, https, ['httpsOverHttp', 'fetchTime', 'urlLength', 'score']),
    ).toBeGreaterThan(0)
  })
})

describe('splitDuplicates', () => {
  it('keeps the best and marks the rest', () => {
    const best = page('http://b.test/', 2)
    expect(splitDuplicates([http, best, https])).toEqual({ kept: best, duplicates: [http, https] })
    expect(splitDuplicates([http])).toEqual({ kept: http, duplicates: [] })
    expect(splitDuplicates([])).toEqual({ kept: undefined, duplicates: [] })
  })

  it('keeps the same page whatever the order of the group', () => {
    const urls = ['http://a.test/', 'https://a.test/', 'http://b.test/', 'https://b.test/', 'http://b.test/x']
    const groups = fc
      .array(fc.tuple(fc.nat(2), fc.nat(2)), { minLength: 5, maxLength: 5 })
      .map((numbers) => numbers.map(([score, time], i) => page(urls[i] ?? '', score, time)))
      .chain((group) => fc.tuple(fc.constant(group), fc.shuffledSubarray(group, { minLength: 5 })))
    const order: DuplicateRule[] = ['httpsOverHttp', 'score', 'fetchTime', 'urlLength']
    fc.assert(
      fc.property(groups, ([group, shuffled]) => {
        const { kept, duplicates } = splitDuplicates(group, order)
        expect(splitDuplicates(shuffled, order)).toEqual({ kept, duplicates })
        expect(new Set([kept, ...duplicates])).toEqual(new Set(group))
      }),
    )
  })
})

describe('parseDuplicateOrder', () => {
  it('reads a list', () => {
    expect(parseDuplicateOrder('httpsOverHttp, urlLength,score,fetchTime')).toEqual([
      'httpsOverHttp',
      'urlLength',
      'score',
      'fetchTime',
    ])
  })

  it.each([
    ['score,fetchTime', /add urlLength/],
    ['score,fetchTime,urlLength,age', /unknown rule "age"/],
    ['score,score,fetchTime,urlLength', /twice/],
    ['', /unknown rule ""/],
  ])('refuses "%s"', (text, message) => {
    expect(() => parseDuplicateOrder(text)).toThrow(message)
  })
})
