import type { DatabaseSync, StatementSync } from 'node:sqlite'
import type { IndexDocument } from '../../domain/indexing/index-document.ts'
import { parseQuery } from '../../domain/search/parse-query.ts'
import {
  LABEL_FIELDS,
  type LabelField,
  type SearchPhrase,
  type SearchQuery,
  type SearchSort,
  wantedPhrases,
} from '../../domain/search/search-query.ts'
import { placedWords } from '../../domain/search/search-words.ts'
import { CandidateFinder } from './find-candidates.ts'
import { indexFile, indexUnusable, openIndexFileToRead } from './index-file.ts'
import { makeSnippet, markText, type TextPart } from './make-snippet.ts'
import { NO_ALTERNATIVES, QueryExpansion } from './query-expansion.ts'
import { HitRanker } from './rank-hits.ts'
import type { WantedUnit } from './rank-names.ts'
import { SHARED_LINES_SQL, type SharedLines, withoutSharedLines } from './shared-lines.ts'
import { documentOf, type StoredPage, textOf } from './stored-page.ts'
import { SpellingSuggestions } from './suggest-spelling.ts'
import { readSynonyms } from './synonyms.ts'
import { PAGE_COUNT } from './term-counts.ts'

export interface SearchOptions extends Readonly<Partial<Record<LabelField, string>>> {
  /** Number of best hits to skip. @default 0 */
  readonly offset?: number
  /** Maximum number of hits, up to 100. @default 10 */
  readonly limit?: number
  /** Overrides that of the query. @default 'relevance' */
  readonly sort?: SearchSort
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
  /** When it was published, or changed; absent if neither is known. */
  readonly date?: number
  /** Larger is better; comparable only within one result. */
  readonly score: number
  /** Near-duplicates of it that were found, too, and are not hits of their own; some of them. */
  readonly similar?: readonly PageLink[]
}

/** A page by its title. */
export interface PageLink {
  readonly url: string
  /** `''` without one. */
  readonly title: string
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
  /** The query with words of the index in place of misspelt ones; absent if nothing seems misspelt. */
  readonly suggestion?: string
  /** More pages of the site of the first hit, the best that are not hits on this page; absent if there are none. */
  readonly siteLinks?: readonly PageLink[]
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
  readonly #finder: CandidateFinder
  readonly #ranker: HitRanker
  readonly #spelling: SpellingSuggestions

  private constructor(db: DatabaseSync, file: string) {
    this.#db = db
    this.#file = file
    this.#finder = new CandidateFinder(db)
    this.#ranker = new HitRanker(db)
    this.#spelling = new SpellingSuggestions(db)
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
    const { query, sort = 'relevance' } = parseQuery(text)
    const filtered = withLabels(query, options)
    if (filtered === undefined) return NOTHING
    return this.#attempt(() => this.#search(text, filtered, { sort, ...options }))
  }

