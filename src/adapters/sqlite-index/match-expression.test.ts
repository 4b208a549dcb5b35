import { expect, it } from 'vitest'
import { parseQuery } from '../../domain/search/parse-query.ts'
import { type ExpressionOptions, hasNegation, matchExpression } from './match-expression.ts'

function expressionOf(text: string, options?: ExpressionOptions): string {
  const { query } = parseQuery(text)
  return query === undefined ? '' : matchExpression(query, options)
}

const ALL = '{title headings anchors address content}'
const WITH_SHARED = '{title headings anchors address content shared}'

it('looks for words in the columns of the table, and where the query says', () => {
  expect(expressionOf('orb')).toBe(`${ALL} : "orb"`)
  expect(expressionOf('orb', { table: 'names' })).toBe('{title others address} : "orb"')
  expect(expressionOf('intitle:orb')).toBe('title : "orb"')
  expect(expressionOf('inurl:orb', { table: 'names' })).toBe('address : "orb"')
})

it('gives NOT a left operand', () => {
  expect(expressionOf('orb -funnel')).toBe(`((${ALL} : "orb") NOT (${ALL} : "funnel"))`)
  expect(expressionOf('-funnel')).toBe(`(labels : page NOT (${ALL} : "funnel"))`)
})

it('accepts other words and shared ones in place of wanted ones only', () => {
  const alternatives = () => ({ forms: ['orbs'], synonyms: [['round', 'web']] })
  expect(expressionOf('orb -web', { alternatives })).toBe(
    `((${WITH_SHARED} : ("orb" OR "orbs" OR "round web")) NOT (${ALL} : "web"))`,
  )
})

it('makes labels of dates', () => {
  expect(expressionOf('after:2098-12')).toBe('(labels : date2098m12 OR labels : date2099)')
  expect(expressionOf('before:1970')).toBe('labels : none')
})

it('finds a negation at any depth', () => {
  const of = (text: string) => hasNegation(parseQuery(text).query ?? { kind: 'and', parts: [] })
  expect([of('a b'), of('a -b'), of('a OR (b -c)')]).toEqual([false, true, true])
})
