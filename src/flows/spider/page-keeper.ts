import type { FetchOutcome } from '../../domain/fetch/fetch-outcome.ts'
import type { FetchRow } from '../../domain/segment/segment-rows.ts'

/** Keeps the pages of a spider, beside what its handlers make of them. */
export interface PageKeeper {
  /**
   * Takes a page, when there is room for it; it need not be durable yet. Returns the row of its visit with what reading the page has added.
   * Rejects when nothing can be kept any more.
   */
  keep(visit: FetchRow, outcome: Extract<FetchOutcome, { readonly kind: 'success' }>): Promise<FetchRow>
}
