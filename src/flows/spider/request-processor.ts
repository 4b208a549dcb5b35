import type { Clock } from '../../base/clock.ts'
import type { EventLog } from '../../base/event-log.ts'
import { withoutUndefined } from '../../base/without-undefined.ts'
import type { BlockEvidence } from '../../domain/fetch/block-evidence.ts'
import { type FetchOutcome, isProxyFailure } from '../../domain/fetch/fetch-outcome.ts'
import type { ResponseCache } from '../../domain/fetch/fetcher.ts'
import type { RenderMode } from '../../domain/fetch/page-renderer.ts'
import type { LeasedRequest } from '../../domain/frontier/frontier.ts'
import type { RequestEnd, Settlement } from '../../domain/frontier/settlement.ts'
import type { RobotsRefusal } from '../../domain/politeness/polite-result.ts'
import { blockedOutcome, type PoliteResult } from '../../domain/politeness/polite-result.ts'
import type { RenderingFetcher } from '../../domain/politeness/rendering-fetcher.ts'
import { robotsRow } from '../../domain/segment/fetch-row.ts'
import type { LiveSession } from './live-session.ts'
import { type OutcomeProcessor, outcomeRow, spiderFetchRow } from './outcome-processor.ts'
import { NO_OUTPUT } from './page-processor.ts'
import {
  HookedRequest,
  messageOf,
  RequestPreparer,
  type RequestPreparerParts,
  type SpiderSessions,
} from './request-preparer.ts'
import { logSettlement } from './settlement-events.ts'
import { SITEMAP_HANDLER } from './sitemap-start.ts'
import type { StatsCounter } from './spider-stats.ts'

/** Makes the settlement of a request from its outcome. */
export type RequestOutcomes = Pick<OutcomeProcessor, 'conclude' | 'retry' | 'fail' | 'noHandler' | 'pageOf'>

export interface RequestProcessorParts extends RequestPreparerParts {
  readonly clock: Clock
  readonly fetcher: Pick<RenderingFetcher, 'fetch'>
  /** Whether a page is rendered. @default never */
  readonly renderMode?: (url: string, handler: string) => RenderMode
  readonly outcomes: RequestOutcomes
  readonly stats: StatsCounter
  /** Why there is no handler of that name; `undefined` if there is one. */
  readonly handlerFault: (name: string) => string | undefined
  /**
   * Handlers run in other threads, and `calls.room` limits how many pages wait for them: the slot of a page is free when its response is
   * there. Otherwise requests and handlers would wait for each other. @default false: when its handler has returned
   */
  readonly freesSlotsEarly?: boolean
  /** For the development of a spider: cached responses are not requested again. */
  readonly cache?: ResponseCache
  /** @default none */
  readonly log?: EventLog
}

/** Processes each leased request up to its settlement: runs the request hooks, fetches, and settles the result. */
export class RequestProcessor {
  readonly #parts: RequestProcessorParts
  readonly #preparer: RequestPreparer

