import { expect, it } from 'vitest'
import { byteCount, count, counted, duration, moment, shown, tally } from './shown.ts'

it.each([
  [0, '0 ms'],
  [999, '999 ms'],
  [1_500, '1.5 s'],
  [245_000, '4 min 5 s'],
  [2 * 3_600_000 + 180_000, '2 h 3 min'],
  [30 * 86_400_000, '30 d'],
])('shows %i ms as %s', (ms, text) => {
  expect(duration(ms)).toBe(text)
})

it.each([
  [0, '0 bytes'],
  [999, '999 bytes'],
  [1_000, '1.0 kB'],
  [12_345_678, '12.3 MB'],
])('shows %i bytes as %s', (bytes, text) => {
  expect(byteCount(bytes)).toBe(text)
})

it.each([0, 7, 999, 1_000, 100_000, 1_234_567, -1_234, 2 ** 53])('counts %i as English does', (n) => {
  expect(count(n)).toBe(n.toLocaleString('en-US'))
})

it('counts in plain English', () => {
  expect([counted(1, 'URL'), counted(1_234, 'URL')]).toEqual(['1 URL', '1,234 URLs'])
})

it('names what there is most of first', () => {
  expect(tally({ gone: 1, success: 2_000 })).toBe('2,000 success, 1 gone')
})

it('shows times in UTC, and 0 as never', () => {
  expect([moment(0), moment(Date.UTC(2026, 10, 15, 18, 8, 30))]).toEqual(['never', '2026-11-15 18:08:30Z'])
})

it('lets nothing through that acts on a terminal', () => {
  expect(shown('a\n b\x1b[31mred')).not.toMatch(/[\n\x1b]/)
})
