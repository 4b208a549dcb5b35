import { expect, it } from 'vitest'
import { essentialUrl, isIgnored, parameterVariants } from './ignored-parameter.ts'

const URL = 'http://a.test/list?sort=name&page=2'

it.each([
  [4, 0, false],
  [5, 0, true],
  [95, 5, true],
  [94, 6, false],
])('%d pairs with the same words and %d others: ignored %s', (same, different, ignored) => {
  expect(isIgnored({ slot: 's', same, different, refused: false, held: 0 })).toBe(ignored)
  expect(isIgnored({ slot: 's', same, different, refused: true, held: 0 })).toBe(false)
})

it('gives the URL without each parameter', () => {
  expect(parameterVariants(URL, 'a.test/list')).toEqual([
    { slot: 'a.test/list?page=', remainder: 'http://a.test/list?sort=name' },
    { slot: 'a.test/list?sort=', remainder: 'http://a.test/list?page=2' },
  ])
})

it('removes ignored parameters', () => {
  const ignored = new Set(['a.test/list?sort='])
  expect(essentialUrl(URL, 'a.test/list', ignored)).toEqual({
    url: 'http://a.test/list?page=2',
    slot: 'a.test/list?sort=',
  })
  expect(essentialUrl('http://a.test/list?page=2', 'a.test/list', ignored).slot).toBeUndefined()
})
