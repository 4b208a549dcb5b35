/**
 * The JSON responses of the API. Times are milliseconds since the epoch. Texts of pages are untrusted and must not be used as markup. The code
 * of the page imports these types, so this file imports only types of plain data.
 */
import type { CrawlRecord } from '../../domain/crawldb/crawl-record.ts'
import type { DbStatus } from '../../domain/crawldb/crawl-status.ts'
import type { Inlink } from '../../domain/crawldb/link-db.ts'
import type { LiveActionName, LiveReport, LiveState } from '../../domain/live/live-report.ts'
import type { UnfilteredResult } from '../../domain/search/search-query.ts'
import type { FetchTotals, RecentFetch } from '../../domain/segment/fetch-figures.ts'
import type { FetchRow } from '../../domain/segment/segment-rows.ts'
import type { LinkOrigin, LostLinks } from '../../domain/segment/segment-store.ts'

/** `/api/live/series`, `/api/live/hosts`, and the request and response of `/api/live/actions`. Without a running crawl, both lists are empty. */
export type {
  HostList,
  HostQuery,
  LiveAction,
  LiveActionResult,
  LiveSeries,
} from '../../domain/live/live-report.ts'
/** `/api/history` */
export type { FetchHistory } from '../../domain/segment/fetch-figures.ts'

/** The response to a request that failed. */
export interface ErrorResponse {
  readonly error: { readonly code: ApiErrorCode; readonly message: string }
}

export type ApiErrorCode =
  | 'bad-request'
  | 'forbidden-host'
  | 'cross-site'
  | 'not-found'
  | 'not-running'
  | 'method'
  | 'content-type'
  | 'conflict'
  | 'too-large'
  | 'csrf'
  | 'token-required'
  | 'token-invalid'
  | 'too-many-attempts'
  | 'too-many-streams'
  | 'busy'
  | 'too-slow'
  | 'failed'

/** `/api/crawls` */
export interface CrawlList {
  /** In the order of the command line. The first is the default of the parameter `crawl`. */
  readonly crawls: readonly CrawlSummary[]
  readonly access: ServeAccess
}

export interface CrawlSummary {
  /** The value of the parameter `crawl` of all other routes. */
  readonly id: string
  /** The directory as given on the command line, or the name of the spider or of the crawl in Redis. */
  readonly name: string
  readonly state: 'running' | 'idle'
  /** While it runs. */
  readonly running?: {
    readonly kind: LiveReport['kind']
    readonly state: LiveState
    readonly command: string
    readonly pid: number
    readonly startedAt: number
    readonly actions: readonly LiveActionName[]
  }
  /** Why it is not known whether it runs. */
  readonly problem?: string
  /** When its data last changed. Absent: unknown. */
  readonly changedAt?: number
  /** `search`: `/api/search` and `/api/preview`. `reports`: `/api/overview`, `/api/history`, `/api/host` and `/api/url`. */
  readonly capabilities: ReadonlyArray<'search' | 'reports' | 'live'>
  /** Whether there is a search index now. */
  readonly hasIndex: boolean
}

/** What this client may do. */
export interface ServeAccess {
  /** Actions are turned off (`--read-only`). */
  readonly readOnly: boolean
  /** This client may act: it is on the same machine, or has sent the token. */
  readonly mayAct: boolean
  /** The server accepts a token: `POST /api/login` with `{ "token": "…" }`. */
  readonly acceptsToken: boolean
  /** With `mayAct`: the value of the header `x-orbweaver-csrf` of each POST request. */
  readonly csrfToken?: string
  /** The server shows nothing without its token (`--control`). */
  readonly requiresToken?: boolean
}

/** `POST /api/login`: sets the cookie that stands for the token. */
export interface LoginRequest {
  readonly token: string
}

/** `/api/live`: the data of each server-sent event; and the response of `/api/live/report`. */
export type LiveMessage =
  | { readonly state: 'running'; readonly report: LiveReport }
  /** The crawl does not run; reports follow when it starts. `problem`: it may run, but could not be reached. */
  | {
      readonly state: 'idle'
      readonly problem?: string
      /** The last report that the server has received. */
      readonly last?: LiveReport
    }

/** The age of CrawlDb data. */
export interface Freshness {
  /** The time of the snapshot; absent if another process has used the CrawlDb since the server started. */
  readonly asOf?: number
  /** The process that works on the crawl now. */
  readonly busy?: { readonly command: string; readonly since: string; readonly pid: number }
}

/** `/api/search` */
export type SearchResponse = FoundPages | NoIndex

export interface FoundPages {
  readonly kind: 'found'
  /** Number of skipped results. */
  readonly offset: number
  readonly hits: readonly FoundPage[]
  /** Number of results; a lower bound if `exact` is false. */
  readonly total: number
  readonly exact: boolean
  /** No page contains all words; these contain some of them. */
  readonly relaxed: boolean
  /** The query with misspelt words corrected; absent if nothing seems misspelt. */
  readonly suggestion?: string
  /** The query that was searched instead, because no page contains all words of the one that was typed. */
  readonly corrected?: string
  /** What is found without the filters; absent if something is found with them, or nothing without them. */
  readonly unfiltered?: UnfilteredResult
  /** More pages of the site of the first result; absent if there are none. */
  readonly siteLinks?: readonly FoundPageLink[]
  /** Number of results per value, highest first. */
  readonly facets: Readonly<Record<'host' | 'type' | 'lang', readonly Facet[]>>
  readonly tookMs: number
}

