import type { Clock } from '../../base/clock.ts'
import type { DropCounts } from '../../base/drop-counts.ts'
import { withoutUndefined } from '../../base/without-undefined.ts'
import type { FetchOutcome } from '../../domain/fetch/fetch-outcome.ts'
import { type CrawlRequest, isPlain } from '../../domain/frontier/crawl-request.ts'
import type { LeasedRequest } from '../../domain/frontier/frontier.ts'
import type { RequestFailure, Settlement } from '../../domain/frontier/settlement.ts'
import type { AiUseStatement } from '../../domain/robots/ai-use.ts'
import { truncationReason } from '../../domain/segment/fetch-failure.ts'
import { fetchRow, type RedirectVerdict } from '../../domain/segment/fetch-row.ts'
import type { FetchRow } from '../../domain/segment/segment-rows.ts'
import type { UrlNormalizer } from '../../domain/url/normalize-url.ts'
import type { Admission } from './admission.ts'
import { type HandlerErrors, userStack } from './handler-errors.ts'
import { Page } from './handler-page.ts'
import { Drop, RetryLater } from './hooks.ts'
import type { PagePermits } from './page-permits.ts'
import { FilePlaceMissing, NO_OUTPUT, type PageOutput, type PageProcessor } from './page-processor.ts'
import {
  type FailureClass,
  failureClass,
  failureCode,
  failureReason,
  type RetryPolicy,
  retryAt,
} from './retry-policy.ts'
import { SITEMAP_HANDLER } from './sitemap-start.ts'
import type { RequestError } from './spider-definition.ts'
import type { StatsCounter } from './spider-stats.ts'
import { HandlerThreadEnded, TimeLimitExceeded } from './time-limit.ts'

export interface OutcomeProcessorParts {
  readonly clock: Clock
  readonly admission: Admission
  readonly pages: PageProcessor
  readonly retry: RetryPolicy
  readonly stats: StatsCounter
  readonly handlerErrors: HandlerErrors
  readonly normalize: UrlNormalizer
  /** Statuses outside 2xx whose pages go to their handler. */
  readonly handleStatuses: readonly number[] | 'all'
  /** Absent: pages are not stored. */
  readonly keeper?: PageKeeper
  /** Absent: pages are not limited. */
  readonly permits?: PagePermits
  readonly onFailure?: (failure: FailedAttempt) => void
}

/** A request that failed. */
export interface FailedAttempt extends RequestFailure {
  readonly url: string
  /** When it is retried (ms since the epoch). Absent: it is a dead letter. */
  readonly retryAt?: number
}

/** Turns the outcome of a request into its settlement: a redirect, a page for its handler, a retry or a dead letter. */
export class OutcomeProcessor {
  readonly #parts: OutcomeProcessorParts

  constructor(parts: OutcomeProcessorParts) {
    this.#parts = parts
  }

