import fc from 'fast-check'
import { expect, it } from 'vitest'
import { itemJson, pickFields } from './text-format.ts'

it('keeps an item on one line, whatever ends a line elsewhere', () => {
  const item = { text: 'a\u2028b\u2029c\u0085d\ne' }
  expect(itemJson(item)).toBe('{"text":"a\\u2028b\\u2029c\\u0085d\\ne"}')
  expect(JSON.parse(itemJson(item))).toEqual(item)
})

it('replaces halves of surrogate pairs, in keys too', () => {
  expect(itemJson({ 'k\ud800': ['\udc00x', { a: 1, b: null }], whole: '😀', not: '\\ud800' })).toBe(
    '{"k\ufffd":["\ufffdx",{"a":1,"b":null}],"whole":"😀","not":"\\\\ud800"}',
  )
})

it('reads back as the item', () => {
  const text = fc.string({ unit: 'binary' })
  const value = fc.oneof(
    text,
    fc.integer(),
    fc.boolean(),
    fc.constant(null),
    fc.array(text),
    fc.dictionary(text, text),
  )
  fc.assert(
    fc.property(fc.dictionary(text, value), (item) => {
      const back: unknown = JSON.parse(itemJson(item))
      expect(back).toEqual(JSON.parse(JSON.stringify(item)))
    }),
  )
})

it('picks fields in their order, and nothing that an item inherits', () => {
  expect(itemJson(pickFields({ a: 1, b: 2 }, ['b', 'constructor', 'a']))).toBe(
    '{"b":2,"constructor":null,"a":1}',
  )
})
