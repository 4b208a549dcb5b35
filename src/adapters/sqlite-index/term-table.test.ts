import fc from 'fast-check'
import { expect, it } from 'vitest'
import { TermTable } from './term-table.ts'

const countsOf = (table: TermTable) => Object.fromEntries([...table.counts()].toSorted())

it('counts a word once per page, in all texts of the page', () => {
  const table = new TermTable()
  table.countPage(['orb web', 'web, web!'], 1)
  table.countPage(['the web_42'], 1)
  expect(countsOf(table)).toEqual({ 42: 1, orb: 1, the: 1, web: 2 })
  table.countPage(['orb web'], -1)
  expect(countsOf(table)).toMatchObject({ orb: 0, web: 1 })
})

it('forgets everything when it is cleared', () => {
  const table = new TermTable()
  table.countPage(['orb web'], 1)
  table.clear()
  expect(countsOf(table)).toEqual({})
  table.countPage(['web'], 1)
  expect(countsOf(table)).toEqual({ web: 1 })
})

it('keeps the counts of more words than it first has room for', () => {
  const table = new TermTable()
  const words = Array.from({ length: 50_000 }, (_, i) => `w${i.toString(36)}`)
  for (let page = 0; page < 2; page++) table.countPage([words.join(' ')], 1)
  const counts = new Map(table.counts())
  expect(counts.size).toBe(words.length)
  expect(words.every((word) => counts.get(word) === 2)).toBe(true)
})

it('separates words as the tokeniser of the tables does', () => {
  const text = fc.string({
    unit: fc.constantFrom('a', 'b', '7', ' ', '_', '-', 'é', '北', '\u{1f578}', '\n'),
  })
  fc.assert(
    fc.property(fc.array(text, { maxLength: 4 }), (texts) => {
      const table = new TermTable()
      table.countPage(texts, 1)
      const words = new Set(texts.flatMap((one) => one.match(/[0-9a-z\u0080-\uffff]+/g) ?? []))
      expect(new Set([...table.counts()].map(([word]) => word))).toEqual(words)
    }),
  )
})
