import { expect, it } from 'vitest'
import { cellText, cutCell, isShort, itemColumns } from './item-cells.ts'

it('takes the columns from all items, in the order of their first use', () => {
  expect(itemColumns([{ b: 1 }, { a: 1, b: 2 }, { c: 3 }], 10)).toEqual(['b', 'a', 'c'])
})

it('keeps the most frequent columns of many', () => {
  expect(itemColumns([{ rare: 1, name: 2 }, { name: 1, price: 2 }, { price: 1 }], 2)).toEqual([
    'name',
    'price',
  ])
})

it('shows strings as they are, and nested values as JSON', () => {
  expect(cellText('<b>')).toBe('<b>')
  expect(cellText({ a: [1, null] })).toBe('{"a":[1,null]}')
  expect(cellText(0)).toBe('0')
  expect(cellText(null)).toBe('null')
  expect(cellText(undefined)).toBe('')
  expect(cellText('a\u202eb')).toBe('a\\u202eb')
})

it('cuts long values', () => {
  expect(isShort('x'.repeat(120))).toBe(true)
  expect(cutCell('x'.repeat(121))).toBe(`${'x'.repeat(120)}…`)
})
