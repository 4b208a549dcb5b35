import { expect, it } from 'vitest'
import { fitColumns, textColumns } from './text-columns.ts'

it('counts wide characters twice and combining marks not at all', () => {
  expect(textColumns('abc')).toBe(3)
  expect(textColumns('日本')).toBe(4)
  expect(textColumns('e\u0301')).toBe(1)
  expect(textColumns('🕷')).toBe(1)
  expect(textColumns('🚀')).toBe(2)
  expect(textColumns('█░·…')).toBe(4)
})

it('cuts text before a wide character that does not fit', () => {
  expect(fitColumns('日本語', 5)).toBe('日本')
  expect(fitColumns('日本語', 6)).toBe('日本語')
  expect(fitColumns('abc', 0)).toBe('')
})
