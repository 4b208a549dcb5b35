import fc from 'fast-check'
import { expect, it } from 'vitest'
import { parseRetryAfter } from './retry-after.ts'

const NOW = Date.parse('2026-11-15T08:00:00Z')
const BOUNDS = { minMs: 1_000, maxMs: 86_400_000 }
const waitOf = (value: string): number | undefined => {
  const at = parseRetryAfter(value, NOW, BOUNDS)
  return at === undefined ? undefined : at - NOW
}

it.each([
  ['120', 120_000],
  [' 5 ', 5_000],
  ['1.5', 1_500],
  ['Sun, 15 Nov 2026 08:01:00 GMT', 60_000],
  ['Sunday, 15-Nov-26 08:01:00 GMT', 60_000],
  ['Sun Nov 15 08:01:00 2026', 60_000],
])('reads %j', (value, waitMs) => {
  expect(waitOf(value)).toBe(waitMs)
})

it.each([
  ['0', 1_000],
  ['-1', 1_000],
  ['Sun, 15 Nov 1998 08:01:00 GMT', 1_000],
  ['10000000000', 86_400_000],
  ['9'.repeat(400), 86_400_000],
  ['Sun, 15 Nov 2099 08:01:00 GMT', 86_400_000],
])('clamps %j', (value, waitMs) => {
  expect(waitOf(value)).toBe(waitMs)
})

it.each(['', 'soon', 'later 1', '1e3', 'NaN', 'Sun, 99 Foo 2026 08:01:00 GMT', '5 minutes'])(
  'ignores %j',
  (value) => {
    expect(waitOf(value)).toBeUndefined()
  },
)

it('has no response where there is no header', () => {
  expect(parseRetryAfter(undefined, NOW, BOUNDS)).toBeUndefined()
})

it('never leaves its bounds', () => {
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string(),
        fc.integer().map(String),
        fc.date({ noInvalidDate: true }).map((d) => d.toUTCString()),
      ),
      (value) => {
        const waitMs = waitOf(value)
        expect(waitMs === undefined || (waitMs >= BOUNDS.minMs && waitMs <= BOUNDS.maxMs)).toBe(true)
      },
    ),
    { numRuns: 200 },
  )
})
