import type { DuplicateRule } from './duplicate-order.ts'

export interface DedupRequest {
  /** Only pages of one host or domain count as duplicates of one another. @default 'none' */
  readonly group?: 'none' | 'host' | 'domain'
  /** @default DEFAULT_DUPLICATE_ORDER */
  readonly order?: readonly DuplicateRule[]
}

export interface DedupResult {
  /** Contents that several pages have. */
  readonly groups: number
  readonly duplicates: number
}
