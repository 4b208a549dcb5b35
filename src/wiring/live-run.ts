import { type Clock, steadyClock } from '../base/clock.ts'
import { formatCount } from '../base/format-values.ts'
import type { RequestObserver } from '../domain/fetch/request-observer.ts'
import { allObservers } from '../domain/fetch/request-observer.ts'
import { CrawlMonitor } from '../domain/live/crawl-monitor.ts'
import type { LiveActionResult, LiveReport } from '../domain/live/live-report.ts'
import { type CrawlDetails, type LiveActions, MonitoredCrawl } from '../domain/live/monitored-crawl.ts'
import { operatorDelayProblem } from '../domain/live/operator-delay.ts'
import type { CrawlWatch, ReportSource } from '../domain/live/report-source.ts'
import { openProcessFigures } from './process-figures.ts'
import type { RunWatcher } from './run-watcher.ts'

export interface LiveRunOptions extends Pick<LiveReport, 'name' | 'command'> {
  readonly kind: 'cycle' | 'spider'
  readonly watchers: readonly RunWatcher[] | undefined
  /** Stops the run, as does the action `stop`. @default none */
  readonly signal: AbortSignal | undefined
  /** A steady clock. @default steadyClock */
  readonly clock?: Clock
  /** Pages after which the run ends. @default no limit */
  readonly maxPages?: number | undefined
}

/** Calls `work` with a run that can be watched. The watchers are told of its start and of its end, also after a failure. */
export async function withLiveRun<T>(
  options: LiveRunOptions,
  work: (run: LiveRun) => Promise<T>,
): Promise<T> {
  const { watchers = [] } = options
  const figures = openProcessFigures()
  const run = new LiveRun(options, () => figures.read())
  const live = new MonitoredCrawl(run.parts)
  run.monitor.start()
  const told: RunWatcher[] = []
  let result: T
  try {
    for (const watcher of watchers) {
      told.push(watcher)
      await watcher.started?.(live)
    }
    result = await work(run)
  } catch (error) {
    await run.close()
    figures.close()
    // The error of the run is more important than those of its watchers.
    await Promise.allSettled(told.map(async (watcher) => watcher.ended?.()))
    throw error
  }
  await run.close()
  figures.close()
  const ends = await Promise.allSettled(told.map(async (watcher) => watcher.ended?.()))
  for (const end of ends) if (end.status === 'rejected') throw end.reason
  return result
}

/** A run that is watched: collects its figures, and controls it. */
export class LiveRun implements CrawlWatch {
  readonly monitor: CrawlMonitor
  readonly observer: RequestObserver
  /** Aborted by the caller, or by the action `stop`. */
  readonly signal: AbortSignal
  readonly #options: LiveRunOptions
  readonly #clock: Clock
  readonly #stop = new AbortController()
  /** Delays that an operator set, by host. A worker has a new source for each segment. */
  readonly #delays = new Map<string, number>()
  readonly #closing: Array<() => Promise<void>> = []
  #details: () => CrawlDetails = () => ({ rounds: [] })
  #actions: LiveActions
  #isPaused = false
  #isPausedElsewhere = (): boolean => false
  #isFinished = false

