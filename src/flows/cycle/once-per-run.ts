import { fingerprint64 } from '../../domain/url/fingerprint.ts'
import { RecentRows } from './recent-rows.ts'

/**
 * Ensures that a run fetches no page twice when redirects and fetch lists lead to the same one. While a redirect target is being fetched,
 * a list that has it waits for the result. URLs with recent rows are remembered, because the CrawlDb may not have them yet.
 */
export class OncePerRun {
  readonly #lists: Iterable<{ has(url: string): boolean }>
  readonly #recent = new RecentRows()
  /** Redirect targets that are being fetched, each with the tasks that wait for the result. */
  readonly #hops = new Map<string, Array<() => void>>()
  #rows = 0

  /** @param lists the fetch lists of the run; the set changes during the run */
  constructor(lists: Iterable<{ has(url: string): boolean }>) {
    this.#lists = lists
  }

  /** Rows recorded so far, of all lists. */
  get rows(): number {
    return this.#rows
  }

  /** Whether a URL is being fetched, or has a recent row. */
  has(url: string): boolean {
    for (const list of this.#lists) if (list.has(url)) return true
    return this.#recent.get(fingerprint64(url)) !== undefined
  }

  /** A URL gets its row. */
  count(url: string): void {
    this.#recent.set(fingerprint64(url), ++this.#rows)
  }

  /** Whether a URL got its row after the first `rowsKnown` of them. */
  isOvertaken(url: string, rowsKnown: number): boolean {
    return (this.#recent.get(fingerprint64(url)) ?? 0) > rowsKnown
  }

  /** A redirect target is being fetched, until `endHop`. */
  beginHop(url: string): void {
    this.#hops.set(url, [])
  }

  /** Calls `resume` when the URL is not being fetched as a redirect target; at once if it is not. */
  afterHop(url: string, resume: () => void): void {
    const waiting = this.#hops.get(url)
    if (waiting === undefined) resume()
    else waiting.push(resume)
  }

  /** Resumes the tasks that waited for a redirect target. Does nothing for any other URL. */
  endHop(url: string): void {
    const waiting = this.#hops.get(url)
    this.#hops.delete(url)
    for (const resume of waiting ?? []) resume()
  }
}
