import { withoutUndefined } from '../../base/without-undefined.ts'
import type { CrawlMonitor } from './crawl-monitor.ts'
import { listHosts } from './list-hosts.ts'
import type { LiveCrawl } from './live-crawl.ts'
import type {
  HostList,
  HostQuery,
  LiveAction,
  LiveActionName,
  LiveActionResult,
  LiveReport,
  LiveSeries,
} from './live-report.ts'

/** The figures of a report that depend on the kind of crawl. */
export type CrawlDetails = Pick<LiveReport, 'activity' | 'due' | 'items' | 'rounds'>

export interface MonitoredCrawlParts {
  readonly identity: Pick<LiveReport, 'kind' | 'name' | 'command' | 'pid'>
  readonly monitor: CrawlMonitor
  readonly now: () => number
  /** Pages after which the run ends. @default no limit */
  readonly maxPages?: number | undefined
  readonly state: () => LiveReport['state']
  readonly details: () => CrawlDetails | Promise<CrawlDetails>
  /** The actions that work for this crawl now. */
  readonly actions: () => LiveActions
}

/** What each action does. Absent: the crawl does not support it. */
export type LiveActions = {
  readonly [Name in LiveActionName]?: (
    action: Extract<LiveAction, { readonly action: Name }>,
  ) => LiveActionResult | Promise<LiveActionResult>
}

/** A crawl in this process, for those who watch it. */
export class MonitoredCrawl implements LiveCrawl {
  readonly #parts: MonitoredCrawlParts

  constructor(parts: MonitoredCrawlParts) {
    this.#parts = parts
  }

  async report(): Promise<LiveReport> {
    const { identity, monitor, now, state, details, actions } = this.#parts
    const { fetcher, robots } = monitor.source ?? {}
    const counts = fetcher?.counts()
    const { due, activity, items, rounds } = await details()
    const queued = counts?.queued ?? 0
    const inFlight = fetcher?.active ?? 0
    return {
      ...identity,
      startedAt: Math.round(monitor.startedAt),
      at: Math.round(now()),
      state: state(),
      lastProgressAt: Math.round(monitor.lastProgressAt),
      totals: monitor.totals,
      rates: monitor.rates,
      inFlight,
      queued,
      ...withoutUndefined({ due, activity, items, process: monitor.process }),
      ...withoutUndefined({ etaSeconds: this.#etaSeconds(queued + inFlight + (due ?? 0)) }),
      outcomes: monitor.outcomes,
      failures: monitor.failures,
      responseTimes: monitor.responseTimes,
      hosts: {
        known: counts === undefined ? 0 : counts.queues + counts.parked + counts.idle,
        parked: counts?.parked ?? 0,
        robotsFailed: robots?.failed ?? 0,
      },
      rounds,
      actions: Object.keys(actions()) as LiveActionName[],
    }
  }

  series(): Promise<LiveSeries> {
    return Promise.resolve(this.#parts.monitor.series())
  }

  hosts(query: HostQuery): Promise<HostList> {
    return Promise.resolve(listHosts(this.#parts.monitor, query))
  }

  async act(action: LiveAction): Promise<LiveActionResult> {
    const actions = this.#parts.actions()
    const run = (Object.hasOwn(actions, action.action) ? actions[action.action] : undefined) as
      | ((action: LiveAction) => LiveActionResult | Promise<LiveActionResult>)
      | undefined
    if (run === undefined)
      return {
        ok: false,
        message: `this crawl has no action ${action.action}; it has ${Object.keys(actions).join(', ')}`,
      }
    if (this.#parts.state() === 'finished') return { ok: false, message: 'the crawl has ended' }
    try {
      return await run(action)
    } catch (error) {
      return { ok: false, message: error instanceof Error ? error.message : String(error) }
    }
  }

  /**
   * At the rate of the last minute, until the queue is empty or the run has all the pages it may fetch. `undefined` if it makes no sense: the crawl does not run, nothing is left, or no request has ended in the
   * last minute. New links make it an underestimate, as they do for every crawl that still finds pages.
   */
  #etaSeconds(left: number): number | undefined {
    const { monitor, state, maxPages = Number.POSITIVE_INFINITY } = this.#parts
    const { requestsPerSecond } = monitor.ratesOfMinute
    if (left === 0 || requestsPerSecond === 0 || state() !== 'running') return undefined
    const allowed = Math.max(0, maxPages - monitor.totals.pages)
    return Math.ceil(Math.min(left, allowed) / requestsPerSecond)
  }
}
