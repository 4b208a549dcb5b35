import type { CrawlSnapshot } from '../adapters/redis/inspect-crawl.ts'
import { withoutUndefined } from '../base/without-undefined.ts'
import type { FleetWorker } from '../domain/frontier/fleet.ts'
import type { LivePoint, LiveRates, LiveTotals, LiveWorker } from '../domain/live/live-report.ts'
import { SeriesRecorder } from '../domain/live/series-recorder.ts'

/**
 * Figures of a fleet over time, from snapshots of its counters. Workers of other versions may report other figures, and any program may have
 * written them: what is not a number is unknown.
 */
export class FleetFigures {
  readonly #workers = new Map<number, WorkerFigures>()
  #recorder: SeriesRecorder | undefined
  /** The counts when this process began to watch. */
  #base: Counts = NO_COUNTS
  #last: Counts = NO_COUNTS
  #bytesOfGone = 0

  /** To be called with each snapshot, about every second. */
  record(view: CrawlSnapshot): void {
    this.#recordWorkers(view.workers)
    const counts = this.#countsOf(view)
    // The crawl was cleared and started again.
    const isNew = counts.pages < this.#last.pages || counts.items < this.#last.items
    if (this.#recorder === undefined || isNew) {
      this.#recorder = new SeriesRecorder(view.now)
      this.#base = counts
    }
    this.#last = counts
    const { waiting, leased } = view.counts
    this.#recorder.record(view.now, difference(counts, this.#base), { inFlight: leased, queued: waiting })
  }

  get points(): LivePoint[] {
    return this.#recorder?.points() ?? []
  }

  get rates(): LiveRates {
    return this.#recorder?.rates(RATE_POINTS) ?? NO_RATES
  }

  totals({ counts }: CrawlSnapshot): LiveTotals {
    const { pages, bytes, requests, errors, items } = this.#last
    return {
      ...{ pages, bytes, requests, errors, items, retries: counts.retried },
      // Workers do not report them.
      ...{ redirects: 0, robotsRequests: 0, robotsDisallowed: 0, rejectedItems: 0 },
    }
  }

  workers(workers: readonly FleetWorker[]): LiveWorker[] {
    return workers.map(({ name, joinedAt, heardAt, expiresAt, hosts, leased, fence, status = {} }) => {
      const { pages, items, requests, errors, bytes } = numbersIn(status)
      const pagesPerSecond = this.#workers.get(fence)?.pagesPerSecond
      return {
        ...{ name, joinedAt, heardAt, expiresAt, hosts, leased },
        ...withoutUndefined({ pages, items, requests, errors, bytes, pagesPerSecond }),
      }
    })
  }

  #recordWorkers(workers: readonly FleetWorker[]): void {
    const fences = new Set(workers.map(({ fence }) => fence))
    for (const [fence, { bytes = 0 }] of this.#workers)
      if (!fences.has(fence)) {
        this.#bytesOfGone += bytes
        this.#workers.delete(fence)
      }
    for (const worker of workers) {
      const before = this.#workers.get(worker.fence)
      if (before?.heardAt !== worker.heardAt) this.#workers.set(worker.fence, figuresOf(worker, before))
    }
  }

  #countsOf({ counts: { done, failed, retried, items } }: CrawlSnapshot): Counts {
    let bytes = this.#bytesOfGone
    for (const worker of this.#workers.values()) bytes += worker.bytes ?? 0
    return { pages: done, errors: failed + retried, requests: done + failed + retried, items, bytes }
  }
}

interface WorkerFigures {
  readonly heardAt: number
  readonly pages?: number
  readonly bytes?: number
  readonly pagesPerSecond?: number
}

interface Counts {
  readonly pages: number
  readonly bytes: number
  readonly requests: number
  readonly errors: number
  readonly items: number
}

const NO_COUNTS: Counts = { pages: 0, bytes: 0, requests: 0, errors: 0, items: 0 }

const NO_RATES: LiveRates = {
  ...{ pagesPerSecond: 0, bytesPerSecond: 0, requestsPerSecond: 0, itemsPerSecond: 0, errorsPerSecond: 0 },
}

/** Workers report every five seconds, so the figures of that time are complete. */
const RATE_POINTS = 5

/** The rate since the report before; of the first report, the average that the worker gives. */
function figuresOf({ heardAt, status = {} }: FleetWorker, before: WorkerFigures | undefined): WorkerFigures {
  const { pages, bytes, pagesPerSecond: average } = numbersIn(status)
  const seconds = before === undefined ? 0 : (heardAt - before.heardAt) / 1000
  const isComparable = seconds > 0 && pages !== undefined && before?.pages !== undefined
  const pagesPerSecond = isComparable ? Math.max(0, (pages - (before.pages ?? 0)) / seconds) : average
  return { heardAt, ...withoutUndefined({ pages, bytes, pagesPerSecond }) }
}

type StatusNumbers = Partial<
  Record<'pages' | 'items' | 'requests' | 'errors' | 'bytes' | 'pagesPerSecond', number>
>

function numbersIn(status: NonNullable<FleetWorker['status']>): StatusNumbers {
  const numbers: StatusNumbers = {}
  for (const name of ['pages', 'items', 'requests', 'errors', 'bytes', 'pagesPerSecond'] as const) {
    const value = status[name]
    if (typeof value === 'number' && Number.isFinite(value) && value >= 0) numbers[name] = value
  }
  return numbers
}

function difference(a: Counts, b: Counts): Counts {
  return {
    pages: a.pages - b.pages,
    bytes: a.bytes - b.bytes,
    requests: a.requests - b.requests,
    errors: a.errors - b.errors,
    items: a.items - b.items,
  }
}