  #search(text: string, query: SearchQuery, options: SearchOptions): SearchResult {
    // One transaction, so that hits, pages and texts are of one moment.
    this.#db.exec('BEGIN')
    try {
      const phrases = wantedPhrases(query)
      const units = this.#unitsOf(phrases, options)
      const alternatives = (phrase: SearchPhrase) => units.get(phrase) ?? NO_ALTERNATIVES
      const found = this.#finder.find(this.#withoutCommonWords(query, units), query, alternatives)
      this.#ranker.rank([...units.values()])
      const marked = [...phrases, ...otherPhrases(units)]
      const hits = this.#hits(marked, options)
      const suggestion = found.total < FEW || found.relaxed ? this.#suggestion(text, phrases) : undefined
      const siteLinks = (options.offset ?? 0) === 0 ? this.#siteLinks(hits) : []
      return {
        hits,
        ...found,
        ...(suggestion !== undefined && { suggestion }),
        ...(siteLinks.length > 0 && { siteLinks }),
        facets: { host: this.#facet('host'), type: this.#facet('type'), lang: this.#facet('lang') },
      }
    } finally {
      if (this.#db.isTransaction) this.#db.exec('COMMIT')
    }
  }

  /** Number of pages in the index. */
  count(): number {
    return this.#pagesWith(PAGE_COUNT)
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

  /** Prepared once. */
  #statement(sql: string): StatementSync {
    const statement = this.#statements.get(sql) ?? this.#db.prepare(sql)
    this.#statements.set(sql, statement)
    return statement
  }

  /** The number of pages that have a word. */
  #pagesWith(term: string): number {
    return Number(this.#statement('SELECT pages FROM terms WHERE term = ?').get(term)?.['pages'] ?? 0)
  }

  #unitsOf(phrases: readonly SearchPhrase[], { lang }: SearchOptions): Map<SearchPhrase, WantedUnit> {
    const expansion = new QueryExpansion(this.#db, readSynonyms(this.#db))
    const languages = lang === undefined ? expansion.languages() : [lang.toLowerCase()]
    const all = this.count()
    return new Map(
      phrases.map((phrase) => {
        const { words, prefix } = phrase
        const rarest = Math.min(...words.map((word) => this.#pagesWith(word)))
        const weight = Math.log(1 + all / Math.max(1, rarest))
        return [phrase, { words, prefix, weight, ...expansion.alternativesOf(phrase, languages) }]
      }),
    )
  }

  /** Makes words that most pages contain, such as “the”, optional in texts. */
  #withoutCommonWords(query: SearchQuery, units: ReadonlyMap<SearchPhrase, WantedUnit>): SearchQuery {
    if (query.kind !== 'and') return query
    const isCommon = (part: SearchQuery) =>
      part.kind === 'phrase' &&
      part.words.length === 1 &&
      !(part.prefix || part.exact || part.scope !== 'any') &&
      (units.get(part)?.weight ?? 0) < COMMON_WEIGHT
    const parts = query.parts.filter((part) => !isCommon(part))
    return parts.some(({ kind }) => kind === 'phrase') ? { kind: 'and', parts } : query
  }

  #hits(phrases: readonly SearchPhrase[], { offset = 0, limit = 10, sort }: SearchOptions): SearchHit[] {
    const order = sort === 'date' ? 'date DESC, row' : 'score DESC, row'
    // SQLite does not know how few hits there are: CROSS JOIN makes it go from them to their pages, and not through all pages.
    const rows = this.#statement(
      `SELECT row, id, url, title, type, lang, host, tstamp, last_modified, published, score, cluster, content FROM (
           SELECT p.*, h.score FROM hits h CROSS JOIN pages p ON p.row = h.row
           ${this.#hasClusters() ? `WHERE ${IS_BEST_OF_CLUSTER}` : ''}
           ORDER BY ${order} LIMIT ? OFFSET ?
         ) CROSS JOIN texts USING (row) ORDER BY ${order.replace('date DESC', 'coalesce(published, last_modified, tstamp) DESC')}`,
    ).all(Math.min(MAX_LIMIT, Math.max(0, limit)), Math.max(0, offset))
    return (rows as unknown as HitRow[]).map((row) => this.#hitOf(row, phrases))
  }

  #hasClusters(): boolean {
    return this.#statement('SELECT 1 FROM pages WHERE cluster IS NOT NULL LIMIT 1').get() !== undefined
  }

  #hitOf(row: HitRow, phrases: readonly SearchPhrase[]): SearchHit {
    const { id, url, host, type, lang, tstamp, score } = row
    const title = row.title ?? ''
    const date = row.published ?? row.last_modified
    const similar = row.cluster === null ? [] : this.#similar(row.cluster, row.row)
    const text = withoutSharedLines(textOf(row.content), this.#sharedLines(host))
    const inText = phrases.filter(({ scope }) => scope === 'any')
    return {
      ...{ id, url, title, titleParts: markText(title, phrases), host, tstamp, score: score ?? 0 },
      snippet: makeSnippet(text, inText),
      ...(type !== null && { type }),
      ...(lang !== null && { lang }),
      ...(date !== null && { date }),
      ...(similar.length > 0 && { similar }),
    }
  }

