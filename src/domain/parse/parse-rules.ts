import type { PageLink, PageReading } from '../content/page-reading.ts'
import type { DocumentOptions } from '../content/read-document.ts'
import type { HeaderList } from '../fetch/headers.ts'
import type { Scoring } from '../scoring/scoring.ts'
import type { DecidingFilter } from '../url/url-filter.ts'
import type { LinkPolicy } from './link-policy.ts'

/** The rules for parsing pages and following redirects. Rules are functions, so each thread builds its own. */
export interface ParseRules {
  readonly reading: DocumentOptions
  readonly filter: DecidingFilter
  readonly links: LinkPolicy
  readonly scoring: Scoring
  readonly parseFilters: readonly ParseFilter[]
  /** The signature that detects changed content. */
  readonly signature: 'md5' | 'text-profile'
  /** Whether pages that were fetched but could not be parsed get their own status, `db_parse_failed`. */
  readonly markFailed: boolean
  /** Whether records keep what servers, sitemaps and feeds say about changes of pages, for the schedule. @default false */
  readonly scheduleHints?: boolean
  /** Whether the sitemaps of each site are fetched: those in robots.txt, or else in the usual places. @default false */
  readonly sitemaps?: boolean
}

/** A page as a parse filter sees it. */
export interface ReadPage {
  readonly url: string
  readonly headers: HeaderList
  /** The decoded body. Only valid until the page is parsed; copy the parts you want to keep. */
  readonly bytes: Uint8Array
  /** The result of reading it, with the links that earlier filters left. */
  readonly reading: PageReading
  /** Metadata of the page's record: from its seed line, its depth. */
  readonly metadata: Readonly<Record<string, string>>
}

/** Changes by a parse filter. Absent properties stay as they are. */
export interface ParseChange {
  /** Added to the parse data; a later filter wins over an earlier one. */
  readonly metadata?: Readonly<Record<string, string>>
  /** Replaces the page's links; normalised URLs. The link policy is applied afterwards. */
  readonly links?: readonly PageLink[]
}

/** A user-defined rule for parsed pages. It runs in the parse threads, so it cannot share state with other code. */
export interface ParseFilter {
  readonly name: string
  /** If it throws, the parse of this page fails, with the filter's name in the reason. */
  filter(page: ReadPage): ParseChange | undefined | Promise<ParseChange | undefined>
}
