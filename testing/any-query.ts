import fc from 'fast-check'

/** Queries of the search of all kinds: its own syntax, that of FTS5, words of scripts with and without spaces, and any characters. */
export function anyQuery(): fc.Arbitrary<string> {
  const signs = fc.constantFrom('"', '(', ')', '-', '--', '*', ':', ' ', "'", ';', '^', '+', '{a}', '\u0000')
  const operators = fc.constantFrom('OR', ' OR ', 'AND', ' AND ', 'NOT', ' NOT ', ' NEAR(', '{title}:')
  const fields = fc.constantFrom('site:', 'type:', 'lang:', 'title:', 'inurl:', 'before:', 'sort:')
  const words = fc.constantFrom('web', 'spider', '北京', '2026-01')
  const anything = fc.string({ unit: 'binary', maxLength: 6 })
  return fc
    .array(fc.oneof(signs, operators, fields, words, anything), { maxLength: 25 })
    .map((pieces) => pieces.join(''))
}
