import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { inflateRawSync } from 'node:zlib'
import type { IndexDocument } from '../../domain/indexing/index-document.ts'
import { parseQuery } from '../../domain/search/parse-query.ts'
import {
  LABEL_FIELDS,
  type LabelField,
  type SearchPhrase,
  type SearchQuery,
  wantedPhrases,
} from '../../domain/search/search-query.ts'
import { indexFile, indexUnusable, openIndexFileToRead, WORD_COLUMNS } from './index-file.ts'
import { makeSnippet, markText, type TextPart } from './make-snippet.ts'
import { matchExpression, relaxedQuery } from './match-expression.ts'

export interface SearchOptions extends Readonly<Partial<Record<LabelField, string>>> {
  /** Number of best hits to skip. @default 0 */
  readonly offset?: number
  /** Maximum number of hits, up to 100. @default 10 */
  readonly limit?: number
}

/** A page that was found. Its texts are the page's own, and to be escaped wherever they are shown. */
export interface SearchHit {
  readonly id: string
  readonly url: string
  /** `''` without one. */
  readonly title: string
  readonly titleParts: readonly TextPart[]
  readonly snippet: readonly TextPart[]
  readonly host: string
  readonly type?: string
  readonly lang?: string
  /** When it was fetched (ms since the epoch). */
  readonly tstamp: number
  /** Larger is better; comparable only within one result. */
  readonly score: number
}

export interface FacetCount {
  readonly value: string
  readonly count: number
}

export interface SearchResult {
  readonly hits: readonly SearchHit[]
  /** Pages that were found; at least so many when `exact` is false. */
  readonly total: number
  readonly exact: boolean
  /** No page has all the words: these have some of them. */
  readonly relaxed: boolean
  /** How many of them there are of each host, type and language, the most frequent ones. */
  readonly facets: Readonly<Record<'host' | 'type' | 'lang', readonly FacetCount[]>>
}

/**
 * The embedded index of a crawl directory, to be searched, while another process writes to it or not. Each search sees what is committed then.
 * A search runs in the calling thread and takes some tens of milliseconds at most: a server with many users calls it in a worker thread, each
 * with an index of its own.
 */
export class SearchIndex {
  readonly #db: DatabaseSync
  readonly #file: string
  readonly #statements = new Map<string, StatementSync>()
  #counted: { readonly version: unknown; readonly pages: number } | undefined

  private constructor(db: DatabaseSync, file: string) {
    this.#db = db
    this.#file = file
    db.exec('CREATE TEMP TABLE hits (row INTEGER PRIMARY KEY, relevance REAL NOT NULL)')
    db.exec('CREATE VIRTUAL TABLE temp.vocabulary USING fts5vocab(main, words, row)')
  }

  /** @throws IndexMissing, IndexUnusable */
  static open(crawlDirectory: string): SearchIndex {
    return new SearchIndex(openIndexFileToRead(crawlDirectory), indexFile(crawlDirectory))
  }

  /**
   * What is found for a query as users type it; see `parseQuery`. No query is wrong. A query without words finds what has the labels.
   * @throws IndexUnusable when the index is damaged
   */
  search(text: string, options: SearchOptions = {}): SearchResult {
    const query = withLabels(parseQuery(text).query, options)
    return query === undefined ? NOTHING : this.#attempt(() => this.#search(query, options))
  }

