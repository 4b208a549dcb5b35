/**
 * The documents of the API. Times are milliseconds since the epoch. Texts are as pages have them: nothing in them may be trusted, nor taken
 * for markup. The code of the page imports these types, so this file imports only types of plain data.
 */
import type { CrawlRecord } from '../../domain/crawldb/crawl-record.ts'
import type { DbStatus } from '../../domain/crawldb/crawl-status.ts'
import type { Inlink } from '../../domain/crawldb/link-db.ts'
import type { FetchRow } from '../../domain/segment/segment-rows.ts'
import type { LinkSource, LostLinks } from '../../domain/segment/segment-store.ts'
import type { RecentVisit, VisitTotals } from '../../domain/segment/visit-figures.ts'

/** `/api/history` */
export type { VisitHistory } from '../../domain/segment/visit-figures.ts'

/** What came instead of an answer. */
export interface Refusal {
  readonly error: { readonly code: RefusalCode; readonly message: string }
}

export type RefusalCode =
  | 'bad-request'
  | 'forbidden-host'
  | 'cross-site'
  | 'not-found'
  | 'busy'
  | 'too-slow'
  | 'failed'

/** How current that is which the CrawlDb says. */
export interface Freshness {
  /** When it was looked at; absent: not since the server started, because somebody works on it. */
  readonly asOf?: number
  /** Who works on the crawl now. */
  readonly busy?: { readonly command: string; readonly since: string; readonly pid: number }
}

/** `/api/search` */
export type SearchAnswer = FoundPages | NoIndex

export interface FoundPages {
  readonly kind: 'found'
  /** How many better ones were left out. */
  readonly offset: number
  readonly hits: readonly SearchHit[]
  /** Pages that were found; at least so many when `exact` is false. */
  readonly total: number
  readonly exact: boolean
  /** No page has all the words: these have some of them. */
  readonly relaxed: boolean
  /** How many of them there are of each, most first. */
  readonly facets: Readonly<Record<'host' | 'type' | 'lang', readonly Facet[]>>
  readonly tookMs: number
}

/** Nothing was indexed yet. */
export interface NoIndex {
  readonly kind: 'no-index'
  readonly directory: string
}

export interface SearchHit {
  readonly id: string
  readonly url: string
  readonly titleParts: readonly TextPart[]
  readonly snippet: readonly TextPart[]
  readonly host: string
  readonly type?: string
  readonly lang?: string
  readonly tstamp: number
}

export interface TextPart {
  readonly text: string
  /** It is what was searched for. */
  readonly marked: boolean
}

export interface Facet {
  readonly value: string
  readonly count: number
}

/** `/api/overview` */
export interface Overview {
  /** As it was named on the command line. */
  readonly directory: string
  readonly freshness: Freshness
  readonly segments: number
  /** Absent while there was no chance to look at the CrawlDb. */
  readonly db?: DbFigures
}

export interface DbFigures {
  readonly total: number
  readonly statuses: readonly StatusCount[]
  readonly hosts: number
  readonly domains: number
  /** The largest. */
  readonly topHosts: readonly HostFigures[]
  readonly due: DueFigures
}

export interface StatusCount {
  readonly status: DbStatus
  readonly count: number
}

export interface HostFigures {
  readonly host: string
  readonly urls: number
  readonly fetched: number
  readonly redirected: number
  readonly gone: number
  /** Never fetched, or to be tried again. */
  readonly unfetched: number
  readonly due: number
  readonly lastFetchTime?: number
}

export interface DueFigures {
  /** On a fetch list, waiting for their result. */
  readonly listed: number
  readonly now: number
  readonly withinHour: number
  readonly withinDay: number
  readonly withinWeek: number
  readonly withinMonth: number
  readonly later: number
  /** What the next `generate` begins with, or else what comes due first. */
  readonly next: readonly DueUrl[]
}

export interface DueUrl {
  readonly url: string
  readonly status: DbStatus
  readonly fetchTime: number
  readonly score: number
}

/** `/api/host` */
export interface HostReport {
  readonly host: string
  readonly freshness: Freshness
  /** Absent while there was no chance to look at the CrawlDb, and when it does not know the host. */
  readonly db?: {
    readonly figures: HostFigures
    readonly statuses: readonly StatusCount[]
    /** The best by score. */
    readonly urls: readonly DueUrl[]
  }
  readonly visits: VisitTotals
  /** Newest first. */
  readonly recent: readonly RecentVisit[]
}

/** `/api/url`: what `explain` tells. */
export interface UrlReport {
  readonly input: string
  readonly freshness: Freshness
  /** Normalised; absent when it is no URL that could be crawled, and `problem` says why. */
  readonly url?: string
  readonly problem?: string
  /** Absent while there was no chance to look at the CrawlDb: the scope is counted from its seeds. */
  readonly filter?: { readonly accepted: boolean; readonly rule: string }
  readonly seed: boolean
  readonly foundOn: readonly LinkSource[]
  readonly inlinks: readonly Inlink[]
  readonly record?: CrawlRecord
  /** Of a URL that passes the filters, is not in the CrawlDb, and that no kept link leads to. */
  readonly lost?: LostLinks
  readonly visits: ReadonlyArray<{
    readonly segment: string
    readonly listed: boolean
    readonly fetch?: FetchRow
  }>
}

/** `/api/preview`: a stored page, as text. */
export interface PagePreview {
  readonly url: string
  readonly title: string
  readonly paragraphs: ReadonlyArray<readonly TextPart[]>
  /** The text was longer. */
  readonly cut: boolean
  readonly fetchedAt: number
  readonly type?: string
  readonly lang?: string
}
