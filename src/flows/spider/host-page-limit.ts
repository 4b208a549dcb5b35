import type { Clock } from '../../base/clock.ts'
import type { HostLease, LeasedRequest } from '../../domain/frontier/frontier.ts'
import type { Settlement } from '../../domain/frontier/settlement.ts'
import { notReachedRow } from '../../domain/segment/fetch-row.ts'
import { hostOf } from '../../domain/url/host-of.ts'
import { FILE_HANDLER } from './item-downloads.ts'
import { spiderFetchRow } from './outcome-processor.ts'
import { NO_OUTPUT } from './page-processor.ts'
import type { RequestProcessor } from './request-processor.ts'
import { SITEMAP_HANDLER } from './sitemap-start.ts'
import { HostLimit, isPage } from './spider-limits.ts'
import type { StatsCounter } from './spider-stats.ts'

const HOST_LIMIT = 'limits.maxPagesPerHost'

export interface HostPageLimitOptions {
  /** @default no limit */
  readonly maxPagesPerHost?: number
  /** Pages of each host in earlier runs, if the frontier does not count them. */
  readonly hostPages?: Iterable<readonly [host: string, pages: number]>
}

/** Processes requests while their host is below its page limit. */
export class HostPageLimit {
  readonly #requests: Pick<RequestProcessor, 'process'>
  readonly #clock: Clock
  readonly #stats: StatsCounter
  readonly #maxPagesPerHost: number | undefined
  readonly #limit: HostLimit | undefined

  constructor(
    clock: Clock,
    requests: Pick<RequestProcessor, 'process'>,
    stats: StatsCounter,
    { maxPagesPerHost, hostPages }: HostPageLimitOptions,
  ) {
    this.#clock = clock
    this.#requests = requests
    this.#maxPagesPerHost = maxPagesPerHost
    this.#stats = stats
    if (maxPagesPerHost !== undefined) this.#limit = new HostLimit(maxPagesPerHost, hostPages)
  }

  /** Takes over the pages that other workers have counted. To be called before the requests of the lease are processed. */
  restore({ pages, isNew = false }: HostLease): void {
    for (const [host, count] of pages ?? []) this.#limit?.restore(host, count, isNew)
  }

  /** Rejects for a failure that neither a server nor the spider caused. */
  async process(leased: LeasedRequest): Promise<Settlement> {
    const { url, handler } = leased.request
    // Sitemaps and files do not count as pages.
    if (this.#limit === undefined || handler === SITEMAP_HANDLER || handler === FILE_HANDLER)
      return this.#requests.process(leased)
    const host = hostOf(url)
    const taken = await this.#limit.take(host)
    if (taken === undefined) {
      this.#stats.skipped(HOST_LIMIT)
      const reason = `${HOST_LIMIT}: the host has its ${this.#maxPagesPerHost} pages`
      return {
        id: leased.id,
        end: { kind: 'done' },
        fetch: spiderFetchRow(notReachedRow({ url }, reason, this.#clock.now()), leased.request),
        ...NO_OUTPUT,
        dropped: { [HOST_LIMIT]: 1 },
      }
    }
    const settlement = await this.#requests.process(leased)
    const isCounted = isPage(settlement)
    this.#limit.ended(taken, isCounted)
    return isCounted ? { ...settlement, pageOf: host } : settlement
  }
}
