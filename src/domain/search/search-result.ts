import type { UnfilteredResult } from './search-query.ts'

/** A part of a text; marked if it matches the query. */
export interface MarkedText {
  readonly text: string
  readonly marked: boolean
}

/** A page that a search server found. Its texts are the page's own, and to be escaped wherever they are shown. */
export interface ServerHit {
  readonly id: string
  readonly url: string
  /** `''` without one. */
  readonly title: string
  readonly titleParts: readonly MarkedText[]
  readonly snippet: readonly MarkedText[]
  readonly host: string
  readonly type?: string
  readonly lang?: string
  /** When it was fetched (ms since the epoch). */
  readonly tstamp: number
  /** When it was published or changed (ms since the epoch); absent if neither is known. */
  readonly date?: number
  /** Near-duplicates among the hits of the same page of the result, which are not hits of their own. */
  readonly similar?: ReadonlyArray<{ readonly url: string; readonly title: string }>
  /** Larger is better; comparable only within one result. */
  readonly score: number
}

export interface ServerResult {
  readonly hits: readonly ServerHit[]
  readonly total: number
  readonly exact: boolean
  readonly relaxed: boolean
  /** What is found without the filters; absent if something is found with them, or nothing without them. */
  readonly unfiltered?: UnfilteredResult
  readonly facets: Readonly<Record<'host' | 'type' | 'lang', ReadonlyArray<{ value: string; count: number }>>>
}
