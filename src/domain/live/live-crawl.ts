import type {
  HostList,
  HostQuery,
  LiveAction,
  LiveActionResult,
  LiveReport,
  LiveSeries,
} from './live-report.ts'

/** A running crawl: in this process, in another one through its control socket, or in Redis. */
export interface LiveCrawl {
  /** The state of the crawl now. Rejects only if the crawl cannot be reached. */
  report(): Promise<LiveReport>
  /** The history of the run, for a chart. */
  series(): Promise<LiveSeries>
  /** Hosts of the crawl with their queues and throttle states. */
  hosts(query: HostQuery): Promise<HostList>
  /** Rejects only if the crawl cannot be reached. */
  act(action: LiveAction): Promise<LiveActionResult>
}
