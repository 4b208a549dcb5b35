import type { Clock } from '../../base/clock.ts'
import type { EventLog } from '../../base/event-log.ts'
import { withoutUndefined } from '../../base/without-undefined.ts'
import type { FetchOutcome } from '../../domain/fetch/fetch-outcome.ts'
import type { FetchRequest, ResponseCache } from '../../domain/fetch/fetcher.ts'
import type { RenderMode } from '../../domain/fetch/page-renderer.ts'
import type { CrawlRequest } from '../../domain/frontier/crawl-request.ts'
import type { LeasedRequest } from '../../domain/frontier/frontier.ts'
import type { RequestEnd, RequestFailure, Settlement } from '../../domain/frontier/settlement.ts'
import type { RobotsRefusal } from '../../domain/politeness/polite-result.ts'
import { blockedOutcome, type PoliteResult } from '../../domain/politeness/polite-result.ts'
import type { RenderingFetcher } from '../../domain/politeness/rendering-fetcher.ts'
import { robotsRow } from '../../domain/segment/fetch-row.ts'
import { Drop } from './hooks.ts'
import { type OutcomeProcessor, spiderFetchRow } from './outcome-processor.ts'
import type { PagePermits } from './page-permits.ts'
import { NO_OUTPUT } from './page-processor.ts'
import { logSettlement } from './settlement-events.ts'
import { SITEMAP_HANDLER } from './sitemap-start.ts'
import type { SpiderCalls } from './spider-calls.ts'
import type { StatsCounter } from './spider-stats.ts'

/** Makes the settlement of a request from its outcome. */
export type RequestOutcomes = Pick<OutcomeProcessor, 'conclude' | 'retry' | 'fail' | 'noHandler'>

export interface RequestProcessorParts {
  readonly clock: Clock
  readonly fetcher: Pick<RenderingFetcher, 'fetch'>
  /** Whether a page is rendered. @default never */
  readonly renderMode?: (url: string, handler: string) => RenderMode
  readonly calls: Pick<SpiderCalls, 'room' | 'onRequest'>
  readonly outcomes: RequestOutcomes
  readonly stats: StatsCounter
  /** Why there is no handler of that name; `undefined` if there is one. */
  readonly handlerFault: (name: string) => string | undefined
  /** Whether the spider reads the bodies of error responses. */
  readonly keepErrorBodies: boolean
  /** The request to send, made in the slot of its host; `undefined`: none. @default made of its URL, method, headers and body */
  readonly prepare?: (leased: LeasedRequest, request: CrawlRequest) => Promise<FetchRequest | undefined>
  /** For the development of a spider: cached responses are not requested again. */
  readonly cache?: ResponseCache
  /** Absent: pages are not limited. */
  readonly permits?: PagePermits
  /** @default none */
  readonly log?: EventLog
}

/** Processes each leased request up to its settlement: runs the request hooks, fetches, and settles the result. */
export class RequestProcessor {
  readonly #parts: RequestProcessorParts

  constructor(parts: RequestProcessorParts) {
    this.#parts = parts
  }

  /** Rejects for a failure that neither a server nor the spider caused. */
  async process(leased: LeasedRequest): Promise<Settlement> {
    const { permits, log } = this.#parts
    let isCounted: boolean | undefined
    let settled: Settlement
    try {
      settled = await this.#settle(leased)
    } finally {
      isCounted = permits?.ended(leased.id)
    }
    if (isCounted === false) settled = settlement(leased, { kind: 'requeue' })
    if (log !== undefined) logSettlement(log, leased, settled)
    return settled
  }

  async #settle(leased: LeasedRequest): Promise<Settlement> {
    const { cache, outcomes, stats, handlerFault, fetcher } = this.#parts
    // The handler was renamed, or another program added the request. Its page could not be processed.
    const fault = handlerFault(leased.request.handler)
    if (fault !== undefined) return outcomes.noHandler(leased, fault)
    const cached = await cache?.find(this.#fetchRequest(leased.request))
    if (cached !== undefined) {
      if (!(await this.#isPermitted(leased))) return settlement(leased, { kind: 'requeue' })
      stats.skipped('cache: response found in it')
      return outcomes.conclude(leased, cached)
    }
    const hooked = new HookedRequest(leased)
    const { url, handler } = leased.request
    const render = handler === SITEMAP_HANDLER ? 'never' : this.#parts.renderMode?.(url, handler)
    const result = await fetcher.fetch({
      request: { url },
      ...withoutUndefined({ render }),
      priority: leased.rank,
      prepare: () => this.#prepare(hooked),
    })
    if (result.kind !== 'fetched') return this.#settleUnfetched(leased, hooked, result)
    try {
      return await this.#settleFetched({ ...leased, request: hooked.request }, result)
    } finally {
      result.release()
    }
  }

  /** Runs the request hooks, right before the request is sent. */
  async #prepare(hooked: HookedRequest): Promise<FetchRequest | undefined> {
    const { calls, prepare } = this.#parts
    hooked.isPermitted = await this.#isPermitted(hooked.leased)
    if (!hooked.isPermitted) return undefined
    try {
      await calls.room?.()
      const verdict = await calls.onRequest(hooked.request)
      if (verdict instanceof Drop) {
        hooked.drop = verdict
        return undefined
      }
      hooked.request = verdict
      return prepare === undefined ? this.#fetchRequest(verdict) : await prepare(hooked.leased, verdict)
    } catch (cause) {
      const reason = `a request hook threw: ${messageOf(cause)}`
      const stack = cause instanceof Error ? cause.stack : undefined
      hooked.failure = { code: 'hook-threw', reason, cause, ...withoutUndefined({ stack }) }
      return undefined
    }
  }

  /** Sitemaps do not count as pages. */
  async #isPermitted({ id, request }: LeasedRequest): Promise<boolean> {
    const { permits } = this.#parts
    return permits === undefined || request.handler === SITEMAP_HANDLER || permits.take(id)
  }