  /** @param aiUse statements of robots.txt about the URL */
  async conclude(
    leased: LeasedRequest,
    outcome: FetchOutcome,
    aiUse: readonly AiUseStatement[] = [],
  ): Promise<Settlement> {
    if (outcome.kind === 'moved') return this.#redirect(leased, outcome)
    if (outcome.kind === 'success' || this.#isWanted(outcome)) return this.#page(leased, outcome, aiUse)
    const failure = { code: failureCode(outcome), reason: failureReason(outcome) }
    const earliest = 'retryAt' in outcome ? outcome.retryAt : undefined
    const retry = this.retry(leased, failureClass(outcome), failure, earliest)
    if (retry !== undefined) return retry
    return this.fail(leased, failure, outcomeRow(leased, outcome), this.pageOf(leased, outcome))
  }

  /** A retry, if the policy allows another one for this failure class. */
  retry(
    leased: LeasedRequest,
    kind: FailureClass | undefined,
    failure: RequestFailure,
    earliest?: number,
  ): Settlement | undefined {
    const { retry, clock, stats, onFailure } = this.#parts
    if (kind === undefined) return undefined
    const at = retryAt(retry, kind, leased.attempt, clock.now(), earliest)
    if (at === undefined) return undefined
    stats.retried(kind)
    onFailure?.({ ...failure, url: leased.request.url, retryAt: at })
    return { id: leased.id, end: { kind: 'retry', at, reason: kind }, ...NO_OUTPUT }
  }

  /** The settlement of a request that finally failed: a dead letter. */
  async fail(
    leased: LeasedRequest,
    failure: RequestFailure & { readonly cause?: unknown },
    row: FetchRow | undefined,
    page: Page = this.pageOf(leased),
  ): Promise<Settlement> {
    const { cause, ...letter } = failure
    this.#parts.stats.failed(failure.code, leased.request.url, failure.reason)
    this.#parts.onFailure?.({ ...letter, url: leased.request.url })
    const error: RequestError = {
      ...failure,
      url: leased.request.url,
      attempts: leased.attempt,
      page,
    }
    let brought: PageOutput
    try {
      brought = await this.#parts.pages.handleError(error)
    } catch (thrown) {
      this.#parts.handlerErrors.failed(`onError, for ${leased.request.url}`, thrown)
      brought = NO_OUTPUT
    }
    return {
      id: leased.id,
      end: { kind: 'failed', ...letter },
      ...withoutUndefined({ fetch: row }),
      ...brought,
    }
  }

  /** The request names an unknown handler and is not fetched. Many in a row stop the crawl: the queue belongs to another spider. */
  noHandler(leased: LeasedRequest, reason: string): Promise<Settlement> {
    const { handler, url } = leased.request
    this.#parts.handlerErrors.failed(`${handler}, for ${url}`, new Error(reason))
    return this.fail(leased, { code: 'no-handler', reason }, undefined)
  }

  #redirect(leased: LeasedRequest, outcome: Extract<FetchOutcome, { kind: 'moved' }>): Settlement {
    const { admission, stats } = this.#parts
    const { verdict, request } = admission.redirect(leased.request, outcome.response.status, outcome.to)
    const dropped = verdict.kind === 'drop' ? { [verdict.dropReason]: 1 } : {}
    if (request === undefined) stats.skipped('redirect: not followed')
    return {
      id: leased.id,
      end: { kind: 'done' },
      fetch: outcomeRow(leased, outcome, { redirect: verdict }),
      ...NO_OUTPUT,
      requests: request === undefined ? [] : [request],
      dropped,
    }
  }

  async #page(
    leased: LeasedRequest,
    outcome: FetchOutcome,
    aiUse: readonly AiUseStatement[],
  ): Promise<Settlement> {
    const { pages, stats, handlerErrors } = this.#parts
    const row = outcomeRow(leased, outcome, { aiUse })
    const page = this.pageOf(leased, outcome)
    const done = { id: leased.id, end: { kind: 'done' } } as const
    let brought: PageOutput | Drop | RetryLater
    try {
      brought = await pages.handle(page)
    } catch (thrown) {
      if (thrown instanceof FilePlaceMissing) throw thrown
      return this.#handlerFailed(leased, thrown, await this.#kept(leased, outcome, row), page)
    }
    if (brought instanceof RetryLater) return this.#retryLater(leased, brought, row, page)
    if (brought instanceof Drop) {
      stats.skipped(brought.reason)
      return { ...done, fetch: row, ...NO_OUTPUT }
    }
    this.#countPage(leased)
    handlerErrors.succeeded()
    const dropped = { ...brought.dropped, ...bodyDrops(outcome) }
    return { ...done, fetch: await this.#kept(leased, outcome, row), ...brought, dropped }
  }

  #handlerFailed(leased: LeasedRequest, thrown: unknown, row: FetchRow, page: Page): Promise<Settlement> {
    this.#countPage(leased)
    this.#parts.handlerErrors.failed(`${leased.request.handler}, for ${leased.request.url}`, thrown)
    return this.fail(leased, handlerFailure(leased.request.handler, thrown), row, page)
  }

  /** Stores pages that have a URL of their own, not responses to forms and not sitemaps. Rejects when a page cannot be stored. */
  async #kept({ request }: LeasedRequest, outcome: FetchOutcome, row: FetchRow): Promise<FetchRow> {
    const { keeper } = this.#parts
    if (keeper === undefined || outcome.kind !== 'success') return row
    return isPlain(request) && request.handler !== SITEMAP_HANDLER ? keeper.keep(row, outcome) : row
  }

  async #retryLater(
    leased: LeasedRequest,
    { reason, afterSeconds = 0 }: RetryLater,
    row: FetchRow,
    page: Page,
  ): Promise<Settlement> {
    const failure = { code: 'hook-refused', reason }
    const earliest = this.#parts.clock.now() + afterSeconds * 1_000
    return this.retry(leased, 'serverError', failure, earliest) ?? this.fail(leased, failure, row, page)
  }

  /** Sitemaps do not count as pages. */
  #countPage({ id, request }: LeasedRequest): void {
    if (request.handler === SITEMAP_HANDLER) return
    this.#parts.stats.pages++
    this.#parts.permits?.spend(id)
  }

  #isWanted(outcome: FetchOutcome): boolean {
    const { handleStatuses } = this.#parts
    if (!('response' in outcome)) return false
    return handleStatuses === 'all' || handleStatuses.includes(outcome.response.status)
  }

  /** The page of a request; without a response, an empty one. */
  pageOf({ request, attempt }: LeasedRequest, outcome?: FetchOutcome): Page {
    const response = outcome !== undefined && 'response' in outcome ? outcome.response : undefined
    const body = outcome !== undefined && 'body' in outcome ? outcome.body : undefined
    return new Page({
      request,
      attempt,
      status: response?.status ?? 0,
      headers: response?.headers ?? [],
      bytes: body?.bytes ?? new Uint8Array(),
      ...(outcome?.kind === 'success' &&
        outcome.rendered !== undefined && { browser: outcome.rendered.page }),
      normalize: this.#parts.normalize,
    })
  }
}