/** The crawl has no search index. */
export interface NoIndex {
  readonly kind: 'no-index'
  readonly directory: string
}

export interface FoundPage {
  readonly id: string
  readonly url: string
  readonly titleParts: readonly MarkedPart[]
  readonly snippet: readonly MarkedPart[]
  readonly host: string
  readonly type?: string
  readonly lang?: string
  readonly tstamp: number
  /** When the page was published, or changed; absent if neither is known. */
  readonly date?: number
  /** Near-duplicates that are not results of their own. */
  readonly similar?: readonly FoundPageLink[]
}

export interface FoundPageLink {
  readonly url: string
  /** `''` without one. */
  readonly title: string
}

export interface MarkedPart {
  readonly text: string
  /** Whether it matches the query. */
  readonly marked: boolean
}

export interface Facet {
  readonly value: string
  readonly count: number
}

/** `/api/overview` */
export interface Overview {
  /** As given on the command line. */
  readonly directory: string
  readonly freshness: Freshness
  readonly segments: number
  /** Absent if there is no snapshot of the CrawlDb yet. */
  readonly db?: DbStatistics
}

export interface DbStatistics {
  readonly total: number
  readonly statuses: readonly StatusCount[]
  readonly hosts: number
  readonly domains: number
  /** The hosts with the most URLs. */
  readonly topHosts: readonly HostStatistics[]
  readonly due: DueStatistics
}

export interface StatusCount {
  readonly status: DbStatus
  readonly count: number
}

export interface HostStatistics {
  readonly host: string
  readonly urls: number
  readonly fetched: number
  readonly redirected: number
  readonly gone: number
  /** Never fetched, or to be retried. */
  readonly unfetched: number
  readonly due: number
  readonly lastFetchTime?: number
}

export interface DueStatistics {
  /** On a fetch list, without a result yet. */
  readonly listed: number
  readonly now: number
  readonly withinHour: number
  readonly withinDay: number
  readonly withinWeek: number
  readonly withinMonth: number
  readonly later: number
  /** Due URLs, highest score first; if none is due, the next ones. */
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
  /** Absent if there is no snapshot of the CrawlDb yet, or it has no URL of the host. */
  readonly db?: {
    readonly figures: HostStatistics
    readonly statuses: readonly StatusCount[]
    /** Highest score first. */
    readonly urls: readonly DueUrl[]
    /** Absent if the engine has no HostDb. */
    readonly facts?: HostFacts
  }
  readonly fetches: FetchTotals
  /** Newest first. */
  readonly recent: readonly RecentFetch[]
}

/** `/api/hosts`: a part of the HostDb. */
export interface KnownHosts {
  readonly freshness: Freshness
  /** Absent if there is no snapshot of the CrawlDb yet, or its engine has no HostDb. */
  readonly list?: {
    /** Hosts that match the filter. */
    readonly total: number
    readonly hosts: readonly HostFacts[]
  }
}

/** What the HostDb knows about a host. */
export interface HostFacts {
  readonly host: string
  readonly urls: number
  readonly fetched: number
  readonly unfetched: number
  readonly gone: number
  /** Requests, and those with a response. */
  readonly fetches: number
  readonly responses: number
  readonly dnsFailures: number
  readonly connectionFailures: number
  readonly serverErrors: number
  /** Rounds and name checks without a response since the last response. */
  readonly failuresInARow: number
  readonly lastFailure?: string
  readonly robots?: string
  readonly averageMs?: number
  readonly minMs?: number
  readonly maxMs?: number
  readonly bytes: number
  readonly lastResponseTime?: number
  readonly homePage?: string
  readonly address?: string
  /** LinkRank among the hosts; the mean is 1. */
  readonly linkScore?: number
}

/** A column to sort hosts by. */
export type HostFactsSort =
  | 'host'
  | 'urls'
  | 'fetched'
  | 'unfetched'
  | 'gone'
  | 'failuresInARow'
  | 'averageMs'
  | 'linkScore'

export interface HostFactsQuery {
  readonly sort: HostFactsSort
  readonly descending: boolean
  readonly offset: number
  readonly limit: number
  /** Only hosts whose name contains this text. */
  readonly contains?: string
}

/** `/api/url`: the report of `explain`. */
export interface UrlReport {
  readonly input: string
  readonly freshness: Freshness
  /** Normalized; absent if the URL cannot be crawled: then `problem` gives the reason. */
  readonly url?: string
  readonly problem?: string
  /** Absent if there is no snapshot of the CrawlDb yet, whose seeds define the scope. */
  readonly filter?: { readonly accepted: boolean; readonly rule: string }
  readonly seed: boolean
  readonly foundOn: readonly LinkOrigin[]
  readonly inlinks: readonly Inlink[]
  readonly record?: CrawlRecord
  /** For a URL that passes the filters, is not in the CrawlDb, and has no stored link. */
  readonly lost?: LostLinks
  readonly fetches: ReadonlyArray<{
    readonly segment: string
    readonly listed: boolean
    readonly fetch?: FetchRow
  }>
}

/** `/api/preview`: a stored page, as text. */
export interface PagePreview {
  readonly url: string
  readonly title: string
  readonly paragraphs: ReadonlyArray<readonly MarkedPart[]>
  /** The text was truncated. */
  readonly cut: boolean
  readonly fetchedAt: number
  readonly type?: string
  readonly lang?: string
}
