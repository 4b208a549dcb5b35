import type { RobotsFailure } from '../../domain/robots/robots-cache.ts'
import { FailureTally, type FetchFailure } from '../../domain/segment/fetch-failure.ts'
import type { HostFigures } from '../../domain/segment/host-tally.ts'
import type { FetchRow, FetchRowStatus } from '../../domain/segment/segment-rows.ts'
import type { FetchCount } from '../../domain/segment/segment-store.ts'

/** The result of one fetch list. */
export interface FetchResult {
  readonly segment: string
  /** Every URL of the list has its row. `false`: the run was interrupted, and the next run continues. */
  readonly complete: boolean
  /** Rows by fetch status and by protocol status; followed redirects have rows of their own. */
  readonly statuses: Readonly<Partial<Record<FetchRowStatus, number>>>
  readonly protocolStatuses: Readonly<Record<string, number>>
  /** Rows of redirect targets that are not on the list. @default 0; not known if a fleet fetched the list */
  readonly redirectTargets?: number
  /** Why URLs were not reached, and how many. */
  readonly notReached: Readonly<Record<string, number>>
  /** Fetches without a page, by kind, most frequent first; URLs that were not reached are included. */
  readonly failures: readonly FetchFailure[]
  /** Slow and failing hosts among those that this process requested. Absent if a fleet fetched the list. */
  readonly hosts?: HostFigures
  /** Sites whose robots.txt could not be fetched by this process. */
  readonly robotsFailures?: readonly RobotsFailure[]
  /** Bodies, decoded. */
  readonly bytes: number
  readonly durationMs: number
}

/** Counts rows. */
export class FetchTally {
  readonly statuses: Partial<Record<FetchRowStatus, number>> = {}
  readonly protocolStatuses: Record<string, number> = {}
  readonly notReached: Record<string, number> = {}
  readonly #failures = new FailureTally()
  bytes = 0

  add(row: FetchRow, count = 1): void {
    const { status, protocolStatus, bytes = 0, reason = '' } = row
    this.#failures.add(row, count)
    this.statuses[status] = (this.statuses[status] ?? 0) + count
    this.protocolStatuses[protocolStatus] = (this.protocolStatuses[protocolStatus] ?? 0) + count
    if (status === 'not_reached') this.notReached[reason] = (this.notReached[reason] ?? 0) + count
    this.bytes += bytes
  }

  addAll({ row, fetches }: FetchCount): void {
    this.add(row, fetches)
  }

  result(): Pick<FetchResult, 'statuses' | 'protocolStatuses' | 'notReached' | 'failures' | 'bytes'> {
    const { statuses, protocolStatuses, notReached, bytes } = this
    return { statuses, protocolStatuses, notReached, failures: this.#failures.failures(), bytes }
  }
}
