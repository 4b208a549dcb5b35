import { expect, it } from 'vitest'
import {
  columnWidth,
  formatBytes,
  formatCount,
  formatCounts,
  formatDuration,
  formatJson,
  formatNumber,
  formatTime,
  printableLine,
  printableLines,
} from './format-values.ts'

it.each([
  [0, '0 ms'],
  [999, '999 ms'],
  [1_500, '1.5 s'],
  [245_000, '4 min 5 s'],
  [2 * 3_600_000 + 180_000, '2 h 3 min'],
  [30 * 86_400_000, '30 d'],
])('formats %i ms as %s', (ms, text) => {
  expect(formatDuration(ms)).toBe(text)
})

it.each([
  [0, '0 bytes'],
  [999, '999 bytes'],
  [1_000, '1.0 kB'],
  [12_345_678, '12.3 MB'],
])('formats %i bytes as %s', (bytes, text) => {
  expect(formatBytes(bytes)).toBe(text)
})

it.each([0, 7, 999, 1_000, 100_000, 1_234_567, -1_234, 2 ** 53])('formats %i as in English', (n) => {
  expect(formatNumber(n)).toBe(n.toLocaleString('en-US'))
})

it('uses singular and plural', () => {
  expect([formatCount(1, 'URL'), formatCount(1_234, 'URL')]).toEqual(['1 URL', '1,234 URLs'])
})

it('formats the highest count first', () => {
  expect(formatCounts({ gone: 1, success: 2_000 })).toBe('2,000 success, 1 gone')
})

it('formats times in UTC, and 0 as never', () => {
  expect([formatTime(0), formatTime(Date.UTC(2026, 10, 15, 18, 8, 30))]).toEqual([
    'never',
    '2026-11-15 18:08:30Z',
  ])
})

it('removes control characters', () => {
  expect(printableLine('a\n b\x1b[31mred')).not.toMatch(/[\n\x1b]/)
})

it('keeps line breaks and indentation, and removes control characters', () => {
  expect(printableLines('a\x1b[31m\n    at b\r\x07 \n\n{\n  c: 1\n}')).toBe(
    'a [31m\n    at b\n\n{\n  c: 1\n}',
  )
})

it('truncates long lines', () => {
  expect(printableLines(`${'x'.repeat(5_000)}\ny`).length).toBeLessThan(2_010)
})

it('measures the longest text of a column', () => {
  expect([columnWidth([]), columnWidth(['a', undefined, 'abc'])]).toEqual([0, 3])
})

it('prints one indented JSON document with a line break at the end', () => {
  expect(formatJson({ a: 1 })).toBe('{\n  "a": 1\n}\n')
})
