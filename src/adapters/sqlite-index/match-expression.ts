import type { SearchPhrase, SearchQuery } from '../../domain/search/search-query.ts'
import { labelsBetween } from './date-labels.ts'
import { ANY_PAGE, wantedLabel } from './page-labels.ts'
import type { Alternatives } from './query-expansion.ts'

export interface ExpressionOptions {
  /** The table: `words` of everything, or `names`. @default 'words' */
  readonly table?: 'words' | 'names'
  /** Other words that a page may have instead; also accepts words that most pages of the host share. @default neither */
  readonly alternatives?: (phrase: SearchPhrase) => Alternatives
}

/**
 * The expression that FTS5 is given for a query. Its words and labels are letters, digits and marks only, so that nothing a user types is
 * taken for syntax; README.md has the grammar.
 */
export function matchExpression(query: SearchQuery, options: ExpressionOptions = {}): string {
  switch (query.kind) {
    case 'phrase':
      return phraseExpression(query, options)
    case 'label':
      return `labels : ${wantedLabel(query.field, query.value)}`
    case 'dates': {
      const labels = labelsBetween(query.from, query.before)
      return labels.length === 0
        ? NO_PAGE
        : bracketed(labels.map((label) => `labels : ${label}`).join(' OR '))
    }
    case 'not':
      return all([], [matchExpression(query.part, exactly(options))])
    case 'or':
      return bracketed(query.parts.map((part) => matchExpression(part, options)).join(' OR '))
    case 'and': {
      const wanted: string[] = []
      const unwanted: string[] = []
      for (const part of query.parts) {
        if (part.kind === 'not') unwanted.push(matchExpression(part.part, exactly(options)))
        else wanted.push(matchExpression(part, options))
      }
      return all(wanted, unwanted)
    }
  }
}

/** For unwanted words: a page that only shares them with its host is not meant. */
function exactly({ table = 'words' }: ExpressionOptions): ExpressionOptions {
  return { table }
}

const NONE: Alternatives = { forms: [], synonyms: [] }
/** A label that no page has. */
const NO_PAGE = 'labels : none'

/** NOT in FTS5 needs a left operand: without wanted terms, it is all pages. */
function all(wanted: readonly string[], unwanted: readonly string[]): string {
  const from = wanted.length === 0 ? `labels : ${ANY_PAGE}` : bracketed(wanted.join(' AND '))
  return unwanted.length === 0 ? from : bracketed(`${from} NOT ${bracketed(unwanted.join(' OR '))}`)
}

const COLUMNS = {
  words: '{title headings anchors address content}',
  names: '{title others address}',
} as const
const WORDS_AND_SHARED = '{title headings anchors address content shared}'

function phraseExpression(
  phrase: SearchPhrase,
  { table = 'words', alternatives }: ExpressionOptions,
): string {
  const { words, prefix, scope } = phrase
  const anywhere = table === 'words' && alternatives !== undefined ? WORDS_AND_SHARED : COLUMNS[table]
  const columns = scope === 'title' ? 'title' : scope === 'url' ? 'address' : anywhere
  const own = `"${words.join(' ')}"${prefix ? ' *' : ''}`
  const { forms, synonyms } = alternatives?.(phrase) ?? NONE
  if (forms.length === 0 && synonyms.length === 0) return `${columns} : ${own}`
  const others = [...forms.map((form) => [form]), ...synonyms].map((other) => `"${other.join(' ')}"`)
  return `${columns} : ${bracketed([own, ...others].join(' OR '))}`
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

/** A query that matches pages with all words but one; `undefined` for fewer than three words, or words that must be there. */
export function partialQuery(query: SearchQuery): SearchQuery | undefined {
  if (query.kind !== 'and') return undefined
  const words = query.parts.filter((part) => part.kind === 'phrase' && part.scope === 'any' && !part.exact)
  if (words.length < MIN_PARTIAL || words.length > MAX_PARTIAL) return undefined
  const others = query.parts.filter((part) => !words.includes(part))
  const without = words.map((word) => {
    return { kind: 'and', parts: words.filter((other) => other !== word) } as const
  })
  return { kind: 'and', parts: [{ kind: 'or', parts: without }, ...others] }
}

const MIN_PARTIAL = 3
const MAX_PARTIAL = 8

/** The query with all its words in titles. */
export function titleQuery(query: SearchQuery): SearchQuery {
  switch (query.kind) {
    case 'phrase':
      return query.scope === 'any' ? { ...query, scope: 'title' } : query
    case 'and':
    case 'or':
      return { ...query, parts: query.parts.map((part) => (part.kind === 'not' ? part : titleQuery(part))) }
    default:
      return query
  }
}

/** Whether a query has a condition that names of pages alone cannot decide. */
export function hasNegation(query: SearchQuery): boolean {
  if (query.kind === 'not') return true
  return (query.kind === 'and' || query.kind === 'or') && query.parts.some(hasNegation)
}
