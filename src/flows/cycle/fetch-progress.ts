import type { RobotsFailure } from '../../domain/robots/robots-cache.ts'
import { CONTENT_STATUSES, type FetchRow, type FetchRowStatus } from '../../domain/segment/segment-rows.ts'

/** The progress of a fetch, for a status line. */
export interface FetchProgress {
  readonly elapsedMs: number
  /** Threads with and without a request. */
  readonly active: number
  readonly waiting: number
  /** Hosts with queued URLs, and hosts that are parked. */
  readonly queues: number
  readonly parked: number
  /** URLs in the host queues. */
  readonly queued: number
  /** Pages fetched, requests that failed, and bytes of bodies, decoded. */
  readonly pages: number
  readonly errors: number
  readonly bytes: number
  /** Rates in the last second. */
  readonly pagesPerSecond: number
  readonly kilobytesPerSecond: number
  /** Since the start. */
  readonly averagePagesPerSecond: number
  readonly statuses: Readonly<Partial<Record<FetchRowStatus, number>>>
  /** Absent if not known. */
  readonly robotsFailures?: readonly RobotsFailure[]
}

/** Counts the rows of all lists. */
export class FetchCounters {
  readonly #startedAt: number
  readonly #statuses: Partial<Record<FetchRowStatus, number>> = {}
  #pages = 0
  #errors = 0
  #bytes = 0
  #secondAgo = { at: 0, pages: 0, bytes: 0 }
  #last = { pages: 0, bytes: 0 }

  constructor(now: number) {
    this.#startedAt = now
    this.#secondAgo.at = now
  }

  /** Pages per second between the last two ticks. */
  get pagesLastSecond(): number {
    return this.#last.pages
  }

  get pages(): number {
    return this.#pages
  }

  add({ status, protocolStatus, bytes = 0 }: FetchRow): void {
    this.#statuses[status] = (this.#statuses[status] ?? 0) + 1
    if (CONTENT_STATUSES.includes(status)) this.#pages++
    if (protocolStatus === 'EXCEPTION' || protocolStatus === 'FAILED') this.#errors++
    this.#bytes += bytes
  }

  /** To be called about every second: the rates are those between two calls. */
  tick(now: number): void {
    const seconds = (now - this.#secondAgo.at) / 1_000
    if (seconds <= 0) return
    this.#last = {
      pages: (this.#pages - this.#secondAgo.pages) / seconds,
      bytes: (this.#bytes - this.#secondAgo.bytes) / seconds,
    }
    this.#secondAgo = { at: now, pages: this.#pages, bytes: this.#bytes }
  }

  progress(now: number, queues: Pick<FetchProgress, QueueFigures>): FetchProgress {
    const elapsedMs = now - this.#startedAt
    return {
      elapsedMs,
      ...queues,
      pages: this.#pages,
      errors: this.#errors,
      bytes: this.#bytes,
      pagesPerSecond: this.#last.pages,
      kilobytesPerSecond: this.#last.bytes / 1_000,
      averagePagesPerSecond: elapsedMs > 0 ? (this.#pages * 1_000) / elapsedMs : 0,
      statuses: { ...this.#statuses },
    }
  }
}

type QueueFigures = 'active' | 'waiting' | 'queues' | 'parked' | 'queued'
