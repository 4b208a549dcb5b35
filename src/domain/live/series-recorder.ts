import type { LivePoint, LiveRates } from './live-report.ts'

/** Counts that only grow. */
export interface GrowingCounts {
  readonly pages: number
  readonly bytes: number
  readonly requests: number
  readonly errors: number
  readonly items: number
}

/** Keeps the figures of each of the last 600 seconds, and of each minute before, up to a week. */
export class SeriesRecorder {
  readonly #seconds: LivePoint[] = []
  readonly #minutes: LivePoint[] = []
  /** Seconds that are not a whole minute yet. */
  #minute: LivePoint | undefined
  #last: GrowingCounts = { pages: 0, bytes: 0, requests: 0, errors: 0, items: 0 }
  #lastAt: number

  constructor(now: number) {
    this.#lastAt = now
  }

  /** To be called about every second, with all counts so far. */
  record(now: number, counts: GrowingCounts, queues: Pick<LivePoint, 'inFlight' | 'queued'>): void {
    const seconds = (now - this.#lastAt) / 1_000
    if (seconds <= 0) return
    const { pages, bytes, requests, errors, items } = this.#last
    this.#seconds.push({
      at: Math.round(now),
      seconds,
      pages: counts.pages - pages,
      bytes: counts.bytes - bytes,
      requests: counts.requests - requests,
      errors: counts.errors - errors,
      items: counts.items - items,
      ...queues,
    })
    this.#last = counts
    this.#lastAt = now
    if (this.#seconds.length > MAX_SECONDS) this.#addToMinute(this.#seconds.shift() as LivePoint)
  }

  /** Oldest first. */
  points(): LivePoint[] {
    return [...this.#minutes, ...(this.#minute === undefined ? [] : [this.#minute]), ...this.#seconds]
  }

  /** Averages over the last `points` intervals. */
  rates(points: number): LiveRates {
    const last = this.#seconds.slice(-points)
    const seconds = Math.max(1e-3, sum(last, 'seconds'))
    return {
      pagesPerSecond: sum(last, 'pages') / seconds,
      bytesPerSecond: sum(last, 'bytes') / seconds,
      requestsPerSecond: sum(last, 'requests') / seconds,
      itemsPerSecond: sum(last, 'items') / seconds,
      errorsPerSecond: sum(last, 'errors') / seconds,
    }
  }

  #addToMinute(point: LivePoint): void {
    const minute = this.#minute === undefined ? point : mergedPoint(this.#minute, point)
    this.#minute = undefined
    // A tick is rarely exactly one second long.
    if (minute.seconds < 59.5) this.#minute = minute
    else this.#minutes.push(minute)
    if (this.#minutes.length > MAX_MINUTES) this.#minutes.shift()
  }
}

const MAX_SECONDS = 600
const MAX_MINUTES = 7 * 24 * 60

/** The interval of two that follow each other. */
export function mergedPoint(a: LivePoint, b: LivePoint): LivePoint {
  return {
    ...b,
    seconds: a.seconds + b.seconds,
    pages: a.pages + b.pages,
    bytes: a.bytes + b.bytes,
    requests: a.requests + b.requests,
    errors: a.errors + b.errors,
    items: a.items + b.items,
  }
}

function sum(points: readonly LivePoint[], figure: keyof GrowingCounts | 'seconds'): number {
  return points.reduce((total, point) => total + point[figure], 0)
}