  #search(query: SearchQuery, options: SearchOptions): SearchResult {
    // One transaction, so that hits, pages and texts are of one moment.
    this.#db.exec('BEGIN')
    try {
      const needed = this.#withoutCommonWords(query)
      let exact = this.#find(needed)
      const relaxed = this.#count() === 0 ? relaxedQuery(needed) : undefined
      if (relaxed !== undefined) exact = this.#find(relaxed)
      const phrases = wantedPhrases(query)
      const total = exact ? this.#count() : MAX_RANKED
      return {
        hits: this.#hits(phrases, options),
        total,
        exact,
        relaxed: relaxed !== undefined && total > 0,
        facets: { host: this.#facet('host'), type: this.#facet('type'), lang: this.#facet('lang') },
      }
    } finally {
      if (this.#db.isTransaction) this.#db.exec('COMMIT')
    }
  }

  /** Number of pages in the index. Counting scans the index, so the result is cached until a process writes to it. */
  count(): number {
    const { data_version: version } = this.#statement('PRAGMA data_version').get() ?? {}
    if (this.#counted === undefined || this.#counted.version !== version) {
      const { n } = this.#statement('SELECT count(*) AS n FROM pages').get() ?? {}
      this.#counted = { version, pages: Number(n) }
    }
    return this.#counted.pages
  }

  /** A document as it was indexed; `undefined` when the index does not have it. @throws IndexUnusable when the index is damaged */
  document(id: string): IndexDocument | undefined {
    return this.#attempt(() => {
      const row = this.#statement('SELECT * FROM pages JOIN texts USING (row) WHERE id = ?').get(id)
      return row === undefined ? undefined : documentOf(row as unknown as StoredPage)
    })
  }

  /** Every document, in no particular order. */
  *documents(): Generator<IndexDocument> {
    for (const row of this.#db.prepare('SELECT * FROM pages JOIN texts USING (row)').iterate())
      yield documentOf(row as unknown as StoredPage)
  }

  close(): void {
    this.#db.close()
  }

  #attempt<T>(work: () => T): T {
    try {
      return work()
    } catch (error) {
      throw indexUnusable(this.#file, error)
    }
  }

  /**
   * Fills `hits`. Of a query that finds very many pages not all are ranked, so that it takes no longer than others: those that have its
   * words in their names, and then as many as it takes. Returns whether these are all.
   */
  #find(query: SearchQuery): boolean {
    this.#db.exec('DELETE FROM hits')
    const insert = this.#statement(
      `INSERT OR IGNORE INTO hits SELECT rowid, -bm25(words, ${WEIGHTS}) FROM words WHERE words MATCH ? LIMIT ?`,
    )
    const everywhere = matchExpression(query)
    insert.run(everywhere, MAX_RANKED + 1)
    if (this.#count() <= MAX_RANKED) return true
    this.#db.exec('DELETE FROM hits')
    insert.run(matchExpression(query, 'names'), MAX_RANKED / 2)
    insert.run(everywhere, MAX_RANKED / 2)
    return false
  }

  /** Prepared once. */
  #statement(sql: string): StatementSync {
    const statement = this.#statements.get(sql) ?? this.#db.prepare(sql)
    this.#statements.set(sql, statement)
    return statement
  }

  /** Makes words that most pages contain, such as “the”, optional: they do not affect the ranking. */
  #withoutCommonWords(query: SearchQuery): SearchQuery {
    if (query.kind !== 'and') return query
    const most = this.count() / 2
    const statement = this.#statement('SELECT doc FROM vocabulary WHERE term = ?')
    const isCommon = (part: SearchQuery) => {
      if (
        part.kind !== 'phrase' ||
        part.words.length > 1 ||
        part.prefix ||
        part.exact ||
        part.scope !== 'any'
      )
        return false
      const { doc = 0 } = statement.get(part.words[0] ?? '') ?? {}
      return Number(doc) > most
    }
    const parts = query.parts.filter((part) => !isCommon(part))
    return parts.some(({ kind }) => kind === 'phrase') ? { kind: 'and', parts } : query
  }

  #count(): number {
    const { n } = this.#statement('SELECT count(*) AS n FROM hits').get() ?? {}
    return Number(n)
  }

  #hits(phrases: readonly SearchPhrase[], { offset = 0, limit = 10 }: SearchOptions): SearchHit[] {
    // Where words are worth nothing, as all pages have them, links decide. (SQLite does not know how few hits there are: CROSS JOIN makes it
    // go from them to their pages, and not through all pages.)
    const rows = this.#statement(
      `SELECT id, url, title, type, lang, host, tstamp, score, content FROM (
           SELECT p.*, (h.relevance + 1e-9) * p.weight AS score FROM hits h CROSS JOIN pages p ON p.row = h.row
           ORDER BY score DESC, p.row LIMIT ? OFFSET ?
         ) CROSS JOIN texts USING (row) ORDER BY score DESC, row`,
    ).all(Math.min(MAX_LIMIT, Math.max(0, limit)), Math.max(0, offset))
    return rows.map((row) => hitOf(row as unknown as HitRow, phrases))
  }

  #facet(column: 'host' | 'type' | 'lang'): FacetCount[] {
    const rows = this.#statement(
      `SELECT ${column} AS value, count(*) AS count FROM hits CROSS JOIN pages USING (row) WHERE ${column} IS NOT NULL
         GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT ${MAX_FACETS}`,
    ).all()
    return rows.map(({ value, count }) => ({ value: String(value), count: Number(count) }))
  }
}

const WEIGHTS = Object.values(WORD_COLUMNS).join(', ')
/** Ranking this many takes some tens of milliseconds. */
const MAX_RANKED = 10_000
const MAX_LIMIT = 100
const MAX_FACETS = 20

const NOTHING: SearchResult = {
  hits: [],
  total: 0,
  exact: true,
  relaxed: false,
  facets: { host: [], type: [], lang: [] },
}

function withLabels(query: SearchQuery | undefined, options: SearchOptions): SearchQuery | undefined {
  const labels = LABEL_FIELDS.flatMap((field) => {
    const value = options[field]?.trim() ?? ''
    return value === '' ? [] : [{ kind: 'label', field, value } as const]
  })
  if (labels.length === 0) return query
  const parts = query?.kind === 'and' ? query.parts : query === undefined ? [] : [query]
  return { kind: 'and', parts: [...parts, ...labels] }
}

interface HitRow {
  readonly id: string
  readonly url: string
  readonly title: string | null
  readonly host: string
  readonly type: string | null
  readonly lang: string | null
  readonly tstamp: number
  readonly score: number
  readonly content: Uint8Array
}

interface StoredPage extends Omit<HitRow, 'score'> {
  readonly domain: string | null
  readonly boost: number
  readonly last_modified: number | null
  readonly digest: string | null
  readonly segment: string
  readonly anchors: string
  readonly metadata: string
}

function hitOf(row: HitRow, phrases: readonly SearchPhrase[]): SearchHit {
  const { id, url, host, type, lang, tstamp, score } = row
  const title = row.title ?? ''
  return {
    ...{ id, url, title, titleParts: markText(title, phrases), host, tstamp, score },
    snippet: makeSnippet(
      textOf(row.content),
      phrases.filter(({ scope }) => scope === 'any'),
    ),
    ...(type !== null && { type }),
    ...(lang !== null && { lang }),
  }
}

function documentOf(row: StoredPage): IndexDocument {
  const { id, url, host, domain, title, digest, boost, tstamp, last_modified, type, lang, segment } = row
  return {
    ...{ id, url, host, boost, tstamp, segment },
    ...(domain !== null && { domain }),
    ...(title !== null && { title }),
    content: textOf(row.content),
    anchors: JSON.parse(row.anchors) as string[],
    ...(digest !== null && { digest }),
    ...(last_modified !== null && { lastModified: last_modified }),
    ...(type !== null && { type }),
    ...(lang !== null && { lang }),
    metadata: JSON.parse(row.metadata) as IndexDocument['metadata'],
  }
}

function textOf(compressed: Uint8Array): string {
  return inflateRawSync(compressed).toString()
}
