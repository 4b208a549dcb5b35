import type { Clock } from '../../base/clock.ts'
import type { FetchOutcome } from '../fetch/fetch-outcome.ts'
import type { ObservedRequest, RequestObserver, UnsentRequest } from '../fetch/request-observer.ts'
import { HostTraffic } from './host-traffic.ts'
import { Latest } from './latest.ts'
import type {
  LiveFailure,
  LiveHistogram,
  LiveProcess,
  LiveRates,
  LiveSeries,
  LiveTotals,
} from './live-report.ts'
import { isErrorOutcome, isUsable, outcomeKind, outcomeReason } from './outcome-kind.ts'
import type { ReportSource } from './report-source.ts'
import { ResponseTimes } from './response-times.ts'
import { SeriesRecorder } from './series-recorder.ts'

export interface CrawlMonitorOptions {
  /** Figures of the process. Called every second. @default none */
  readonly processFigures?: () => LiveProcess
  /** Whether failed requests are listed as failures. A spider lists them itself, with their retries. @default true */
  readonly listsRequests?: boolean
}

/**
 * Counts the requests of a running crawl and their outcomes. A request costs a few additions; everything else is done once per second, or
 * when a report is made.
 */
export class CrawlMonitor implements RequestObserver {
  readonly startedAt: number
  readonly traffic = new HostTraffic()
  readonly #clock: Clock
  readonly #options: CrawlMonitorOptions
  readonly #outcomes = new Map<string, { count: number }>()
  readonly #failures = new Latest<LiveFailure>(50)
  readonly #responseTimes = new ResponseTimes()
  readonly #series: SeriesRecorder
  #source: ReportSource | undefined
  /** Counts of earlier sources. */
  #before = { pages: 0, retries: 0, items: 0, rejectedItems: 0 }
  #requests = 0
  #robotsRequests = 0
  #bytes = 0
  #errors = 0
  #redirects = 0
  #disallowed = 0
  #lastProgressAt: number
  #process: LiveProcess | undefined
  #cancelTick = (): void => {}

  constructor(clock: Clock, options: CrawlMonitorOptions = {}) {
    this.#clock = clock
    this.#options = options
    this.startedAt = clock.now()
    this.#lastProgressAt = this.startedAt
    this.#series = new SeriesRecorder(this.startedAt)
  }

  /** The source that sends requests now. */
  get source(): ReportSource | undefined {
    return this.#source
  }

  /** @param source replaces the one before */
  attach(source: ReportSource): void {
    this.#before = this.#growing()
    this.#source = source
  }

  /** Records the figures of each second, until `stop`. */
  start(): void {
    this.#cancelTick = this.#clock.after(1_000, () => {
      this.start()
      this.#record()
    })
  }

  stop(): void {
    this.#cancelTick()
    this.#record()
  }

  sent({ purpose }: ObservedRequest): void {
    this.#requests++
    if (purpose === 'robots') this.#robotsRequests++
  }

  ended(request: ObservedRequest, outcome: FetchOutcome | undefined): void {
    if (outcome === undefined) return
    const { totalMs } = outcome.timings
    const isError = isErrorOutcome(outcome)
    if (isError) this.#errors++
    if (outcome.kind === 'moved') this.#redirects++
    if ('body' in outcome && outcome.body !== undefined) this.#bytes += outcome.body.wireBytes
    if ('response' in outcome) {
      this.#responseTimes.add(totalMs)
      this.#lastProgressAt = request.startedAt + totalMs
    }
    this.traffic.count(request.key, request.url, totalMs, isError)
    // A missing robots.txt or script is not a missing page. If a robots.txt fails, its pages are reported as not sent.
    if (request.purpose !== 'page') return
    this.#countOutcome(outcomeKind(outcome))
    if (!isUsable(outcome)) this.#listFailure(request, outcome)
  }

  disallowed(url: string, key: string): void {
    this.traffic.seen(key, url)
    this.#disallowed++
    this.#countOutcome('robots-disallowed')
  }

  unsent({ url, key, kind, reason, retryAt, outcome }: UnsentRequest): void {
    const code = outcome === undefined ? kind : outcomeKind(outcome)
    this.traffic.seen(key, url)
    this.#countOutcome(code)
    if (outcome !== undefined) this.#listFailure({ url, key }, outcome)
    else if (this.#options.listsRequests !== false)
      this.failed({
        at: this.#clock.now(),
        url,
        host: key,
        code,
        reason,
        ...(retryAt !== undefined && { retryAt }),
      })
  }

  /** Adds a failure to the latest ones. */
  failed(failure: LiveFailure): void {
    this.#failures.add(failure)
  }

  get totals(): LiveTotals {
    return {
      requests: this.#requests,
      bytes: this.#bytes,
      errors: this.#errors,
      redirects: this.#redirects,
      robotsRequests: this.#robotsRequests,
      robotsDisallowed: this.#disallowed,
      ...this.#growing(),
    }
  }

  /** Averages over the last five seconds. */
  get rates(): LiveRates {
    return this.#series.rates(5)
  }

  /** Averages over the last minute, for estimates. */
  get ratesOfMinute(): LiveRates {
    return this.#series.rates(60)
  }

  get outcomes(): Readonly<Record<string, number>> {
    const counts = [...this.#outcomes].map(([kind, { count }]) => [kind, count] as const)
    return Object.fromEntries(counts.sort(([, a], [, b]) => b - a))
  }

  get failures(): readonly LiveFailure[] {
    return this.#failures.newestFirst()
  }

  get responseTimes(): LiveHistogram {
    return this.#responseTimes.histogram()
  }

  get lastProgressAt(): number {
    return this.#lastProgressAt
  }

  get process(): LiveProcess | undefined {
    return this.#process
  }

  series(): LiveSeries {
    return { points: this.#series.points() }
  }

  #growing() {
    const { pages = 0, retries = 0, items = 0, rejectedItems = 0 } = this.#source ?? {}
    return {
      pages: this.#before.pages + pages,
      retries: this.#before.retries + retries,
      items: this.#before.items + items,
      rejectedItems: this.#before.rejectedItems + rejectedItems,
    }
  }

  #record(): void {
    const { active = 0, queued = 0 } = this.#source?.fetcher ?? {}
    this.#series.record(this.#clock.now(), this.totals, { inFlight: active, queued })
    this.#process = this.#options.processFigures?.()
  }

  #countOutcome(kind: string): void {
    const known = this.#outcomes.get(kind)
    if (known === undefined) this.#outcomes.set(kind, { count: 1 })
    else known.count++
  }

  #listFailure({ url, key }: Pick<ObservedRequest, 'url' | 'key'>, outcome: FetchOutcome): void {
    if (this.#options.listsRequests === false) return
    const retryAt = 'retryAt' in outcome ? outcome.retryAt : undefined
    this.failed({
      at: this.#clock.now(),
      url,
      host: key,
      code: outcomeKind(outcome),
      reason: outcomeReason(outcome),
      ...(retryAt !== undefined && { retryAt }),
    })
  }
}
