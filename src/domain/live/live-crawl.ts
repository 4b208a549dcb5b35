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
  report(): Promise<LiveReport>
  /** The history of the run, for a chart. */
  series(): Promise<LiveSeries>
  hosts(query: HostQuery): Promise<HostList>
  /** Rejects only if the crawl cannot be reached. */
  act(action: LiveAction): Promise<LiveActionResult>
}
