import type { DatabaseSync, StatementSync } from 'node:sqlite'
import type { SearchPhrase, SearchQuery } from '../../domain/search/search-query.ts'
import { NAME_COLUMNS, WORD_COLUMNS } from './index-file.ts'
import { hasNegation, matchExpression, relaxedQuery } from './match-expression.ts'
import type { Alternatives } from './query-expansion.ts'

/** What was found for a query; its pages are in the table `hits`. */
export interface Candidates {
  /** Whether these are all pages with the words. */
  readonly exact: boolean
  /** No page has all words: these have some of them. */
  readonly relaxed: boolean
  readonly total: number
}

/**
 * Finds the pages for a query, in a table `hits` of this connection. `relevance` is BM25 over all columns; `named` is BM25 over titles,
 * headings, anchor texts and URLs, of pages that have all words there. Of a query that finds very many pages only some are compared, so
 * that it takes no longer than others; those with the words in their names are always among them.
 */
export class CandidateFinder {
  readonly #db: DatabaseSync
  readonly #found: StatementSync
  readonly #expanded: StatementSync
  readonly #namedAll: StatementSync
  readonly #namedFound: StatementSync
  readonly #total: StatementSync

  constructor(db: DatabaseSync) {
    this.#db = db
    db.exec(
      'CREATE TEMP TABLE hits (row INTEGER PRIMARY KEY, relevance REAL NOT NULL, named REAL NOT NULL DEFAULT 0, score REAL)',
    )
    const matches = `SELECT rowid, -bm25(words, ${WORD_WEIGHTS}) AS relevance FROM words WHERE words MATCH ? LIMIT ?`
    this.#found = db.prepare(`INSERT OR IGNORE INTO hits (row, relevance) ${matches}`)
    this.#expanded = db.prepare(
      `INSERT OR IGNORE INTO hits (row, relevance) SELECT rowid, relevance * ${EXPANDED_PART} FROM (${matches})`,
    )
    const named = `SELECT rowid AS row, -bm25(names, ${NAME_WEIGHTS}) AS named FROM names WHERE names MATCH ? ORDER BY 2 DESC LIMIT ?`
    this.#namedAll = db.prepare(
      `INSERT INTO hits (row, relevance, named) SELECT row, 0, named FROM (${named}) WHERE true
       ON CONFLICT DO UPDATE SET named = excluded.named`,
    )
    this.#namedFound = db.prepare(`UPDATE hits SET named = n.named FROM (${named}) n WHERE n.row = hits.row`)
    this.#total = db.prepare('SELECT count(*) AS n FROM hits')
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
    const exact = this.#fill(needed, query, alternatives)
    const total = this.#count()
    const relaxed = total === 0 ? relaxedQuery(query) : undefined
    if (relaxed === undefined) return { exact, relaxed: false, total: exact ? total : MAX_FOUND }
    const allOfRelaxed = this.#fill(relaxed, relaxed, alternatives)
    const some = this.#count()
    return { exact: allOfRelaxed, relaxed: some > 0, total: allOfRelaxed ? some : MAX_FOUND }
  }

  #fill(
    needed: SearchQuery,
    query: SearchQuery,
    alternatives: (phrase: SearchPhrase) => Alternatives,
  ): boolean {
    this.#db.exec('DELETE FROM hits')
    const plain = matchExpression(needed)
    this.#found.run(plain, MAX_FOUND + 1)
    const expanded = matchExpression(needed, { alternatives })
    if (expanded !== plain && this.#count() <= MAX_FOUND) this.#expanded.run(expanded, MAX_FOUND + 1)
    const isAll = this.#count() <= MAX_FOUND
    const names = matchExpression(query, { table: 'names', alternatives })
    const statement = hasNegation(query) ? this.#namedFound : this.#namedAll
    statement.run(names, MAX_NAMED)
    return isAll
  }

  #count(): number {
    return Number(this.#total.get()?.['n'])
  }
}

const WORD_WEIGHTS = Object.values(WORD_COLUMNS).join(', ')
const NAME_WEIGHTS = Object.values(NAME_COLUMNS).join(', ')
/** Computing the BM25 of this many takes some milliseconds. */
const MAX_FOUND = 5_000
const MAX_NAMED = 500
/** What the relevance of a page counts that has only other forms of the words. */
const EXPANDED_PART = 0.3