  async #settleFetched(
    leased: LeasedRequest,
    { outcome, aiUse }: Extract<PoliteResult, { kind: 'fetched' }>,
  ): Promise<Settlement> {
    const { outcomes, stats, cache } = this.#parts
    stats.fetched(outcome)
    await cache?.keep(this.#fetchRequest(leased.request), withoutTab(outcome))
    return outcomes.conclude(leased, outcome, aiUse)
  }

  async #settleUnfetched(
    leased: LeasedRequest,
    { drop, failure, isPermitted }: HookedRequest,
    result: Exclude<PoliteResult, { kind: 'fetched' }>,
  ): Promise<Settlement> {
    const { clock, outcomes, stats } = this.#parts
    switch (result.kind) {
      case 'interrupted':
        return settlement(leased, { kind: 'requeue' })
      case 'not-owned':
        return settlement(leased, { kind: 'requeue', at: clock.now() + NOT_OWNED_DELAY_MS })
      case 'dropped':
        if (!isPermitted) return settlement(leased, { kind: 'requeue' })
        if (failure !== undefined) return outcomes.fail(leased, failure, undefined)
        if (drop !== undefined) stats.skipped(drop.reason)
        return settlement(leased, { kind: 'done' })
      case 'unsendable': {
        const { error: cause } = result
        const reason = `the request cannot be sent: ${messageOf(cause)}`
        return outcomes.fail(leased, { code: 'not-sendable', reason, cause }, undefined)
      }
      case 'rejected':
        return outcomes.conclude(
          leased,
          blockedOutcome(leased.request.url, clock.now(), result.reason, result.retryAt),
        )
      case 'host-failed':
        return outcomes.conclude(leased, result.outcome)
      default:
        return this.#obeyRobots(leased, result)
    }
  }

  async #obeyRobots(leased: LeasedRequest, decision: RobotsRefusal): Promise<Settlement> {
    const { clock, stats, outcomes } = this.#parts
    const { url } = leased.request
    const row = spiderFetchRow(robotsRow({ url }, decision, clock.now()), leased.request)
    if (decision.kind === 'robots-unreachable') {
      const failure = { code: 'robots-unreachable', reason: decision.reason }
      return (
        outcomes.retry(leased, 'robots', failure, decision.retryAt) ?? outcomes.fail(leased, failure, row)
      )
    }
    stats.disallowed(url, decision.reason)
    return { ...settlement(leased, { kind: 'done' }), fetch: row }
  }

  #fetchRequest({ url, method, headers, body, base64, handler }: CrawlRequest): FetchRequest {
    return {
      url,
      ...withoutUndefined({ method, headers }),
      ...(body !== undefined && { body: base64 === true ? Buffer.from(body, 'base64') : body }),
      ...(handler === SITEMAP_HANDLER && { maxBodyBytes: MAX_SITEMAP_BYTES }),
      ...(this.#parts.keepErrorBodies && { keepErrorBody: true }),
    }
  }
}

/** A request, and the verdict of the page limit and the request hooks on it. */
class HookedRequest {
  readonly leased: LeasedRequest
  /** As the hooks changed it. */
  request: CrawlRequest
  isPermitted = true
  drop: Drop | undefined = undefined
  failure: (RequestFailure & { readonly cause: unknown }) | undefined = undefined

  constructor(leased: LeasedRequest) {
    this.leased = leased
    this.request = leased.request
  }
}

function settlement({ id }: LeasedRequest, end: RequestEnd): Settlement {
  return { id, end, ...NO_OUTPUT }
}

/** The tab of a rendered page cannot be stored. */
function withoutTab(outcome: FetchOutcome): FetchOutcome {
  if (outcome.kind !== 'success' || outcome.rendered === undefined) return outcome
  const { rendered: _, ...stored } = outcome
  return stored
}

function messageOf(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause)
}

/** Which worker owns the host becomes certain within seconds. */
const NOT_OWNED_DELAY_MS = 1_000
/** The limit of the sitemap protocol. */
const MAX_SITEMAP_BYTES = 50 * 1024 * 1024
