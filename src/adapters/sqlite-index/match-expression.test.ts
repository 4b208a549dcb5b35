import { expect, it } from 'vitest'
import { parseQuery } from '../../domain/search/parse-query.ts'
import { matchExpression, type WordScope } from './match-expression.ts'

function expressionOf(text: string, scope: WordScope): string {
  const { query } = parseQuery(text)
  return query === undefined ? '' : matchExpression(query, scope)
}

it('looks for what is wanted where it is told to, and for what is not wanted everywhere', () => {
  const [orb, funnel] = ['{title anchors} : "orb"', '{title anchors address content} : "funnel"']
  expect(expressionOf('orb -funnel', 'names')).toBe(`((${orb}) NOT (${funnel}))`)
  expect(expressionOf('-funnel', 'names')).toBe(`(labels : page NOT (${funnel}))`)
  expect(expressionOf('orb OR -(funnel)', 'names')).toBe(`(${orb} OR (labels : page NOT (${funnel})))`)
  expect(expressionOf('orb', 'everywhere')).toBe('{title anchors address content} : "orb"')
  expect(expressionOf('title:orb', 'everywhere')).toBe('title : "orb"')
})
