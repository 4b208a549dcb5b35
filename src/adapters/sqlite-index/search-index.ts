import type { DatabaseSync, StatementSync } from 'node:sqlite'
import type { IndexDocument } from '../../domain/indexing/index-document.ts'
import { parseQuery, withoutFilters } from '../../domain/search/parse-query.ts'
import {
  LABEL_FIELDS,
  type LabelField,
  type SearchPhrase,
  type SearchQuery,
  type SearchSort,
  type UnfilteredResult,
  wantedPhrases,
} from '../../domain/search/search-query.ts'
import { placedWords } from '../../domain/search/search-words.ts'
import { countFacets, type Facets } from './count-facets.ts'
import { CandidateFinder, type CandidatePage, type Candidates, MAX_FOUND } from './find-candidates.ts'
import { groupDuplicates, type RankedGroup } from './group-duplicates.ts'
import { indexFile, indexUnusable, openIndexFileToRead } from './index-file.ts'
import type { MarkedPhrase } from './make-snippet.ts'
import { PageFactsReader } from './page-facts.ts'
import { NO_ALTERNATIVES, QueryExpansion, type Synonyms } from './query-expansion.ts'
import { HitRanker } from './rank-hits.ts'
import { COMMON_WEIGHT, type WantedUnit } from './rank-names.ts'
import { HitReader, type ResultLink, type SearchHit } from './read-hits.ts'
import { documentOf, type StoredPage } from './stored-page.ts'
import { StoredTexts } from './stored-texts.ts'
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

export interface SearchResult {
  readonly hits: readonly SearchHit[]
  /** Pages that were found; at least so many when `exact` is false. */
  readonly total: number
  readonly exact: boolean
  /** No page has all the words: these have some of them. */
  readonly relaxed: boolean
  /** The query with words of the index in place of misspelt ones; absent if nothing seems misspelt. */
  readonly suggestion?: string
  /** The query that was searched instead, with other spellings, because no page has all words of the one that was typed. */
  readonly corrected?: string
  /** More pages of the site of the first hit, the best that are not hits on this page; absent if there are none. */
  readonly siteLinks?: readonly ResultLink[]
  /** What is found without the filters; absent if something is found with them, or nothing without them. */
  readonly unfiltered?: UnfilteredResult
  /** How many of them there are of each host, type and language. */
  readonly facets: Facets
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
  readonly #facts: PageFactsReader
  readonly #finder: CandidateFinder
  readonly #texts: StoredTexts
  readonly #ranker: HitRanker
  readonly #reader: HitReader
  readonly #expansion: QueryExpansion
  readonly #spelling: SpellingSuggestions
  /** SQLite's number of the last change that another process has made. */
  #version: unknown
  #kept: SameForAll | undefined

  private constructor(db: DatabaseSync, file: string) {
    this.#db = db
    this.#file = file
    this.#facts = new PageFactsReader(db)
    this.#finder = new CandidateFinder(db, this.#facts)
    this.#texts = new StoredTexts(db)
    this.#ranker = new HitRanker(db, this.#texts)
    this.#reader = new HitReader(db, this.#texts)
    this.#expansion = new QueryExpansion(db)
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
    const result = this.#attempt(() => this.#search(text, filtered, { sort, ...options }))
    const unfiltered = result.total === 0 ? this.#unfiltered(text, options) : undefined
    return unfiltered === undefined ? result : { ...result, unfiltered }
  }

