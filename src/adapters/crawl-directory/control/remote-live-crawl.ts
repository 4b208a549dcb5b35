import type { LiveCrawl } from '../../../domain/live/live-crawl.ts'
import type {
  HostList,
  HostQuery,
  LiveAction,
  LiveActionResult,
  LiveReport,
  LiveSeries,
} from '../../../domain/live/live-report.ts'
import { ControlClient } from './control-client.ts'
import { OwnerGone } from './control-error.ts'

/**
 * The crawl that another process runs in a crawl directory, through its control socket.
 * Methods reject with CrawlNotRunning while that process fetches nothing (inject, updatedb), and with OwnerGone when it has ended.
 */
export class RemoteLiveCrawl implements LiveCrawl {
  readonly #client: ControlClient

  /** @param directory the crawl directory */
  constructor(directory: string) {
    this.#client = new ControlClient(directory)
  }

  report(): Promise<LiveReport> {
    return this.#client.one('liveReport')
  }

  series(): Promise<LiveSeries> {
    return this.#client.one('liveSeries')
  }

  hosts(query: HostQuery): Promise<HostList> {
    return this.#client.one('liveHosts', [query])
  }

  act(action: LiveAction): Promise<LiveActionResult> {
    return this.#client.one('liveAct', [action])
  }
}

/** The crawl that runs in a crawl directory, in any process; `undefined` when none does. */
export async function findLiveCrawl(directory: string): Promise<RemoteLiveCrawl | undefined> {
  const client = new ControlClient(directory)
  if (!client.isOffered()) return undefined
  try {
    return (await client.one<boolean>('isLive')) ? new RemoteLiveCrawl(directory) : undefined
  } catch (error) {
    if (error instanceof OwnerGone) return undefined
    throw error
  }
}
