import type { LeasedRequest } from '../frontier/frontier.ts'
import type { Settlement } from '../frontier/settlement.ts'
import { hostOf } from '../url/host-of.ts'
import { NO_YIELD } from './page-work.ts'
import type { RequestVisits } from './request-visits.ts'
import { SITEMAP_HANDLER } from './sitemap-start.ts'
import { HostLimit, isPage } from './spider-limits.ts'
import type { StatsCounter } from './spider-stats.ts'

export interface LimitedVisitsOptions {
  /** @default without end */
  readonly maxPagesPerHost?: number
  /** Of earlier runs. */
  readonly hostPages?: Iterable<readonly [host: string, pages: number]>
}

/** Visits, as long as the host of a request may have more pages. */
export class LimitedVisits {
  readonly #visits: Pick<RequestVisits, 'visit'>
  readonly #stats: StatsCounter
  readonly #limit: HostLimit | undefined

  constructor(
    visits: Pick<RequestVisits, 'visit'>,
    stats: StatsCounter,
    { maxPagesPerHost, hostPages }: LimitedVisitsOptions,
  ) {
    this.#visits = visits
    this.#stats = stats
    if (maxPagesPerHost !== undefined) this.#limit = new HostLimit(maxPagesPerHost, hostPages)
  }

  /** Rejects for what is no fault of a server or of the spider. */
  async visit(leased: LeasedRequest): Promise<Settlement> {
    const { url, handler } = leased.request
    // A sitemap is no page of its host.
    if (this.#limit === undefined || handler === SITEMAP_HANDLER) return this.#visits.visit(leased)
    const host = hostOf(url)
    if (!(await this.#limit.take(host))) {
      this.#stats.skipped('host limit')
      return { id: leased.id, end: { kind: 'done' }, ...NO_YIELD }
    }
    const settlement = await this.#visits.visit(leased)
    this.#limit.ended(host, isPage(settlement))
    return settlement
  }
}