  constructor(parts: RequestProcessorParts) {
    this.#parts = parts
    this.#preparer = new RequestPreparer(parts)
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
    const { cache, outcomes, stats, handlerFault, sessions } = this.#parts
    // The handler was renamed, or another program added the request. Its page could not be processed.
    const fault = handlerFault(leased.request.handler)
    if (fault !== undefined) return outcomes.noHandler(leased, fault)
    const cached = await cache?.find(this.#preparer.fetchRequest(leased.request))
    if (cached !== undefined) {
      if (!(await this.#preparer.isPermitted(leased))) return settlement(leased, { kind: 'requeue' })
      stats.skipped('cache: response found in it')
      return outcomes.conclude(leased, cached)
    }
    if (sessions !== undefined) return this.#settleInSession(leased, sessions)
    const hooked = new HookedRequest(leased)
    const result = await this.#fetch(hooked)
    if (result.kind !== 'fetched') return this.#settleUnfetched(leased, hooked, result)
    try {
      return await this.#settleFetched({ ...leased, request: hooked.request }, result)
    } finally {
      result.release()
    }
  }

  /** The login comes before the request waits for its slot: it needs slots of the same host. */
  async #settleInSession(leased: LeasedRequest, sessions: SpiderSessions): Promise<Settlement> {
    const { clock, permits } = this.#parts
    for (let expiries = 0; ; ) {
      const session = await sessions.pool.acquire(leased.request)
      if (session === undefined)
        return settlement(leased, { kind: 'requeue', at: clock.now() + NO_SESSION_DELAY_MS })
      const hooked = new HookedRequest(leased, session)
      const result = await this.#fetch(hooked).finally(() => sessions.pool.release(session))
      if (result.kind === 'fetched') {
        try {
          const settled = await this.#settleOfSession(hooked, session, sessions, result, expiries)
          if (settled !== undefined) return settled
          expiries++
        } finally {
          result.release()
        }
      } else if (!hooked.isStale) return this.#settleUnfetched(leased, hooked, result)
      if (permits?.ended(leased.id) === false) return settlement(leased, { kind: 'requeue' })
    }
  }

  /** `undefined`: the session has expired, and the request is to be sent again. */
  async #settleOfSession(
    { leased, request, generation }: HookedRequest,
    session: LiveSession,
    { guard, pool }: SpiderSessions,
    result: Extract<PoliteResult, { kind: 'fetched' }>,
    expiries: number,
  ): Promise<Settlement | undefined> {
    const { outcomes, stats } = this.#parts
    const { outcome } = result
    const sent = { ...leased, request: { ...request, session: session.id } }
    if (!('response' in outcome)) {
      // Its own proxy does not work: the retry takes another session.
      if (session.proxy !== undefined && isProxyFailure(outcome)) pool.blocked(session, request.url)
      return this.#settleFetched(sent, result)
    }
    const verdict = await guard
      .judge(session, generation, outcomes.pageOf(sent, outcome))
      .catch((cause: unknown) => ({ cause }))
    if (verdict === 'fine') return this.#settleFetched(sent, result)
    stats.fetched(outcome)
    if (typeof verdict === 'object' && 'cause' in verdict) {
      const reason = `sessions.expired or sessions.blocked threw: ${messageOf(verdict.cause)}`
      return outcomes.fail(sent, { code: 'hook-threw', reason, cause: verdict.cause }, undefined)
    }
    if (verdict !== 'expired') return this.#settleBlocked(sent, verdict, outcome)
    if (expiries < MAX_EXPIRIES) return undefined
    const reason = `sessions.expired returned true after ${MAX_EXPIRIES} new logins`
    return outcomes.fail(sent, { code: 'session-expired', reason }, undefined)
  }

  /** The settlement of a block: a retry, which takes another session; without a retry left, a dead letter, or the page if its status is wanted. */
  async #settleBlocked(
    leased: LeasedRequest,
    { kind, evidence }: BlockEvidence,
    outcome: FetchOutcome,
  ): Promise<Settlement> {
    const { outcomes } = this.#parts
    // The back-off of the host decides when.
    if (kind === 'rate-limit') return outcomes.conclude(leased, outcome)
    const failure = { code: 'blocked', reason: `the website blocks this session: ${evidence}` }
    const retry = outcomes.retry(leased, 'blocked', failure)
    if (retry !== undefined) return retry
    if (outcome.kind !== 'success') return outcomes.conclude(leased, outcome)
    return outcomes.fail(leased, failure, outcomeRow(leased, outcome), outcomes.pageOf(leased, outcome))
  }

  #fetch(hooked: HookedRequest): Promise<PoliteResult> {
    const { fetcher, renderMode } = this.#parts
    const { request, rank } = hooked.leased
    const { url, handler } = request
    const render = handler === SITEMAP_HANDLER ? 'never' : renderMode?.(url, handler)
    return fetcher.fetch({
      request: { url },
      ...withoutUndefined({ render, session: hooked.session }),
      priority: rank,
      prepare: () => this.#preparer.prepare(hooked),
    })
  }

  async #settleFetched(
    leased: LeasedRequest,
    { outcome, aiUse, release }: Extract<PoliteResult, { kind: 'fetched' }>,
  ): Promise<Settlement> {
    const { outcomes, stats, cache, freesSlotsEarly = false } = this.#parts
    stats.fetched(outcome)
    // A rendered page has its tab until the end.
    if (freesSlotsEarly && !('rendered' in outcome)) release()
    await cache?.keep(this.#preparer.fetchRequest(leased.request), withoutTab(outcome))
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

/** Which worker owns the host becomes certain within seconds. */
const NOT_OWNED_DELAY_MS = 1_000
/** Other workers have all sessions. */
const NO_SESSION_DELAY_MS = 1_000
/** New logins for one request. */
const MAX_EXPIRIES = 2
