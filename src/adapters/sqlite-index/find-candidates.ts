import type { DatabaseSync, StatementSync } from 'node:sqlite'
import type { SearchPhrase, SearchQuery } from '../../domain/search/search-query.ts'
import { NAME_COLUMNS, WORD_COLUMNS } from './index-file.ts'
import { hasNegation, matchExpression, partialQuery, relaxedQuery, titleQuery } from './match-expression.ts'
import type { PageFacts, PageFactsReader } from './page-facts.ts'
import type { Alternatives } from './query-expansion.ts'

/** A page that was found. */
export interface CandidatePage extends PageFacts {
  readonly row: number
  /** BM25 over all columns, or 1 for words that most pages have; 0 for a page that only its names have brought. */
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
  readonly #foundCommon: StatementSync
  readonly #others: StatementSync
  readonly #named: StatementSync
  readonly #namedCount: StatementSync
  readonly #facts: PageFactsReader

  constructor(db: DatabaseSync, facts: PageFactsReader) {
    this.#facts = facts
    this.#found = matchStatement(db, 'words', bm25('words', WORD_COLUMNS))
    this.#foundCommon = matchStatement(db, 'words', '1')
    // Without other matches, BM25 is not needed: FTS5 goes through all matches for the first one.
    this.#others = matchStatement(
      db,
      'words',
      bm25('words', WORD_COLUMNS),
      'AND rowid NOT IN (SELECT value FROM json_each(?))',
    )
    this.#named = matchStatement(db, 'names', bm25('names', NAME_COLUMNS))
    this.#namedCount = db.prepare(
      'SELECT count(*) AS pages FROM (SELECT 1 FROM names WHERE names MATCH ? LIMIT ?)',
    )
  }

  /**
   * @param needed the query without words that are not needed in a text
   * @param query the whole query
   * @param isCommon whether most pages have all its words: their BM25 is next to nothing, and FTS5 goes through all these pages for it
   */
  find(
    needed: SearchQuery,
    query: SearchQuery,
    alternatives: (phrase: SearchPhrase) => Alternatives,
    isCommon: boolean,
  ): Candidates {
    const found = this.#collect(needed, query, alternatives, isCommon ? this.#foundCommon : this.#found)
    const relaxed = found.pages.length === 0 ? relaxedQuery(query) : undefined
    if (relaxed === undefined)
      return { ...found, pages: this.#withPartial(found.pages, query, alternatives), relaxed: false }
    const some = this.#collect(relaxed, relaxed, alternatives, this.#found)
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
    const matches = this.#matches(this.#named, expression, MAX_PARTIAL_PAGES)
    const more = this.#pagesOf(matches.filter(([row]) => !known.has(row)))
    return [
      ...pages,
      ...more.map((page) => ({ ...page, named: page.relevance, relevance: 0, isPartial: true })),
    ]
  }

  #collect(
    needed: SearchQuery,
    query: SearchQuery,
    alternatives: (phrase: SearchPhrase) => Alternatives,
    statement: StatementSync,
  ): Omit<Candidates, 'relaxed'> {
    const pages = new Map<number, CandidatePage>()
    const plain = matchExpression(needed)
    for (const page of this.#pagesOf(this.#matches(statement, plain, MAX_FOUND + 1)))
      pages.set(page.row, page)
    const expanded = matchExpression(needed, { alternatives })
    if (expanded !== plain && pages.size <= MAX_FOUND) {
      for (const page of this.#pagesOf(this.#otherMatches(expanded, pages))) {
        page.relevance *= EXPANDED_PART
        pages.set(page.row, page)
      }
    }
    const exact = pages.size <= MAX_FOUND
    this.#addNames(pages, query, alternatives)
    return { pages: [...pages.values()], exact }
  }

  /** Adds pages whose names have all words; if these are very many, only those whose titles have them. */
  #addNames(
    pages: Map<number, CandidatePage>,
    query: SearchQuery,
    alternatives: (phrase: SearchPhrase) => Alternatives,
  ): void {
    const options = { table: 'names', alternatives } as const
    const anywhere = matchExpression(query, options)
    const isMany = this.#namedCount.get(anywhere, MAX_NAMED)?.['pages'] === MAX_NAMED
    const expression = isMany ? matchExpression(titleQuery(query), options) : anywhere
    // Names alone cannot tell whether a text has a word that it must not have.
    const isComplete = hasNegation(query)
    const added: MatchRow[] = []
    for (const match of this.#matches(this.#named, expression, MAX_NAMED)) {
      const [row, relevance] = match
      const known = pages.get(row)
      if (known !== undefined) known.named = relevance
      else if (!isComplete) added.push(match)
    }
    for (const page of this.#pagesOf(added)) {
      page.named = page.relevance
      page.relevance = 0
      pages.set(page.row, page)
    }
  }

  #matches(statement: StatementSync, expression: string, limit: number): readonly MatchRow[] {
    return statement.all(expression, limit) as unknown as MatchRow[]
  }

  /** Matches that are not known yet. */
  #otherMatches(expression: string, known: ReadonlyMap<number, CandidatePage>): readonly MatchRow[] {
    const rows = JSON.stringify([...known.keys()])
    return this.#others.all(expression, rows, MAX_FOUND + 1 - known.size) as unknown as MatchRow[]
  }

  #pagesOf(matches: readonly MatchRow[]): CandidatePage[] {
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

function bm25(table: string, columns: Readonly<Record<string, number>>): string {
  return `-bm25(${table}, ${Object.values(columns).join(', ')})`
}

/** Reads arrays: objects with names take twice as long. */
function matchStatement(db: DatabaseSync, table: string, relevance: string, condition = ''): StatementSync {
  const statement = db.prepare(
    `SELECT rowid, ${relevance} FROM ${table} WHERE ${table} MATCH ? ${condition} LIMIT ?`,
  )
  statement.setReturnArrays(true)
  return statement
}

type MatchRow = [row: number, relevance: number]

/** Of a query that finds more pages, so many are compared, and those with the words in their names. Reading them takes some milliseconds. */
export const MAX_FOUND = 2_000
const MAX_NAMED = 1_000
const MAX_PARTIAL_PAGES = 500
/** What the relevance of a page counts that has only other forms of some words, or shares them with its host. */
const EXPANDED_PART = 0.3
