import type { SearchPhrase, SearchQuery } from '../../domain/search/search-query.ts'
import { labelsBetween } from './date-labels.ts'
import { ANY_PAGE, wantedLabel } from './page-labels.ts'

/** The searched columns. */
export type WordScope = 'everywhere' | 'names'

/**
 * The expression that FTS5 is given for a query. Its words and labels are letters, digits and marks only, so that nothing a user types is
 * taken for syntax; README.md has the grammar.
 * @param scope `names`: only in titles and in what links call a page; what is not wanted may be nowhere in any case
 */
export function matchExpression(query: SearchQuery, scope: WordScope = 'everywhere'): string {
  switch (query.kind) {
    case 'phrase':
      return phraseExpression(query, scope)
    case 'label':
      return `labels : ${wantedLabel(query.field, query.value)}`
    case 'dates': {
      const labels = labelsBetween(query.from, query.before)
      return labels.length === 0
        ? NO_PAGE
        : bracketed(labels.map((label) => `labels : ${label}`).join(' OR '))
    }
    case 'not':
      return all([], [matchExpression(query.part)])
    case 'or':
      return bracketed(query.parts.map((part) => matchExpression(part, scope)).join(' OR '))
    case 'and': {
      const wanted: string[] = []
      const unwanted: string[] = []
      for (const part of query.parts) {
        if (part.kind === 'not') unwanted.push(matchExpression(part.part))
        else wanted.push(matchExpression(part, scope))
      }
      return all(wanted, unwanted)
    }
  }
}

/** NOT in FTS5 needs a left operand: without wanted terms, it is all pages. */
function all(wanted: readonly string[], unwanted: readonly string[]): string {
  const from = wanted.length === 0 ? `labels : ${ANY_PAGE}` : bracketed(wanted.join(' AND '))
  return unwanted.length === 0 ? from : bracketed(`${from} NOT ${bracketed(unwanted.join(' OR '))}`)
}

/** A label that no page has. */
const NO_PAGE = 'labels : none'

function phraseExpression({ words, prefix, scope: where }: SearchPhrase, scope: WordScope): string {
  const columns =
    where === 'title'
      ? 'title'
      : where === 'url'
        ? 'address'
        : scope === 'names'
          ? '{title anchors}'
          : '{title anchors address content}'
  return `${columns} : "${words.join(' ')}"${prefix ? ' *' : ''}`
}

function bracketed(expression: string): string {
  return `(${expression})`
}

/** A relaxed query that matches any of the words; `undefined` if that is the same query. */
export function relaxedQuery(query: SearchQuery): SearchQuery | undefined {
  if (query.kind !== 'and') return undefined
  const phrases = query.parts.filter(({ kind }) => kind === 'phrase')
  if (phrases.length < 2) return undefined
  const others = query.parts.filter(({ kind }) => kind !== 'phrase')
  return { kind: 'and', parts: [{ kind: 'or', parts: phrases }, ...others] }
}