  #sharedLines(host: string): SharedLines {
    return new Set(
      this.#statement(SHARED_LINES_SQL)
        .all(host)
        .map(({ line }) => String(line)),
    )
  }

  #similar(cluster: string, row: number): PageLink[] {
    const rows = this.#statement(
      `SELECT url, title FROM hits CROSS JOIN pages USING (row) WHERE cluster = ? AND row <> ? ORDER BY score DESC, row LIMIT ${MAX_SIMILAR}`,
    ).all(cluster, row)
    return rows.map(linkOf)
  }

  /** Only if the first hit is better than all others: it is then what was looked for. */
  #siteLinks([first, ...others]: readonly SearchHit[]): PageLink[] {
    if (first === undefined || !others.some(({ host }) => host !== first.host)) return []
    const rows = this.#statement(
      `SELECT url, title, id FROM hits CROSS JOIN pages USING (row) WHERE host = ? ORDER BY score DESC, row LIMIT ?`,
    ).all(first.host, MAX_SITE_LINKS + others.length + 1)
    const shown = new Set([first, ...others].map(({ id }) => id))
    return rows.flatMap((row) => (shown.has(String(row['id'])) ? [] : linkOf(row))).slice(0, MAX_SITE_LINKS)
  }

  /** The query with other words in place of those that seem misspelt. */
  #suggestion(text: string, phrases: readonly SearchPhrase[]): string | undefined {
    let suggestion = text.trim()
    for (const word of new Set(phrases.flatMap(({ words, prefix }) => (prefix ? [] : words)))) {
      const better = this.#spelling.suggest(word)
      if (better !== undefined) suggestion = replaceWord(suggestion, word, better)
    }
    return suggestion === text.trim() ? undefined : suggestion
  }

  #facet(column: 'host' | 'type' | 'lang'): FacetCount[] {
    const rows = this.#statement(
      `SELECT ${column} AS value, count(*) AS count FROM hits CROSS JOIN pages USING (row) WHERE ${column} IS NOT NULL
         GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT ${MAX_FACETS}`,
    ).all()
    return rows.map(({ value, count }) => ({ value: String(value), count: Number(count) }))
  }
}

const MAX_LIMIT = 100
const MAX_FACETS = 20
const MAX_SIMILAR = 5
const MAX_SITE_LINKS = 4
/** A spelling is suggested if fewer pages were found. */
const FEW = 3
/** The weight of a word that half of the pages have. */
const COMMON_WEIGHT = Math.log(3)

/** Of near-duplicates the best one is a hit. */
const IS_BEST_OF_CLUSTER = `(p.cluster IS NULL OR NOT EXISTS (
  SELECT 1 FROM pages q CROSS JOIN hits g ON g.row = q.row
  WHERE q.cluster = p.cluster AND (g.score > h.score OR (g.score = h.score AND g.row < h.row))))`

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

/** Other forms of the words and their synonyms, which are marked, too. */
function otherPhrases(units: ReadonlyMap<SearchPhrase, WantedUnit>): SearchPhrase[] {
  return [...units].flatMap(([phrase, { forms, synonyms }]) =>
    [...forms.map((form) => [form]), ...synonyms].map((words) => ({ ...phrase, words })),
  )
}

/** Replaces a word wherever it stands alone, in any case. */
function replaceWord(text: string, word: string, other: string): string {
  return placedWords(text)
    .filter((placed) => placed.word === word)
    .reduceRight((whole, { start, end }) => `${whole.slice(0, start)}${other}${whole.slice(end)}`, text)
}

function linkOf(row: Readonly<Record<string, unknown>>): PageLink {
  return { url: String(row['url']), title: typeof row['title'] === 'string' ? row['title'] : '' }
}

interface HitRow extends Omit<StoredPage, 'score'> {
  /** `null`: not ranked. */
  readonly score: number | null
}
