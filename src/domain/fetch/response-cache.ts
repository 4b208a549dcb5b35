import type { FetchOutcome } from './fetch-outcome.ts'
import type { FetchRequest } from './fetcher.ts'

/** Answers kept from an earlier run, so that work on a spider need not ask a site again. */
export interface ResponseCache {
  /** `undefined`: it was never asked. */
  find(request: FetchRequest): Promise<FetchOutcome | undefined>
  /** Keeps what is worth keeping: responses, not failures of the network. */
  keep(request: FetchRequest, outcome: FetchOutcome): Promise<void>
}
