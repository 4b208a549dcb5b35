import type { Settlement } from '../../domain/frontier/settlement.ts'
import type { SpiderEnd, SpiderLimit, SpiderLimits } from './spider-definition.ts'
import type { SpiderStats } from './spider-stats.ts'

/** The limit that was reached; `undefined`: none. @param pagesLeft until `maxPages` is reached */
export function reachedLimit(
  { maxItems, maxTimeSeconds }: SpiderLimits,
  { items, durationMs }: Pick<SpiderStats, 'items' | 'durationMs'>,
  pagesLeft: number,
): SpiderLimit | undefined {
  if (pagesLeft <= 0) return 'pages'
  if (maxItems !== undefined && items >= maxItems) return 'items'
  if (maxTimeSeconds !== undefined && durationMs >= maxTimeSeconds * 1_000) return 'time'
  return undefined
}

/** Whether a handler received the page, including a handler that failed and one that handles error statuses. */
export function isPage({ end, fetch }: Pick<Settlement, 'end' | 'fetch'>): boolean {
  return fetch?.status === 'fetch_success' || (end.kind === 'done' && (fetch?.httpStatus ?? 0) >= 400)
}

/** Limits the number of pages per host. */
export class HostLimit {
  readonly #max: number
  readonly #hosts = new Map<string, HostPages>()

  /** @param pages of earlier runs */
  constructor(max: number, pages: Iterable<readonly [host: string, pages: number]> = []) {
    this.#max = max
    for (const [host, count] of pages) this.#hostOf(host).pages = count
  }

  /** Whether one more page of the host may be fetched; then `ended` must be called. Waits while that depends on requests in flight. */
  async take(host: string): Promise<HostPages | undefined> {
    for (;;) {
      const own = this.#hostOf(host)
      if (own.pages >= this.#max) return undefined
      if (own.pages + own.underWay < this.#max) {
        own.underWay++
        return own
      }
      await new Promise<void>((resolve) => own.waiting.push(resolve))
    }
  }

  /** @param taken the result of `take` */
  ended(taken: HostPages, isPage: boolean): void {
    taken.underWay--
    if (isPage) taken.pages++
    // Wakes one request in its place, or all when the host has reached its limit.
    wake(taken, taken.pages < this.#max ? 1 : taken.waiting.length)
  }

  /**
   * Sets the pages of a host, as counted over all workers.
   * @param isNew other workers may have had the host: requests in flight belong to an earlier lease, and their pages are not stored
   */
  restore(host: string, pages: number, isNew: boolean): void {
    const own = this.#hostOf(host)
    if (isNew) this.#hosts.set(host, { pages, underWay: 0, waiting: [] })
    else own.pages = Math.max(own.pages, pages)
    wake(own, own.waiting.length)
  }

  #hostOf(host: string): HostPages {
    let own = this.#hosts.get(host)
    if (own === undefined) {
      own = { pages: 0, underWay: 0, waiting: [] }
      this.#hosts.set(host, own)
    }
    return own
  }
}

function wake({ waiting }: HostPages, n: number): void {
  for (const resolve of waiting.splice(0, n)) resolve()
}

interface HostPages {
  pages: number
  underWay: number
  readonly waiting: Array<() => void>
}

/** Whether a run has ended, and why. The first reason counts. */
export class RunEnd {
  readonly #onEnd: () => void
  #reason: SpiderEnd | undefined
  #failure: { readonly error: unknown } | undefined

  /** @param onEnd called with every reason */
  constructor(onEnd: () => void) {
    this.#onEnd = onEnd
  }

  /** `undefined`: the run continues. */
  get reason(): SpiderEnd | undefined {
    return this.#reason
  }

  because(reason: SpiderEnd): void {
    this.#reason ??= reason
    this.#onEnd()
  }

  /** An error that the crawl cannot continue after. */
  fail(error: unknown): void {
    this.#failure ??= { error }
    this.because('interrupted')
  }

  /** The result of the run. @throws the first error */
  result(): SpiderEnd {
    if (this.#failure !== undefined) throw this.#failure.error
    return this.#reason ?? 'finished'
  }
}