  #unfiltered(text: string, options: SearchOptions): UnfilteredResult | undefined {
    const query = withoutFilters(text)
    const isFiltered = query !== text.trim() || withLabels(undefined, options) !== undefined
    if (query === '' || !isFiltered) return undefined
    const { total, exact, relaxed } = this.search(query, { limit: 0 })
    return total === 0 || relaxed ? undefined : { query, total, exact }
  }

  #search(text: string, query: SearchQuery, options: SearchOptions): SearchResult {
    // One transaction, so that hits, pages and texts are of one moment.
    this.#db.exec('BEGIN')
    try {
      this.#forgetIfChanged()
      const typed = this.#lookUp(query, options)
      const suggestion = isFew(typed.found) ? this.#suggestion(text, typed.phrases) : undefined
      const corrected = suggestion === undefined ? undefined : this.#corrected(typed, suggestion, options)
      const { units, found } = corrected ?? typed
      const ranked = this.#ranker.rank(found.pages, [...units.values()])
      const groups = groupDuplicates(ranked)
      if (options.sort === 'date') groups.sort((a, b) => b.page.date - a.page.date || a.page.row - b.page.row)
      const { offset = 0, limit = 10 } = options
      const from = Math.max(0, offset)
      const shown = groups.slice(from, from + Math.min(MAX_LIMIT, Math.max(0, limit)))
      const hits = this.#reader.hitsOf(shown, markedPhrases(units))
      const siteLinks = from === 0 ? this.#reader.linksOf(moreOfSite(groups, shown)) : []
      return {
        ...{
          hits,
          total: found.exact ? ranked.length : MAX_FOUND,
          exact: found.exact,
          relaxed: found.relaxed,
        },
        ...(suggestion !== undefined && {
          [corrected === undefined ? 'suggestion' : 'corrected']: suggestion,
        }),
        ...(siteLinks.length > 0 && { siteLinks }),
        facets: countFacets(ranked),
      }
    } finally {
      this.#texts.clear()
      if (this.#db.isTransaction) this.#db.exec('COMMIT')
    }
  }

  #lookUp(query: SearchQuery, options: SearchOptions): LookedUp {
    const phrases = wantedPhrases(query)
    const units = this.#unitsOf(phrases, options)
    const alternatives = (phrase: SearchPhrase) => units.get(phrase) ?? NO_ALTERNATIVES
    const isCommon = this.#isCommon(query, units)
    const found = this.#finder.find(withoutCommonWords(query, units), query, alternatives, isCommon)
    return { phrases, units, found }
  }

  /** What the suggested query finds, if no page has all words of the typed one; a word in quotes is meant as it is written. */
  #corrected({ phrases, found }: LookedUp, suggestion: string, options: SearchOptions): LookedUp | undefined {
    if ((found.pages.length > 0 && !found.relaxed) || phrases.some(({ exact }) => exact)) return undefined
    const query = withLabels(parseQuery(suggestion).query, options)
    const other = query === undefined ? undefined : this.#lookUp(query, options)
    return other === undefined || other.found.relaxed || other.found.pages.length === 0 ? undefined : other
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
    const { pages: all, languages: most, synonyms } = this.#sameForAll()
    const languages = lang === undefined ? most : [lang.toLowerCase()]
    return new Map(
      phrases.map((phrase) => {
        const { words, prefix } = phrase
        const rarest = words.reduce((least, word) => Math.min(least, this.#pagesWith(word)), all)
        const weight = Math.log(1 + all / Math.max(1, rarest))
        return [
          phrase,
          { words, prefix, weight, ...this.#expansion.alternativesOf(phrase, languages, synonyms) },
        ]
      }),
    )
  }

  #sameForAll(): SameForAll {
    this.#kept ??= {
      pages: this.count(),
      languages: this.#expansion.languages(),
      synonyms: readSynonyms(this.#db),
    }
    return this.#kept
  }

  /** Forgets what was kept of earlier searches if another process has changed the index since. */
  #forgetIfChanged(): void {
    const { data_version: version } = this.#statement('PRAGMA data_version').get() ?? {}
    if (version === this.#version) return
    this.#version = version
    this.#kept = undefined
    this.#facts.clear()
  }

  /** Whether the query consists of words that most pages have, in an index of which only a part can be compared. */
  #isCommon(query: SearchQuery, units: ReadonlyMap<SearchPhrase, WantedUnit>): boolean {
    const parts = query.kind === 'and' ? query.parts : [query]
    return this.#sameForAll().pages > 2 * MAX_FOUND && parts.every((part) => isCommonWord(part, units))
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
}

/** What is the same for all queries until the index changes. */
interface SameForAll {
  readonly pages: number
  readonly languages: readonly string[]
  readonly synonyms: Synonyms
}

/** A query with the pages that were found for it. */
interface LookedUp {
  readonly phrases: readonly SearchPhrase[]
  readonly units: ReadonlyMap<SearchPhrase, WantedUnit>
  readonly found: Candidates
}

const MAX_LIMIT = 100
const MAX_SITE_LINKS = 4
/** A spelling is suggested if fewer pages were found. */
const FEW = 3

function isFew({ pages, relaxed }: Candidates): boolean {
  return relaxed || pages.length < FEW
}

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

/** The words of a query with their other forms and synonyms, which are marked, too. */
function markedPhrases(units: ReadonlyMap<SearchPhrase, WantedUnit>): MarkedPhrase[] {
  return [...units].flatMap(([phrase, { words, forms, synonyms }], group) =>
    [words, ...forms.map((form) => [form]), ...synonyms].map((written) => ({
      ...phrase,
      words: written,
      group,
    })),
  )
}

/** Makes words that most pages contain, such as “the”, optional in texts. */
function withoutCommonWords(query: SearchQuery, units: ReadonlyMap<SearchPhrase, WantedUnit>): SearchQuery {
  if (query.kind !== 'and') return query
  const parts = query.parts.filter((part) => !isCommonWord(part, units))
  return parts.some(({ kind }) => kind === 'phrase') ? { kind: 'and', parts } : query
}

function isCommonWord(part: SearchQuery, units: ReadonlyMap<SearchPhrase, WantedUnit>): boolean {
  return (
    part.kind === 'phrase' &&
    part.words.length === 1 &&
    !(part.prefix || part.exact || part.scope !== 'any') &&
    (units.get(part)?.weight ?? 0) < COMMON_WEIGHT
  )
}

/** Replaces a word wherever it stands alone, in any case. */
function replaceWord(text: string, word: string, other: string): string {
  return placedWords(text)
    .filter((placed) => placed.word === word)
    .reduceRight((whole, { start, end }) => `${whole.slice(0, start)}${other}${whole.slice(end)}`, text)
}

/** The best pages of the site of the first hit that are not shown; none if all hits are of that site. */
function moreOfSite(ranked: readonly RankedGroup[], shown: readonly RankedGroup[]): CandidatePage[] {
  const host = shown[0]?.page.host
  if (shown.every(({ page }) => page.host === host)) return []
  const more: CandidatePage[] = []
  for (let i = shown.length; i < ranked.length && more.length < MAX_SITE_LINKS; i++) {
    const page = ranked[i]?.page
    if (page !== undefined && page.host === host) more.push(page)
  }
  return more
}
