import { describe, expect, it } from 'vitest'
import { ConfigurationError } from '../../base/crawl-error.ts'
import { describeSeen, readSeenText, seenText } from './seen-options.ts'

describe('seenText', () => {
  it.each([
    [{}, ''],
    [{ dupefilter: 'own' }, ''],
    [{ seenSeconds: 1.5 }, 'own 1500 orbweaver:{books}'],
    [{ seenWith: 'other' }, 'own 0 orbweaver:{other}'],
    [{ seenWith: 'other', seenSeconds: 60 }, 'own 60000 orbweaver:{other}'],
    [{ dupefilter: 'scrapy-b' }, 'scrapy-b 0 books:dupefilter'],
    [{ dupefilter: 'scrapy-a', dupefilterKey: 'seen urls' }, 'scrapy-a 0 seen urls'],
  ] as const)('stores %j as a text that can be read again', (options, text) => {
    expect(seenText('books', false, options)).toBe(text)
    const { dupefilter, periodMs, where } = readSeenText(text, 'base')
    expect(`${dupefilter} ${periodMs} ${where}`).toBe(text || 'own 0 base')
  })

  it.each([
    [{ dupefilter: 'scrapy-a', seenWith: 'other' }, 'dupefilterKey'],
    [{ dupefilter: 'scrapy-a', seenSeconds: 1 }, 'do not expire'],
    [{ dupefilterKey: 'x' }, 'needs dupefilter'],
    [{ seenSeconds: 0 }, 'must be 1 to'],
    [{ seenSeconds: Number.NaN }, 'must be 1 to'],
    [{ seenWith: 'an other' }, 'cannot be called'],
  ] as const)('refuses %j', (options, reason) => {
    expect(() => seenText('books', false, options)).toThrow(ConfigurationError)
    expect(() => seenText('books', false, options)).toThrow(reason)
  })

  it('keeps all keys of a crawl on one node of a cluster', () => {
    expect(seenText('books', true, { dupefilter: 'scrapy-c' })).toBe('scrapy-c 0 {books}:dupefilter')
    expect(() =>
      seenText('books', true, { dupefilter: 'scrapy-c', dupefilterKey: 'books:dupefilter' }),
    ).toThrow('must contain {books}')
    expect(() => seenText('books', true, { seenWith: 'other' })).toThrow('a script sees the keys of one node')
  })
})

it('reads an invalid rule as the default', () => {
  for (const text of ['', 'own', 'own x y', 'scrapy-d 0 x', 'own 9999999999999999 x'])
    expect(readSeenText(text, 'orbweaver:{books}')).toEqual({
      dupefilter: 'own',
      periodMs: 0,
      where: 'orbweaver:{books}',
    })
})

it('describes a rule for messages', () => {
  const described = (text: string) => describeSeen(readSeenText(text, 'orbweaver:{books}'))
  expect(described('')).toBe('the seen set of books, without expiry')
  expect(described('own 1500 orbweaver:{other}')).toBe('the seen set of other, with seenSeconds 1.5')
  expect(described('scrapy-a 0 k')).toBe('dupefilter scrapy-a in k')
})
