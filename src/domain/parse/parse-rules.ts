import type { DocumentOptions } from '../content/read-document.ts'
import type { Scoring } from '../scoring/scoring.ts'
import type { DecidingFilter } from '../url/url-filter.ts'
import type { LinkPolicy } from './link-policy.ts'
import type { ParseFilter } from './parse-filter.ts'

/** What parsing a page, and following a redirect, goes by. Rules are functions: each thread builds its own. */
export interface ParseRules {
  readonly reading: DocumentOptions
  readonly filter: DecidingFilter
  readonly links: LinkPolicy
  readonly scoring: Scoring
  readonly parseFilters: readonly ParseFilter[]
  /** What two visits are compared by. */
  readonly signature: 'md5' | 'text-profile'
  /** Whether a page that was fetched and could not be read is told from the others, down to its record: `db_parse_failed`. */
  readonly markFailed: boolean
}
