import fc from 'fast-check'
import { expect, it } from 'vitest'
import { readNumber } from './read-number.ts'

it.each([
  ['£51.77', 51.77],
  ['1,299.00', 1299],
  ['1.299,00 €', 1299],
  ['1.299.000', 1_299_000],
  ['1,299', 1299],
  ['1,29', 1.29],
  ['0.125', 0.125],
  ['0,125', 0.125],
  ['1 299,50 Kč', 1299.5],
  ['1\u00a0299 zł', 1299],
  ["CHF 1'299.50", 1299.5],
  ['In stock (22 available)', 22],
  ['-5', -5],
  ['−5,5 °C', -5.5],
  ['-$3.20', -3.2],
  ['A-5', 5],
  ['1,299,000.5', 1_299_000.5],
  ['12.5.', 12.5],
  ['4.5/5', 4.5],
  ['12345.678', 12345.678],
  ['none', undefined],
  ['', undefined],
])('reads %j as %j', (text, number) => {
  expect(readNumber(text)).toBe(number)
})

it('reads what toLocaleString writes', () => {
  const cents = fc.integer({ min: -99_999_999, max: 99_999_999 })
  fc.assert(
    fc.property(cents, fc.constantFrom('en-US', 'de-DE', 'fr-FR', 'pl-PL'), (amount, locale) => {
      const text = (amount / 100).toLocaleString(locale, { minimumFractionDigits: 2 })
      expect(readNumber(`${text} EUR`)).toBe(amount === 0 ? 0 : amount / 100)
    }),
    { numRuns: 300 },
  )
})

it('never throws', () => {
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom(..."0195.,-−£ '’\u00a0a") }), (text) => {
      expect(readNumber(text)).not.toBeNaN()
    }),
  )
})