  constructor(options: LiveRunOptions, processFigures: () => NonNullable<LiveReport['process']>) {
    const { clock = steadyClock, kind, watchers = [], signal } = options
    this.#options = options
    this.#clock = clock
    this.monitor = new CrawlMonitor(clock, { processFigures, listsRequests: kind === 'cycle' })
    const others = watchers.flatMap(({ observer }) => observer ?? [])
    this.observer = allObservers([this.monitor, ...others]) ?? this.monitor
    this.signal = signal === undefined ? this.#stop.signal : AbortSignal.any([signal, this.#stop.signal])
    this.#actions = {
      pause: () => this.#pause(),
      resume: () => this.#resume(),
      stop: () => this.#stopRun(),
      'set-delay': ({ host, delayMs }) => this.#setDelay(host.toLowerCase(), delayMs),
    }
  }

  get parts() {
    const { kind, name, command, maxPages } = this.#options
    return {
      identity: { kind, name, command, pid: process.pid },
      monitor: this.monitor,
      maxPages,
      now: () => this.#clock.now(),
      state: () => this.#state(),
      details: () => this.#details(),
      actions: () => this.#actions,
    }
  }

  attach(source: ReportSource): void {
    this.monitor.attach(source)
    if (this.#isPaused) source.fetcher.pause()
    for (const [host, ms] of this.#delays) source.fetcher.setOperatorDelay(host, ms)
  }

  /** The figures that only this kind of crawl has. */
  describe(details: () => CrawlDetails): void {
    this.#details = details
  }

  /** Adds actions, or replaces them. */
  offer(actions: LiveActions): void {
    this.#actions = { ...this.#actions, ...actions }
  }

  /** For a crawl that can be paused elsewhere: by an operator of the fleet. */
  pausedBy(isPaused: () => boolean): void {
    this.#isPausedElsewhere = isPaused
  }

  /** Replaces all delays that an operator set, for a crawl whose delays are set elsewhere: for the whole fleet. */
  replaceDelays(delays: ReadonlyMap<string, number>): void {
    const { fetcher } = this.monitor.source ?? {}
    for (const host of [...this.#delays.keys()]) {
      if (delays.has(host)) continue
      this.#delays.delete(host)
      fetcher?.setOperatorDelay(host, undefined)
    }
    for (const [host, ms] of delays) {
      if (this.#delays.get(host) === ms) continue
      this.#delays.set(host, ms)
      fetcher?.setOperatorDelay(host, ms)
    }
  }

  /** Called at the end of the run. */
  onClose(close: () => Promise<void>): void {
    this.#closing.push(close)
  }

  async close(): Promise<void> {
    this.#isFinished = true
    this.monitor.stop()
    for (const close of this.#closing) await close()
  }

  #state(): LiveReport['state'] {
    if (this.#isFinished) return 'finished'
    if (this.signal.aborted) return 'stopping'
    return this.#isPaused || this.#isPausedElsewhere() ? 'paused' : 'running'
  }

  #pause(): LiveActionResult {
    const { fetcher } = this.monitor.source ?? {}
    if (this.#isPaused) return { ok: true, message: 'the crawl is already paused' }
    this.#isPaused = true
    fetcher?.pause()
    const { active = 0 } = fetcher ?? {}
    const finishing =
      active === 0
        ? ''
        : `; ${formatCount(active, 'request')} in flight ${active === 1 ? 'is' : 'are'} finished`
    return { ok: true, message: `the crawl is paused${finishing}` }
  }

  #resume(): LiveActionResult {
    if (!this.#isPaused) return { ok: true, message: 'the crawl is not paused' }
    this.#isPaused = false
    this.monitor.source?.fetcher.unpause()
    return { ok: true, message: 'the crawl is resumed' }
  }

  #stopRun(): LiveActionResult {
    if (this.signal.aborted) return { ok: true, message: 'the crawl is already stopping' }
    this.#stop.abort()
    return {
      ok: true,
      message: 'the crawl is stopping: requests in flight are finished, and the next run resumes',
    }
  }

  #setDelay(host: string, delayMs: number | null): LiveActionResult {
    const problem = operatorDelayProblem(host, delayMs)
    if (problem !== undefined) return { ok: false, message: problem }
    if (delayMs === null) this.#delays.delete(host)
    else this.#delays.set(host, delayMs)
    const { fetcher } = this.monitor.source ?? {}
    fetcher?.setOperatorDelay(host, delayMs ?? undefined)
    const effective = fetcher?.host(host).delay
    const wanted = delayMs === null ? 'the configured delay' : `${delayMs / 1_000} s`
    if (effective === undefined || effective.setBy === 'operator' || effective.setBy === 'config')
      return {
        ok: true,
        message: `the delay of ${host} is ${effective === undefined ? wanted : `${effective.delayMs / 1_000} s`}`,
      }
    const demand = `${Math.round(effective.delayMs / 100) / 10} s (${effective.setBy})`
    return {
      ok: true,
      message: `the delay of ${host} is set to ${wanted}; the host demands ${demand}, which stays in force`,
    }
  }
}