function bodyDrops(outcome: FetchOutcome): DropCounts {
  const truncated = 'body' in outcome ? outcome.body?.truncated : undefined
  return truncated === undefined ? {} : { [truncationReason(truncated)]: 1 }
}

export function outcomeRow(
  { request }: LeasedRequest,
  outcome: FetchOutcome,
  more: { readonly redirect?: RedirectVerdict; readonly aiUse?: readonly AiUseStatement[] } = {},
): FetchRow {
  const from = request.redirectedFrom?.at(-1)
  const fetched = { url: request.url, ...withoutUndefined({ from }) }
  return spiderFetchRow(fetchRow(fetched, outcome, more), request)
}

function handlerFailure(handler: string, thrown: unknown): RequestFailure & { readonly cause: unknown } {
  if (thrown instanceof TimeLimitExceeded)
    return { code: 'handler-timeout', reason: `handler ${handler}: ${thrown.message}`, cause: thrown }
  if (thrown instanceof HandlerThreadEnded)
    return { code: 'handler-crashed', reason: `handler ${handler}: ${thrown.message}`, cause: thrown }
  const reason = thrown instanceof Error ? `${thrown.name}: ${thrown.message}` : String(thrown)
  const stack = userStack(thrown)
  const code = (isCoded(thrown) && FAILURE_CODES[thrown.code]) || 'handler-threw'
  return { code, reason, cause: thrown, ...withoutUndefined({ stack }) }
}

/** Errors of ours that a handler passes on; from another thread they are known by their code only. */
const FAILURE_CODES: Readonly<Record<string, string>> = {
  SELECTOR_TOO_COSTLY: 'selector-too-costly',
  META_INVALID: 'meta-invalid',
}

function isCoded(thrown: unknown): thrown is Error & { readonly code: string } {
  return thrown instanceof Error && 'code' in thrown && typeof thrown.code === 'string'
}

/** Stores the pages of a spider. */
export interface PageKeeper {
  /**
   * Adds a page; it need not be durable yet. Returns its fetch row with the results of parsing. Rejects when pages cannot be stored any more.
   */
  keep(row: FetchRow, outcome: Extract<FetchOutcome, { readonly kind: 'success' }>): Promise<FetchRow>
}

/**
 * A fetch row with the page that linked to the request, its handler and its outcome. A spider may have no segments, so `explain` reads them
 * from the CrawlDb.
 */
export function spiderFetchRow(row: FetchRow, { from, handler }: CrawlRequest): FetchRow {
  const { reason, httpStatus, protocolStatus } = row
  const outcome = reason ?? (httpStatus === undefined ? protocolStatus : `HTTP ${httpStatus}`)
  return {
    ...row,
    metadata: { ...row.metadata, handler, outcome, ...withoutUndefined({ foundOn: from }) },
  }
}
