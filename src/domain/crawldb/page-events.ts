import type { Validators } from '../fetch/fetcher.ts'
import type { InlinkSum } from '../scoring/inlink-sum.ts'
import type { Standing } from '../scoring/scoring.ts'
import type { LastOutcome } from './crawl-record.ts'

/** What one update round learned about one URL. At least one of the three is there, or nothing happened. */
export interface PageEvents {
  readonly url: string
  /** The newest visit. */
  readonly fetch?: FetchEvent
  /** The links found to it, added up. */
  readonly inlinks?: InlinkSum
  /** The score and metadata of a page that redirects here; matters only for a URL not known before. */
  readonly redirectedFrom?: Standing
}

/** How a visit went, as far as the record is concerned. */
export type FetchEvent = VisitFacts &
  (
    | {
        readonly kind: 'success'
        /** Of the parsed content (hex); absent when the page was not parsed. */
        readonly signature?: string
        readonly validators?: Validators
        /** The sum of the scores the page passed to its links. @default 0 */
        readonly scoreGiven?: number
      }
    /** 304. `validators` only when the response brought new ones. */
    | { readonly kind: 'not-modified'; readonly validators?: Validators }
    | { readonly kind: 'redirect'; readonly permanent: boolean }
    /** Not found, gone, denied by the server or by robots.txt. */
    | { readonly kind: 'gone' }
    /** A failure that may pass. */
    | {
        readonly kind: 'retry'
        /** Not to be asked before (ms since the epoch), as Retry-After said. */
        readonly retryAt?: number
      }
    /** There was content, it could not be read, and such pages are to be marked. */
    | { readonly kind: 'parse-failed' }
    /** No request was sent: the time limit was reached, or the host must wait. */
    | {
        readonly kind: 'not-reached'
        /** The host must not be requested before (ms since the epoch). */
        readonly retryAt?: number
      }
  )

interface VisitFacts {
  /** When it happened (ms since the epoch). */
  readonly fetchedAt: number
  /** Absent in segments of other programs, and for `not-reached`. */
  readonly outcome?: LastOutcome
  /** Laid over the record's metadata: content type, HTTP status, the reason of a failure, chosen parse metadata. */
  readonly metadata?: Readonly<Record<string, string>>
}
