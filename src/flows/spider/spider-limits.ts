import type { Settlement } from '../../domain/frontier/settlement.ts'
import type { SpiderEnd, SpiderLimit, SpiderLimits } from './spider-definition.ts'
import type { SpiderStats } from './spider-stats.ts'

/** `undefined`: the crawl may go on. */
export function reachedLimit(
  { maxPages, maxItems, maxTimeSeconds }: SpiderLimits,
  { pages, items, durationMs }: Pick<SpiderStats, 'pages' | 'items' | 'durationMs'>,
): SpiderLimit | undefined {
  if (maxPages !== undefined && pages >= maxPages) return 'pages'
  if (maxItems !== undefined && items >= maxItems) return 'items'
  if (maxTimeSeconds !== undefined && durationMs >= maxTimeSeconds * 1_000) return 'time'
  return undefined
}

/** Whether a handler had it: also one that failed, or that wanted the page of an error. */
export function isPage({ end, visit }: Pick<Settlement, 'end' | 'visit'>): boolean {
  return visit?.status === 'fetch_success' || (end.kind === 'done' && (visit?.httpStatus ?? 0) >= 400)
}

/** Counts pages by host, where their number is limited. */
export class HostLimit {
  readonly #max: number
  readonly #hosts = new Map<string, HostPages>()

  /** @param pages of earlier runs */
  constructor(max: number, pages: Iterable<readonly [host: string, pages: number]> = []) {
    this.#max = max
    for (const [host, count] of pages) this.#hostOf(host).pages = count
  }

  /** Whether the host may be asked for one more page; if so, it is owed an `ended`. While that hangs on those under way, it waits for them. */
  async take(host: string): Promise<boolean> {
    const own = this.#hostOf(host)
    while (own.pages < this.#max) {
      if (own.pages + own.underWay < this.#max) {
        own.underWay++
        return true
      }
      await new Promise<void>((resolve) => own.waiting.push(resolve))
    }
    return false
  }

  ended(host: string, isPage: boolean): void {
    const own = this.#hostOf(host)
    own.underWay--
    if (isPage) own.pages++
    // One may go in its place; when the host is done with, nobody may.
    for (const resolve of own.waiting.splice(0, own.pages < this.#max ? 1 : own.waiting.length)) resolve()
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

interface HostPages {
  pages: number
  underWay: number
  readonly waiting: Array<() => void>
}

/** Whether a run has come to its end, and why. The first reason counts. */
export class RunEnd {
  readonly #onEnd: () => void
  #reason: SpiderEnd | undefined
  #failure: { readonly error: unknown } | undefined

  /** @param onEnd called with every reason */
  constructor(onEnd: () => void) {
    this.#onEnd = onEnd
  }

  /** `undefined`: the run goes on. */
  get reason(): SpiderEnd | undefined {
    return this.#reason
  }

  because(reason: SpiderEnd): void {
    this.#reason ??= reason
    this.#onEnd()
  }

  /** What went wrong is such that the crawl cannot go on. */
  fail(error: unknown): void {
    this.#failure ??= { error }
    this.because('interrupted')
  }

  /** When all is over. @throws what went wrong first */
  result(): SpiderEnd {
    if (this.#failure !== undefined) throw this.#failure.error
    return this.#reason ?? 'finished'
  }
}
