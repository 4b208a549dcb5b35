/** The fields whose values a search filters by: `site:example.org`, `type:pdf`, `lang:en`. */
export const LABEL_FIELDS = ['site', 'type', 'lang'] as const
export type LabelField = (typeof LABEL_FIELDS)[number]

/** The orders of results; each is a value of `sort:`. */
export const SEARCH_SORTS = ['relevance', 'date'] as const
export type SearchSort = (typeof SEARCH_SORTS)[number]

/** What a user looks for. */
export type SearchQuery =
  | { readonly kind: 'and' | 'or'; readonly parts: readonly SearchQuery[] }
  | { readonly kind: 'not'; readonly part: SearchQuery }
  | SearchPhrase
  | SearchLabel
  | SearchDates

/** Words that follow one another; one word, mostly. */
export interface SearchPhrase {
  readonly kind: 'phrase'
  /** At least one, as `searchWords` makes them. */
  readonly words: readonly string[]
  /** The last word may be a prefix. */
  readonly prefix: boolean
  /** Written in quotes: only these words, no other forms of them and no synonyms. */
  readonly exact: boolean
  /** Where they must be: anywhere, in the title (`intitle:`) or in the URL (`inurl:`). */
  readonly scope: 'any' | 'title' | 'url'
}

export interface SearchLabel {
  readonly kind: 'label'
  readonly field: LabelField
  /** As it was written. */
  readonly value: string
}

/** Pages of some time, by the date that the page gives, or the time of its last change or fetch (ms since the epoch). */
export interface SearchDates {
  readonly kind: 'dates'
  /** The first moment. @default any */
  readonly from?: number
  /** The moment after the last. @default any */
  readonly before?: number
}

/** A query with what is not a condition. */
export interface ParsedQuery {
  /** `undefined`: the query has no words and no filters. */
  readonly query?: SearchQuery
  /** The last `sort:` of the query. */
  readonly sort?: SearchSort
}

/** What a query finds without its filters; only told if it finds nothing with them. */
export interface UnfilteredResult {
  /** The query without filters. */
  readonly query: string
  /** At least one; a lower bound if `exact` is false. */
  readonly total: number
  readonly exact: boolean
}

/** The phrases that a hit may match. */
export function wantedPhrases(query: SearchQuery): SearchPhrase[] {
  switch (query.kind) {
    case 'phrase':
      return [query]
    case 'and':
    case 'or':
      return query.parts.flatMap(wantedPhrases)
    default:
      return []
  }
}
