import { releaseBytes } from '../../base/release-bytes.ts'
import type { PageRecord } from '../../domain/segment/segment-rows.ts'
import type { SegmentAppender } from '../../domain/segment/segment-store.ts'
import { fingerprint64 } from '../../domain/url/fingerprint.ts'
import { type FetchResult, FetchTally } from './fetch-result.ts'
import type { FetchTask, TaskEntry } from './fetch-task.ts'

/** A fetch list, or the rest of one, and the appender for its rows. */
export interface SegmentToFetch {
  readonly name: string
  readonly entries: AsyncIterable<readonly TaskEntry[]>
  readonly appender: SegmentAppender
  /**
   * How many rows of this run (`FetchLoop.recorded`) were known when the list was made. URLs that got their row later are not fetched again.
   * @default all
   */
  readonly rowsKnown?: number
  /** The first URLs are fetched; the others stay without a row, for another run. @default all */
  readonly maxUrls?: number
  /** Redirect targets that an earlier run has recorded in this segment. They are not fetched again. @default none */
  readonly followed?: readonly string[]
  /**
   * For a list that a fleet works on: called for each URL that stays without a row. Redirects are then followed by the process that offers the list,
   * as other workers may own the hosts of the targets. @default the list is not shared
   */
  readonly onLeft?: (url: string) => void
}

/** The state of one fetch list in the loop: its URLs in flight and the counts of the others. */
export class FetchList {
  readonly name: string
  readonly entries: AsyncIterable<readonly TaskEntry[]>
  readonly finished: Promise<FetchResult>
  readonly rowsKnown: number
  readonly maxUrls: number
  /** Other workers fetch it, too. */
  readonly isShared: boolean
  /** Redirect targets that were followed, by URL. A target without a result is removed again. */
  readonly hops = new Map<string, FetchTask>()
  readonly #appender: SegmentAppender
  readonly #onLeft: (url: string) => void
  readonly #startedAt: number
  readonly #urls = new Set<bigint>()
  readonly #tally = new FetchTally()
  readonly #settle: PromiseWithResolvers<FetchResult>
  /** Redirect targets that have a row and are not on the list, as far as it was read. */
  readonly #targets = new Set<string>()
  #open = 0
  #recorded = 0
  #readToEnd = false
  #complete = true
  #closed = false

  constructor(segment: SegmentToFetch, now: number) {
    const { name, entries, appender, rowsKnown = Number.POSITIVE_INFINITY, followed = [] } = segment
    this.name = name
    this.rowsKnown = rowsKnown
    this.maxUrls = segment.maxUrls ?? Number.POSITIVE_INFINITY
    this.entries = entries
    this.#appender = appender
    this.isShared = segment.onLeft !== undefined
    this.#onLeft = segment.onLeft ?? (() => {})
    this.#startedAt = now
    for (const url of followed) this.#urls.add(fingerprint64(url))
    this.#settle = Promise.withResolvers()
    this.finished = this.#settle.promise
  }

  /** URLs of the list with a row. Redirect targets that are not on the list are not counted. */
  get recorded(): number {
    return this.#recorded - this.#targets.size
  }

  /** The list is done or has failed: no more rows are written. */
  get closed(): boolean {
    return this.#closed
  }

  /** The same as a function, for all tasks of the list. */
  readonly isClosed = (): boolean => this.#closed

  has(url: string): boolean {
    return this.hops.has(url) || this.#urls.has(fingerprint64(url))
  }

  /** To be called for each URL of the list and each redirect target. */
  enter(task: FetchTask): void {
    this.#open++
    if (task.listed) this.#urls.add(fingerprint64(task.url))
    else this.hops.set(task.url, task)
  }

  /** A redirect led to a URL of the list first, and its row is the row of this URL, too. Returns `false` if none did. */
  listHop(url: string): boolean {
    const hop = this.hops.get(url)
    if (hop === undefined) return false
    hop.listed = true
    this.#targets.delete(url)
    return true
  }

  /** Writes the record of a task. Await the promise to write no faster than the disk. */
  async record(page: PageRecord): Promise<void> {
    if (this.#closed) return
    this.#tally.add(page.fetch)
    this.#recorded++
    const { url } = page.fetch
    if (this.hops.get(url)?.listed === false) this.#targets.add(url)
    this.#appender.add(page).catch((error: unknown) => this.fail(error))
    if (page.content !== undefined) releaseBytes(page.content.body)
    if (page.packed !== undefined) releaseBytes(page.packed)
    await this.#appender.room()
  }

  /** Resolves when there is room for more rows. */
  room(): Promise<void> {
    return this.#appender.room()
  }

  /** To be called once for each task that entered. */
  leave(now: number): void {
    this.#open--
    this.#closeIfDone(now)
  }

  /** The list is read to its end; `complete` unless URLs were left for another run. */
  endOfList(complete: boolean, now: number): void {
    this.#readToEnd = true
    this.#complete &&= complete
    this.#closeIfDone(now)
  }

  /** A URL of the list stays without a row, for another run. */
  leaveForLater(url: string): void {
    this.#complete = false
    this.#onLeft(url)
  }

  /** The list cannot be read, or its rows cannot be written. */
  fail(error: unknown): void {
    this.#closed = true
    this.#settle.reject(error)
  }

  #closeIfDone(now: number): void {
    if (this.#open > 0 || !this.#readToEnd || this.#closed) return
    this.#closed = true
    this.#settle.resolve({
      segment: this.name,
      complete: this.#complete,
      ...this.#tally.result(),
      ...(this.#targets.size > 0 && { redirectTargets: this.#targets.size }),
      durationMs: now - this.#startedAt,
    })
  }
}
