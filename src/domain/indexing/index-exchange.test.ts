import { expect, it } from 'vitest'
import { indexDocument } from '../../../testing/index-documents.ts'
import { type IndexExchange, isRouted } from './index-exchange.ts'

const english = indexDocument('http://a.test/1', { lang: 'en', type: 'text/html' })
const german = indexDocument('http://a.test/2', { lang: 'de' })
const EXCHANGES: readonly IndexExchange[] = [
  { to: ['english'], when: { lang: 'en' } },
  { to: ['pages', 'all'], when: { type: 'text/html' } },
  { to: ['others'] },
]

it.each([
  ['english', true, false],
  ['pages', true, false],
  ['others', false, true],
  ['sqlite', true, true],
])('sends documents to %s', (name, isEnglishSent, isGermanSent) => {
  expect(isRouted(english, [name], EXCHANGES)).toBe(isEnglishSent)
  expect(isRouted(german, [name], EXCHANGES)).toBe(isGermanSent)
})

it('sends all documents without exchanges', () => {
  expect(isRouted(german, ['english'], [])).toBe(true)
})
