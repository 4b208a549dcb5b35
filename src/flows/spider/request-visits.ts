import type { Clock } from '../../base/clock.ts'
import { withoutUndefined } from '../../base/without-undefined.ts'
import type { FetchOutcome } from '../../domain/fetch/fetch-outcome.ts'
import type { FetchRequest } from '../../domain/fetch/fetcher.ts'
import { isAborted } from '../../domain/fetch/is-retryable.ts'
import type { ResponseCache } from '../../domain/fetch/response-cache.ts'
import type { CrawlRequest } from '../../domain/frontier/crawl-request.ts'
import type { LeasedRequest } from '../../domain/frontier/frontier.ts'
import type { Settlement } from '../../domain/frontier/settlement.ts'
import type { FetchSlots, Slot } from '../../domain/politeness/fetch-slots.ts'
import type { RobotsCheck, RobotsDecision } from '../../domain/politeness/robots-check.ts'
import { robotsRow } from '../../domain/segment/fetch-row.ts'
import { Drop } from './hooks.ts'
import { type OutcomeProcessor, spiderFetchRow } from './outcome-processor.ts'
import { NO_OUTPUT } from './page-processor.ts'
import { SITEMAP_HANDLER } from './sitemap-start.ts'
import type { SpiderCalls } from './spider-calls.ts'
import type { StatsCounter } from './spider-stats.ts'

export interface RequestVisitsParts {
  readonly clock: Clock
  readonly slots: FetchSlots
  readonly robots: RobotsCheck
  readonly calls: Pick<SpiderCalls, 'room' | 'onRequest'>
  readonly outcomes: OutcomeProcessor
  readonly stats: StatsCounter
  readonly keyOf: (url: string) => string
  /** Why no page can go to the handler of that name; `undefined` if one can. */
  readonly handlerFault: (name: string) => string | undefined
  /** Whether somebody looks at the pages of errors. */
  readonly keepErrorBodies: boolean
  /** For work on a spider: what it has is not asked again. */
  readonly cache?: ResponseCache
}

/** Leads each leased request through the queue of its host and robots.txt to its settlement. */
export class RequestVisits {
  readonly #parts: RequestVisitsParts
  #stopped = false

  constructor(parts: RequestVisitsParts) {
    this.#parts = parts
  }

  /** What waits is put back; what was broken off, too. */
  stop(): void {
    this.#stopped = true
    this.#parts.slots.cancelWaiting('interrupted')
  }

  /** After a `stop`. */
  goOn(): void {
    this.#stopped = false
  }

