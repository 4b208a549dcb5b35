import { expect, it } from 'vitest'
import { jobKeys, startKeys } from './keys.ts'

it('gives every key of a crawl its name as the hash tag, so that a cluster keeps them together', () => {
  const keys = jobKeys('books', true)
  expect(keys.base).toBe('orbweaver:{books}')
  expect(keys.items).toBe('{books}:items')
})

it('pushes items where scrapy-redis does', () => {
  expect(jobKeys('books', false).items).toBe('books:items')
  expect(jobKeys('books', false, { items: 'my-items', prefix: 'ow/' })).toEqual({
    base: 'ow/{books}',
    items: 'my-items',
  })
})

it('looks for start messages where scrapy-redis does', () => {
  expect(startKeys('books', false)).toMatchObject({
    startUrls: 'books:start_urls',
    malformedStarts: 'books:start_urls:malformed',
  })
  expect(startKeys('books', true).startUrls).toBe('{books}:start_urls')
  expect(startKeys('books', false, { startUrls: 'mine' }).malformedStarts).toBe('mine:malformed')
})

it.each(['', 'a b', 'a{b', '}', 'a\nb'])('refuses the name %j', (name) => {
  expect(() => jobKeys(name, false)).toThrow(/cannot be called/)
})

it('refuses keys that a cluster would keep elsewhere', () => {
  expect(() => jobKeys('books', true, { items: 'books:items' })).toThrow(/must contain \{books\}/)
  expect(() => startKeys('books', true, { startUrls: 'books:start_urls' })).toThrow(/must contain \{books\}/)
  expect(() => jobKeys('books', true, { items: 'x{shop}:{books}' })).toThrow(/no other braces before it/)
  expect(jobKeys('books', true, { items: 'x{books}:{shop}' }).items).toBe('x{books}:{shop}')
  expect(() => jobKeys('books', false, { prefix: '{x}' })).toThrow(/braces/)
})
