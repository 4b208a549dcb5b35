import type { Clock } from '../../base/clock.ts'
import { ConfigurationError } from '../../base/crawl-error.ts'
import { withoutUndefined } from '../../base/without-undefined.ts'
import type { CrawlRequest } from '../../domain/frontier/crawl-request.ts'
import type { Added, Frontier } from '../../domain/frontier/frontier.ts'
import type { Admission } from './admission.ts'
import { RequestOutput } from './output.ts'
import { sitemapRequests } from './sitemap-start.ts'
import type { AnySpider } from './spider-definition.ts'
import type { SpiderScope } from './spider-scope.ts'
import type { StatsCounter } from './spider-stats.ts'

export interface StartFeederParts {
  readonly clock: Clock
  readonly frontier: Frontier
  readonly admission: Admission
  readonly scope: SpiderScope
  readonly stats: StatsCounter
  /** Fulfilled when there is room for more requests. */
  readonly room: () => Promise<void>
  /** Whether there is now. */
  readonly hasRoom: () => Promise<boolean>
  /** Called after requests were added. */
  readonly onAdded: () => void
}

/** Adds the start requests to the frontier as fast as they are needed, so that a generator may be endless. */
export class StartFeeder {
  readonly #parts: StartFeederParts
  readonly #stop = Promise.withResolvers<'stopped'>()
  #isStopped = false
  #batch: CrawlRequest[] = []

  constructor(parts: StartFeederParts) {
    this.#parts = parts
  }

  /** Whatever it waits for; what was not added comes again with the next run. */
  stop(): void {
    this.#isStopped = true
    this.#stop.resolve('stopped')
  }

  /** The starts are in the frontier already, brought by another process or an earlier run: only their hosts are of interest. */
  async skip({ start, sitemap }: AnySpider): Promise<void> {
    // A generator function is not run again.
    if (typeof start === 'function') return
    const list = withoutUndefined({ start, sitemap })
    for await (const known of startsOf(list)) this.#take(known, true)
    this.#batch = []
  }

  /**
   * Brings in what others leave, until it is stopped: batch after batch while there is room for more, else one every second, so that what
   * is wanted now does not wait for all that was in line before.
   */
  async readFrom(source: StartSource): Promise<void> {
    while (!this.#isStopped) {
      const taken = await this.#takeFrom(source)
      // Also without new requests: the engine then checks whether the crawl is finished.
      this.#parts.onAdded()
      if (taken > 0 && (await this.#parts.hasRoom())) continue
      const pause = Promise.withResolvers<void>()
      const cancel = this.#parts.clock.after(READ_EVERY_MS, pause.resolve)
      await Promise.race([pause.promise, this.#stop.promise])
      cancel()
    }
  }

  /** How many there were. A bad one is left out, and counted in the stats. */
  async #takeFrom(source: StartSource): Promise<number> {
    const batch = await source.take()
    if (batch.requests.length === 0) return 0
    const { admission, clock, scope, stats } = this.#parts
    const admitted: CrawlRequest[] = []
    for (const request of batch.requests) {
      const verdict = admission.admit(request, clock.now())
      if (!verdict.ok) stats.skipped('start: not a URL')
      else {
        scope.beginsAt(verdict.request.url)
        admitted.push(verdict.request)
      }
    }
    const { duplicates } = await batch.add(admitted)
    stats.duplicates += duplicates
    return batch.requests.length
  }

  /** Rejects with what the generator throws, and for a start URL that is none. */
  async feed(spider: AnySpider): Promise<void> {
    const iterator = startsOf(spider)[Symbol.asyncIterator]()
    try {
      for (;;) {
        const next = await this.#next(iterator)
        if (next === 'stopped') return
        if (next.done === true) break
        this.#take(next.value, typeof spider.start === 'function')
        if (this.#batch.length >= BATCH) {
          await this.#add()
          await Promise.race([this.#parts.room(), this.#stop.promise])
        }
      }
      await this.#add('complete')
    } finally {
      // Not awaited: a generator that hangs must not hold up the end, nor one that cannot end spoil it.
      iterator.return?.(undefined).catch(() => {})
    }
  }

  /** A generator that takes its time: what it brought so far need not wait for it. */
  async #next(iterator: AsyncIterator<string | RequestOutput>) {
    const next = Promise.race([this.#stop.promise, iterator.next()])
    if (this.#batch.length === 0) return next
    const slow = Promise.withResolvers<'slow'>()
    const cancel = this.#parts.clock.after(SLOW_MS, () => slow.resolve('slow'))
    try {
      if ((await Promise.race([next, slow.promise])) === 'slow') await this.#add()
    } finally {
      cancel()
    }
    return next
  }

  /** @param generated from a generator: an invalid URL is skipped and counted */
  #take(start: string | RequestOutput, generated: boolean): void {
    const { admission, clock, scope, stats } = this.#parts
    const output = typeof start === 'string' ? new RequestOutput(start) : start
    const admitted = admittedStart(() => admission.admit(output, clock.now()), output.href)
    if (!admitted.ok && generated) {
      stats.skipped('start: not a URL')
      return
    }
    if (!admitted.ok)
      throw new ConfigurationError(
        'START_URL_INVALID',
        `start: ${JSON.stringify(output.href)} cannot be crawled (${admitted.rule}); give absolute http or https URLs`,
      )
    scope.startsAt(admitted.request.url)
    this.#batch.push(admitted.request)
  }

  async #add(complete?: 'complete'): Promise<void> {
    const { frontier, stats, onAdded } = this.#parts
    if (this.#batch.length === 0 && complete === undefined) return
    const batch = this.#batch
    this.#batch = []
    const { duplicates } = await frontier.add(batch, complete)
    stats.duplicates += duplicates
    onAdded()
  }
}

/** @throws ConfigurationError for a start request that is a mistake of the spider */
function admittedStart<T>(admit: () => T, href: string): T {
  try {
    return admit()
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause)
    throw new ConfigurationError('START_URL_INVALID', `start: ${JSON.stringify(href)}: ${reason}`, { cause })
  }
}

const BATCH = 1_000
const SLOW_MS = 100
const READ_EVERY_MS = 1_000

async function* startsOf({
  start,
  sitemap,
}: Pick<AnySpider, 'start' | 'sitemap'>): AsyncGenerator<string | RequestOutput> {
  if (sitemap !== undefined) yield* sitemapRequests(sitemap)
  const list = typeof start === 'function' ? start() : start
  if (typeof list === 'string') yield list
  else if (list !== undefined) yield* list
}

/** A source of start requests that other programs push during the crawl. */
export interface StartSource {
  /** Empty when there are none. What was taken and never added, because the process died, is handed out again. */
  take(): Promise<StartBatch>
  /** What waits, and what was taken and is not added yet; the crawl is not finished before. */
  count(): Promise<number>
}

export interface StartBatch {
  readonly requests: readonly RequestOutput[]
  /**
   * Adds the resulting requests to the frontier and removes the messages from the source, atomically and once, even if another worker
   * got the same messages. Must also be called when there are no resulting requests.
   */
  add(requests: readonly CrawlRequest[]): Promise<Added>
}