  /** Rejects for what is no fault of a server or of the spider. */
  async visit(leased: LeasedRequest): Promise<Settlement> {
    const { cache, outcomes, stats, handlerFault } = this.#parts
    // The handler was renamed, or another program wrote the request. Nothing would come of its page.
    const fault = handlerFault(leased.request.handler)
    if (fault !== undefined) return outcomes.noHandler(leased, fault)
    const kept = await cache?.find(this.#fetchRequest(leased.request))
    if (kept !== undefined) {
      stats.skipped('cache: response found in it')
      return outcomes.conclude(leased, kept)
    }
    return new Promise((settle, fail) => this.#queue({ leased, settle, fail, robotsLoads: 0 }))
  }

  #queue(visit: Visit): void {
    const { slots, keyOf } = this.#parts
    if (this.#stopped) this.#putBack(visit)
    else
      slots.add({
        key: keyOf(visit.leased.request.url),
        priority: visit.leased.rank,
        granted: (slot) => this.#granted(visit, slot).then(undefined, visit.fail),
        rejected: (why, until) => this.#rejected(visit, why, until),
      })
  }

  async #granted(visit: Visit, slot: Slot): Promise<void> {
    const { robots, slots, keyOf } = this.#parts
    const { url } = visit.leased.request
    const decision = robots.peek(url) ?? visit.decision
    if (decision?.kind === 'allowed') {
      slots.setCrawlDelay(keyOf(url), decision.crawlDelayMs)
      return this.#ask(visit, slot)
    }
    slot.pass()
    if (decision === undefined) this.#loadRobots(visit).catch(visit.fail)
    else await this.#obey(visit, decision)
  }

  async #ask(visit: Visit, slot: Slot): Promise<void> {
    const { clock, slots, calls, outcomes, stats, cache, keyOf } = this.#parts
    const { leased } = visit
    await calls.room?.()
    const request = await this.#hooked(visit, () => calls.onRequest(leased.request))
    if (request === undefined || request instanceof Drop) {
      slot.pass()
      if (request !== undefined) this.#drop(visit, request)
      return
    }
    const isOurs = slots.mayRequest(keyOf(leased.request.url))
    if (this.#stopped || !isOurs) {
      slot.pass()
      return this.#putBack(visit, isOurs ? undefined : clock.now() + NOT_OURS_MS)
    }
    const asked = this.#fetchRequest(request)
    const outcome = await slot.ask(asked).catch((error: unknown) => this.#unsendable(visit, error))
    if (outcome === undefined) return
    // By us: the crawl is stopped, or the host is no longer ours.
    if (isAborted(outcome)) return this.#putBack(visit)
    stats.asked(outcome)
    await cache?.keep(asked, outcome)
    visit.settle(await outcomes.conclude({ ...leased, request }, outcome))
  }

  /** The fetcher refused it: a header that contradicts the body, say. One request must not end the crawl. */
  async #unsendable({ leased, settle }: Visit, cause: unknown): Promise<undefined> {
    const detail = cause instanceof Error ? cause.message : String(cause)
    const failure = { code: 'not-sendable', reason: `the request cannot be sent: ${detail}`, cause }
    settle(await this.#parts.outcomes.fail(leased, failure, undefined))
  }

  /** `undefined`: the hook failed, and the request with it. */
  async #hooked(
    visit: Visit,
    call: () => Promise<CrawlRequest | Drop>,
  ): Promise<CrawlRequest | Drop | undefined> {
    try {
      return await call()
    } catch (cause) {
      const reason = `a request hook threw: ${cause instanceof Error ? cause.message : String(cause)}`
      const stack = cause instanceof Error ? cause.stack : undefined
      const failure = { code: 'hook-threw', reason, cause, ...withoutUndefined({ stack }) }
      visit.settle(await this.#parts.outcomes.fail(visit.leased, failure, undefined))
      return undefined
    }
  }

  /** Off the queue while robots.txt is asked for, which has its own turns; then back in line. */
  async #loadRobots(visit: Visit): Promise<void> {
    const { robots, slots, keyOf } = this.#parts
    const { url } = visit.leased.request
    visit.robotsLoads++
    const decision = await robots.load(url)
    const isUnknown = decision.kind === 'later' && robots.peek(url) === undefined
    if (isUnknown && !this.#stopped && visit.robotsLoads < MAX_ROBOTS_LOADS) return this.#queue(visit)
    if (decision.kind !== 'allowed') return this.#obey(visit, decision)
    visit.decision = decision
    // Before it queues again: the rest after robots.txt is the first one that is owed.
    slots.setCrawlDelay(keyOf(url), decision.crawlDelayMs)
    this.#queue(visit)
  }

  async #obey(visit: Visit, decision: Exclude<RobotsDecision, { kind: 'allowed' }>): Promise<void> {
    const { leased } = visit
    const { clock, stats, outcomes } = this.#parts
    if (this.#stopped) return this.#putBack(visit)
    if (decision.kind === 'failed') return visit.settle(await outcomes.conclude(leased, decision.outcome))
    const row = spiderFetchRow(robotsRow({ url: leased.request.url }, decision, clock.now()), leased.request)
    if (decision.kind !== 'later') {
      stats.disallowed(leased.request.url, decision.reason)
      visit.settle({ id: leased.id, end: { kind: 'done' }, visit: row, ...NO_OUTPUT })
    } else {
      const failure = { code: 'robots-unreachable', reason: decision.reason }
      visit.settle(
        outcomes.retry(leased, 'robots', decision.retryAt) ?? (await outcomes.fail(leased, failure, row)),
      )
    }
  }

  #rejected(visit: Visit, detail: string, retryAt: number | undefined): void {
    if (this.#stopped) {
      this.#putBack(visit)
      return
    }
    const { clock, outcomes } = this.#parts
    const blocked: FetchOutcome = {
      kind: 'blocked',
      url: visit.leased.request.url,
      timings: { startedAt: clock.now(), totalMs: 0 },
      detail,
      ...withoutUndefined({ retryAt }),
    }
    outcomes.conclude(visit.leased, blocked).then(visit.settle, visit.fail)
  }

  #drop({ leased, settle }: Visit, { reason }: Drop): void {
    this.#parts.stats.skipped(reason)
    settle({ id: leased.id, end: { kind: 'done' }, ...NO_OUTPUT })
  }

  #putBack({ leased, settle }: Visit, at?: number): void {
    settle({ id: leased.id, end: { kind: 'put-back', ...withoutUndefined({ at }) }, ...NO_OUTPUT })
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

interface Visit {
  readonly leased: LeasedRequest
  readonly settle: (settlement: Settlement) => void
  readonly fail: (error: unknown) => void
  robotsLoads: number
  /** What robots.txt said, should it be forgotten before the request's turn. */
  decision?: RobotsDecision
}

/** The lease of its host is in doubt: it is settled, or given to another process, within seconds. */
const NOT_OURS_MS = 1_000
/** A robots.txt that is broken off is asked for again; but not for ever. */
const MAX_ROBOTS_LOADS = 3
/** What the sitemap protocol allows. */
const MAX_SITEMAP_BYTES = 50 * 1024 * 1024
