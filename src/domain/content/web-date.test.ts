import fc from 'fast-check'
import { expect, it } from 'vitest'
import { parseWebDate } from './web-date.ts'

it.each([
  ['2026', '2026-01-01T00:00:00Z'],
  ['2026-11', '2026-11-01T00:00:00Z'],
  ['2026-11-15', '2026-11-15T00:00:00Z'],
  [' 2026-11-15T18:08:30Z\n', '2026-11-15T18:08:30Z'],
  ['2026-11-15T18:08+02:00', '2026-11-15T16:08:00Z'],
  ['2026-11-15T18:08:30.123-0500', '2026-11-15T23:08:30.123Z'],
  ['2026-11-15T18:08:30,5Z', '2026-11-15T18:08:30.500Z'],
  ['2026-11-15T18:08:59.99999999+00:00', '2026-11-15T18:08:59.999Z'],
  ['2026-11-15 18:08:30.04', '2026-11-15T18:08:30.040Z'],
  ['Sun, 15 Nov 2026 18:08:30.25 GMT', '2026-11-15T18:08:30.250Z'],
  ['2026-11-15 18:08:30', '2026-11-15T18:08:30Z'],
  ['Sun, 15 Nov 2026 18:08:30 GMT', '2026-11-15T18:08:30Z'],
  ['15 Nov 2026 18:08 +0100', '2026-11-15T17:08:00Z'],
  ['25 Jun 2010 15:00:00 PST', '2010-06-25T23:00:00Z'],
  ['Sunday, 06-Nov-94 08:49:37 GMT', '1994-11-06T08:49:37Z'],
  ['5 January 2026', '2026-01-05T00:00:00Z'],
])('reads %s', (value, expected) => {
  expect(parseWebDate(value)).toBe(Date.parse(expected))
})

it.each([
  '',
  '9999-12-31',
  '1066-10-14',
  '2026-02-30',
  '2026-13-01',
  '2026-1-1',
  'yesterday',
  '15 Foo 2026',
  '1'.repeat(99),
])('refuses %j', (value) => {
  expect(parseWebDate(value)).toBeUndefined()
})

it('reads back every millisecond it could have written', () => {
  const dates = fc.date({ min: new Date(0), max: new Date('2099-12-31T23:59:59Z'), noInvalidDate: true })
  fc.assert(
    fc.property(dates, (date) => {
      const whole = Math.floor(date.getTime() / 1_000) * 1_000
      expect(parseWebDate(date.toISOString())).toBe(date.getTime())
      expect(parseWebDate(date.toUTCString())).toBe(whole)
    }),
  )
})
