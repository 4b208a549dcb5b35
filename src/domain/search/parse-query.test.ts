import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { anyQuery } from '../../../testing/any-query.ts'
import { parseQuery as parse, withoutFilters } from './parse-query.ts'
import type { SearchQuery } from './search-query.ts'

const parseQuery = (text: string) => parse(text).query

/** A query in one line: `(a AND "b c") …`. */
function shown(query: SearchQuery | undefined): string {
  if (query === undefined) return ''
  switch (query.kind) {
    case 'phrase': {
      const { words, prefix, scope } = query
      const text = words.length > 1 ? `"${words.join(' ')}"` : words.join('')
      return `${scope === 'any' ? '' : `${scope}:`}${text}${prefix ? '*' : ''}`
    }
    case 'label':
      return `${query.field}:${query.value}`
    case 'dates':
      return `${dayOf(query.from)}..${dayOf(query.before)}`
    case 'not':
      return `!${shown(query.part)}`
    default:
      return `(${query.parts.map(shown).join(query.kind === 'and' ? ' ' : ' | ')})`
  }
}

function dayOf(ms: number | undefined): string {
  return ms === undefined ? '' : new Date(ms).toISOString().slice(0, 10)
}

describe('withoutFilters', () => {
  it.each([
    ['json after:2027', 'json'],
    ['site:example.org  "orb web"  -lang:en type:"a b"', '"orb web"'],
    ['NOT filetype:pdf spider', 'spider'],
    ['inurl:docs intitle:web sort:date before:2026-01', 'inurl:docs intitle:web sort:date'],
    ['before:nonsense a-b', 'before:nonsense a-b'],
    ['site:example.org', ''],
    ['(silk OR web) lang:en', '(silk OR web)'],
  ])('leaves of %j %j', (query, rest) => {
    expect(withoutFilters(query)).toBe(rest)
  })

  it('leaves a query without filters as it is', () => {
    fc.assert(
      fc.property(anyQuery(), (query) => {
        fc.pre(!/:/.test(query))
        expect(withoutFilters(query)).toBe(query.replace(/\s+/g, ' ').trim())
      }),
    )
  })
})

describe('parseQuery', () => {
  it.each([
    ['', ''],
    ['   ', ''],
    ['!!! ... *', ''],
    ['Spider', 'spider'],
    ['spider web', '(spider web)'],
    ['spider AND web', '(spider web)'],
    ['"Spider  Web"', '"spider web"'],
    ['web*', 'web*'],
    ['spider-web*', '"spider web"*'],
    ['a* we*', '(a we*)'],
    ['東*', '東*'],
    ['aa* ab* ac* ad* ae* af*', '(aa* ab* ac* ad* ae af)'],
    ['"web*"', 'web'],
    ["don't", '"don t"'],
    ['a OR b c', '(a | (b c))'],
    ['a b OR c', '((a b) | c)'],
    ['(a OR b) c', '((a | b) c)'],
    ['spider -web', '(spider !web)'],
    ['spider NOT web', '(spider !web)'],
    ['spider AND NOT web', '(spider !web)'],
    ['spider -(web silk)', '(spider !(web silk))'],
    ['-"orb web"', '!"orb web"'],
    ['NOT NOT a', 'a'],
    ['well-known', '"well known"'],
    ['a - b', '(a b)'],
    ['site:Example.org bread', '(site:Example.org bread)'],
    ['-site:example.org bread', '(!site:example.org bread)'],
    ['type:text/html LANG:en', '(type:text/html lang:en)'],
    ['site:"example.org"', 'site:example.org'],
    ['site:', 'site'],
    ['title:spider', 'title:spider'],
    ['title:"orb web" x', '(title:"orb web" x)'],
    ['intitle:"orb web"', 'title:"orb web"'],
    ['inurl:docs/intro x', '(url:"docs intro" x)'],
    ['filetype:PDF', 'type:PDF'],
    ['after:2026-01 before:2026/06/30', '(2026-01-01.. ..2026-06-30)'],
    ['-before:2026 a', '(!..2026-01-01 a)'],
    ['before:lunch', '"before lunch"'],
    ['after:9999', '"after 9999"'],
    ['a sort:date', 'a'],
    ['sort:size', '"sort size"'],
    ['http://a.test/x', '"http a test x"'],
    ['isbn:123', '"isbn 123"'],
    ['and or not', '(and or not)'],
    ['crème BRÛLÉE', '(creme brulee)'],
    ['北京', '"北 京"'],
    ['C语言', '"c 语 言"'],
    ['고양이', '"고 양 이"'],
  ])('reads %j', (text, query) => {
    expect(shown(parseQuery(text))).toBe(query)
  })

  it.each([
    ['"spider web', '"spider web"'],
    ['a "b', '(a b)'],
    ['"', ''],
    ['(a b', '(a b)'],
    ['a) b', '(a b)'],
    [')(', ''],
    ['()', ''],
    ['a () b', '(a b)'],
    ['OR a', 'a'],
    ['a OR', 'a'],
    ['a OR OR b', '(a | b)'],
    ['AND', ''],
    ['NOT', ''],
    ['a NOT', 'a'],
    ['-', ''],
    ['(a OR b', '(a | b)'],
  ])('makes sense of %j', (text, query) => {
    expect(shown(parseQuery(text))).toBe(query)
  })

  it('reads the order of the results', () => {
    expect(parse('a sort:DATE')).toMatchObject({ sort: 'date', query: { kind: 'phrase' } })
    expect(parse('sort:date sort:relevance')).toEqual({ sort: 'relevance' })
    expect(parse('a')).not.toHaveProperty('sort')
  })

  it('marks what is in quotes as exact', () => {
    expect(parse('"webs" silk')).toMatchObject({ query: { parts: [{ exact: true }, { exact: false }] } })
  })

  it('ignores brackets that are too deep, and cuts what is too long', () => {
    expect(shown(parseQuery(`${'('.repeat(400)}a${')'.repeat(400)} b`))).toBe('(a b)')
    expect(parseQuery('a '.repeat(10_000))).toMatchObject({ kind: 'and', parts: { length: 500 } })
  })

  it('takes anything, and makes words of letters, digits and marks only', () => {
    fc.assert(
      fc.property(anyQuery(), (text) => {
        for (const word of wordsOf(parseQuery(text))) expect(word).toMatch(/^[\p{L}\p{N}\p{M}]+$/u)
      }),
      { numRuns: 100 },
    )
  })
})

function wordsOf(query: SearchQuery | undefined): readonly string[] {
  switch (query?.kind) {
    case 'phrase':
      return query.words
    case 'not':
      return wordsOf(query.part)
    case 'and':
    case 'or':
      return query.parts.flatMap(wordsOf)
    default:
      return []
  }
}
