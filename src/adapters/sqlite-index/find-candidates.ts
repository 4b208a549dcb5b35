import type { DatabaseSync, StatementSync } from 'node:sqlite'
import type { SearchPhrase, SearchQuery } from '../../domain/search/search-query.ts'
import { NAME_COLUMNS, WORD_COLUMNS } from './index-file.ts'
import { hasNegation, matchExpression, partialQuery, relaxedQuery, titleQuery } from './match-expression.ts'
import type { PageFacts, PageFactsReader } from './page-facts.ts'
import type { Alternatives } from './query-expansion.ts'

/** A page that was found. */
export interface CandidatePage extends PageFacts {
  readonly row: number
  /** BM25 over all columns; 0 for a page that only its names have brought. */
  relevance: number
  /** BM25 over titles, headings, anchor texts and URLs, of pages that have all words there; otherwise 0. */
  named: number
  /** It lacks one of the words, and its names have the others. */
  readonly isPartial: boolean
  /** Larger is better; 0 until it is ranked. */
  score: number
}

/** What was found for a query. */
export interface Candidates {
  readonly pages: readonly CandidatePage[]
  /** Whether these are all pages with the words. */
  readonly exact: boolean
  /** No page has all words: these have some of them. */
  readonly relaxed: boolean
}

/**
 * Finds the pages for a query. Of a query that finds very many pages only some are compared, so that it takes no longer than others; those
 * with the words in their names are among them.
 */
export class CandidateFinder {
  readonly #found: StatementSync
  readonly #named: StatementSync
  readonly #facts: PageFactsReader

  constructor(db: DatabaseSync, facts: PageFactsReader) {
    this.#facts = facts
    this.#found = candidateStatement(db, 'words', WORD_COLUMNS)
    this.#named = candidateStatement(db, 'names', NAME_COLUMNS)
  }

  /**
   * @param needed the query without words that are not needed in a text
   * @param query the whole query
   */
  find(
    needed: SearchQuery,
    query: SearchQuery,
    alternatives: (phrase: SearchPhrase) => Alternatives,
  ): Candidates {
    const found = this.#collect(needed, query, alternatives)
    const relaxed = found.pages.length === 0 ? relaxedQuery(query) : undefined
    if (relaxed === undefined)
      return { ...found, pages: this.#withPartial(found.pages, query, alternatives), relaxed: false }
    const some = this.#collect(relaxed, relaxed, alternatives)
    return { ...some, relaxed: some.pages.length > 0 }
  }

  /** Adds pages whose names have all words but one: they may be meant, if no page with all words is called so. */
  #withPartial(
    pages: readonly CandidatePage[],
    query: SearchQuery,
    alternatives: (phrase: SearchPhrase) => Alternatives,
  ): readonly CandidatePage[] {
    const partial = pages.length === 0 || hasNegation(query) ? undefined : partialQuery(query)
    if (partial === undefined) return pages
    const known = new Set(pages.map(({ row }) => row))
    const expression = matchExpression(partial, { table: 'names', alternatives })
    const more = this.#read(this.#named, expression, MAX_PARTIAL_PAGES).filter(({ row }) => !known.has(row))
    return [
      ...pages,
      ...more.map((page) => ({ ...page, named: page.relevance, relevance: 0, isPartial: true })),
    ]
  }

  #collect(
    needed: SearchQuery,
    query: SearchQuery,
    alternatives: (phrase: SearchPhrase) => Alternatives,
  ): Omit<Candidates, 'relaxed'> {
    const pages = new Map<number, CandidatePage>()
    const plain = matchExpression(needed)
    for (const page of this.#read(this.#found, plain, MAX_FOUND + 1)) pages.set(page.row, page)
    const expanded = matchExpression(needed, { alternatives })
    if (expanded !== plain && pages.size <= MAX_FOUND)
      for (const page of this.#read(this.#found, expanded, MAX_FOUND + 1)) {
        if (pages.has(page.row)) continue
        page.relevance *= EXPANDED_PART
        pages.set(page.row, page)
      }
    const exact = pages.size <= MAX_FOUND
    this.#addNames(pages, query, alternatives)
    return { pages: [...pages.values()], exact }
  }

  /** Pages whose names have all words; very many only if their titles have them. */
  #addNames(
    pages: Map<number, CandidatePage>,
    query: SearchQuery,
    alternatives: (phrase: SearchPhrase) => Alternatives,
  ): void {
    // Names alone cannot tell whether a text has a word that it must not have.
    const isComplete = hasNegation(query)
    const add = (wanted: SearchQuery) => {
      const expression = matchExpression(wanted, { table: 'names', alternatives })
      const named = this.#read(this.#named, expression, MAX_NAMED)
      for (const page of named) {
        const known = pages.get(page.row)
        if (known !== undefined) known.named = Math.max(known.named, page.relevance)
        else if (!isComplete) {
          page.named = page.relevance
          page.relevance = 0
          pages.set(page.row, page)
        }
      }
      return named.length
    }
    if (add(query) === MAX_NAMED) add(titleQuery(query))
  }

  #read(statement: StatementSync, expression: string, limit: number): CandidatePage[] {
    const matches = statement.all(expression, limit) as unknown as MatchRow[]
    const facts = this.#facts.read(matches.map(([row]) => row))
    const pages: CandidatePage[] = []
    for (const [row, relevance] of matches) {
      const known = facts.get(row)
      if (known === undefined) continue
      const { host, type, lang, weight, date, cluster } = known
      const ranks = { row, relevance, named: 0, isPartial: false, score: 0 }
      pages.push({ ...ranks, host, type, lang, weight, date, cluster })
    }
    return pages
  }
}

/** Reads arrays: objects with names take twice as long. */
function candidateStatement(
  db: DatabaseSync,
  table: 'words' | 'names',
  columns: Readonly<Record<string, number>>,
): StatementSync {
  const relevance = `-bm25(${table}, ${Object.values(columns).join(', ')})`
  const statement = db.prepare(`SELECT rowid, ${relevance} FROM ${table} WHERE ${table} MATCH ? LIMIT ?`)
  statement.setReturnArrays(true)
  return statement
}

type MatchRow = [row: number, relevance: number]

/** Of a query that finds more pages, so many are compared, and those with the words in their names. Reading them takes some milliseconds. */
export const MAX_FOUND = 2_500
const MAX_NAMED = 1_500
const MAX_PARTIAL_PAGES = 500
/** What the relevance of a page counts that has only other forms of some words, or shares them with its host. */
const EXPANDED_PART = 0.3
