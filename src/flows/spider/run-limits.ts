import type { Clock } from '../../base/clock.ts'
import type { LeasedRequest } from '../../domain/frontier/frontier.ts'
import type { Settlement } from '../../domain/frontier/settlement.ts'
import { FILE_HANDLER, type ItemDownloads } from './item-downloads.ts'
import type { PagePermits } from './page-permits.ts'
import { NO_OUTPUT } from './page-processor.ts'
import type { SpiderLimit, SpiderLimits } from './spider-definition.ts'
import { reachedLimit } from './spider-limits.ts'

export interface RunLimitsParts {
  /** Absent: pages are not limited. */
  readonly permits: PagePermits | undefined
  readonly downloads: Pick<ItemDownloads, 'open'>
  readonly isFleet: boolean
  /** Items of this run so far. */
  readonly items: () => number
  /** Called when a limit ends the run; possibly more than once. */
  readonly onReached: (limit: SpiderLimit) => void
  /** Called once if the page limit is reached, and items wait for their files. */
  readonly onCompleting: () => void
}

/**
 * The limits of a run. At the page limit, the files of items whose pages count are downloaded first, and only requests for files are sent; in a fleet,
 * that is left to the next run.
 */
export class RunLimits {
  readonly #clock: Clock
  readonly #limits: SpiderLimits
  readonly #parts: RunLimitsParts
  readonly #startedAt: number
  #isCompleting = false

  constructor(clock: Clock, limits: SpiderLimits, parts: RunLimitsParts) {
    this.#clock = clock
    this.#limits = limits
    this.#parts = parts
    this.#startedAt = clock.now()
  }

  /** Called after each page: a snapshot of all stats would cost more than the page. */
  check(): void {
    const durationMs = this.#clock.now() - this.#startedAt
    const limit = reachedLimit(this.#limits, { items: this.#parts.items(), durationMs }, this.#pagesLeft())
    if (limit !== undefined) this.reached(limit)
  }

  reached(limit: SpiderLimit): void {
    const { isFleet, downloads, permits, onReached, onCompleting } = this.#parts
    const hasFiles = limit === 'pages' && !isFleet && downloads.open > 0
    if (!hasFiles) onReached(limit)
    if (!hasFiles || this.#isCompleting) return
    this.#isCompleting = true
    permits?.stop()
    onCompleting()
  }

  /** How many requests may be taken in addition to those under way. */
  maxRequests(underWay: number): number {
    const { downloads } = this.#parts
    const most = this.#isCompleting ? Math.max(MIN_COMPLETING, downloads.open) : this.#pagesLeft()
    return most - underWay
  }

  /** The settlement of a page after the page limit: later, so that files come first. `undefined`: the request may be sent. */
  putOff({ id, request }: LeasedRequest): Settlement | undefined {
    if (!this.#isCompleting || request.handler === FILE_HANDLER) return undefined
    return { id, end: { kind: 'requeue', at: this.#clock.now() + LATER_MS }, ...NO_OUTPUT }
  }

  #pagesLeft(): number {
    return this.#parts.permits?.left ?? Number.POSITIVE_INFINITY
  }
}

const LATER_MS = 2_000
/** Requests to look through at once for files, when pages are not wanted any more. */
const MIN_COMPLETING = 64
