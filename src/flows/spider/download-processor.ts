import type { Clock } from '../../base/clock.ts'
import type { EventLog } from '../../base/event-log.ts'
import { withoutUndefined } from '../../base/without-undefined.ts'
import type { FetchOutcome } from '../../domain/fetch/fetch-outcome.ts'
import { type FetchRequest, validatorsOf } from '../../domain/fetch/fetcher.ts'
import type { FileContent, FileDraft, FileStore, StoredFile } from '../../domain/files/file-store.ts'
import type { CrawlRequest } from '../../domain/frontier/crawl-request.ts'
import type { LeasedRequest } from '../../domain/frontier/frontier.ts'
import type { RequestFailure, Settlement } from '../../domain/frontier/settlement.ts'
import type { PoliteFetcher } from '../../domain/politeness/polite-fetcher.ts'
import type { Admission } from './admission.ts'
import type { ItemFile, ResolvedFileOptions } from './file-options.ts'
import type { Page } from './handler-page.ts'
import { type ItemDownloads, type PendingItem, pendingItemOf, withPendingItem } from './item-downloads.ts'
import { type OutcomeProcessor, outcomeRow } from './outcome-processor.ts'
import { NO_OUTPUT } from './page-processor.ts'
import type { SpiderSessions } from './request-preparer.ts'
import { type RequestOutcomes, RequestProcessor } from './request-processor.ts'
import { failureClass, failureCode, failureReason } from './retry-policy.ts'
import { logSettlement } from './settlement-events.ts'
import type { SpiderCalls } from './spider-calls.ts'
import type { StatsCounter } from './spider-stats.ts'

export interface DownloadProcessorParts {
  readonly clock: Clock
  readonly fetcher: PoliteFetcher
  readonly calls: Pick<SpiderCalls, 'onRequest'>
  readonly store: FileStore
  readonly options: ResolvedFileOptions
  readonly downloads: ItemDownloads
  /** For redirects: files may be on any host. */
  readonly admission: Admission
  /** Makes retries and dead letters. */
  readonly outcomes: OutcomeProcessor
  readonly stats: StatsCounter
  /** Absent: the spider has no sessions. */
  readonly sessions?: SpiderSessions
  readonly log?: EventLog
}

/** Processes requests for files: each settlement has the request for the next file of the item, or the complete item. */
export class DownloadProcessor implements RequestOutcomes {
  readonly #parts: DownloadProcessorParts
  readonly #requests: RequestProcessor
  readonly #attempts = new Map<string, Attempt>()
  /** By URL: responses that are being stored. */
  readonly #storing = new Map<string, Promise<unknown>>()

  constructor(parts: DownloadProcessorParts) {
    this.#parts = parts
    const { clock, fetcher, calls, stats, sessions } = parts
    this.#requests = new RequestProcessor({
      ...{ clock, fetcher, calls, stats, outcomes: this },
      handlerFault: () => undefined,
      keepErrorBodies: false,
      prepare: (leased, request) => this.#prepare(leased, request),
      ...withoutUndefined({ sessions }),
    })
  }

  /** Rejects when the file store fails. */
  async process(leased: LeasedRequest): Promise<Settlement> {
    const { downloads, outcomes, stats, log } = this.#parts
    const { id, request } = leased
    const pending = pendingItemOf(request)
    if (pending === undefined) return outcomes.noHandler(leased, 'the request for a file has no item')
    const attempt: Attempt = { pending }
    this.#attempts.set(id, attempt)
    try {
      // Hooks and `onError` do not see the item.
      const { meta: _, ...plain } = request
      const settled = (await this.#isCached(attempt, request.url))
        ? { id, end: { kind: 'done' as const }, ...NO_OUTPUT }
        : await this.#requests.process({ ...leased, request: plain })
      if (attempt.storeError !== undefined) throw attempt.storeError
      const isOver = settled.end.kind === 'done' || settled.end.kind === 'failed'
      if (!isOver || attempt.isRedirected === true) return settled
      const result = attempt.result ?? failedFile(request.url, settled)
      stats.fileEnded(result)
      const complete = withContinuation(settled, pending, downloads.next(pending, request, result))
      if (log !== undefined) logSettlement(log, leased, complete)
      return complete
    } finally {
      this.#attempts.delete(id)
      await attempt.draft?.suspend()
    }
  }

  async conclude(leased: LeasedRequest, outcome: FetchOutcome): Promise<Settlement> {
    const { url } = leased.request
    const storing = this.#conclude(leased, outcome)
    this.#storing.set(url, storing)
    try {
      return await storing
    } finally {
      if (this.#storing.get(url) === storing) this.#storing.delete(url)
    }
  }

  async #conclude(leased: LeasedRequest, outcome: FetchOutcome): Promise<Settlement> {
    const attempt = this.#attemptOf(leased)
    const { draft } = attempt
    switch (outcome.kind) {
      case 'moved':
        return this.#redirect(leased, attempt, outcome)
      case 'not-modified':
        return this.#revalidated(leased, attempt, outcome)
      case 'success':
        return draft === undefined
          ? this.#failed(leased, outcome)
          : this.#received(leased, attempt, draft, outcome)
      default:
        // 416: the file is not what it was, and shorter than the part that is here.
        if ('response' in outcome && outcome.response.status === 416 && isContinued(draft)) {
          await end(attempt, draft, (open) => open.discard())
          const failure = { code: 'http-416', reason: 'the file changed while it was downloaded' }
          return this.retry(leased, 'network', failure) ?? this.fail(leased, failure, undefined)
        }
        return this.#failed(leased, outcome)
    }
  }

  retry(...args: Parameters<OutcomeProcessor['retry']>): Settlement | undefined {
    return this.#parts.outcomes.retry(...args)
  }

  fail(...args: Parameters<OutcomeProcessor['fail']>): Promise<Settlement> {
    return this.#parts.outcomes.fail(...args)
  }

  noHandler(...args: Parameters<OutcomeProcessor['noHandler']>): Promise<Settlement> {
    return this.#parts.outcomes.noHandler(...args)
  }

  pageOf(...args: Parameters<OutcomeProcessor['pageOf']>): Page {
    return this.#parts.outcomes.pageOf(...args)
  }

  /** The request to send, in the slot of the host; `undefined`: another item has got the file meanwhile. */
  async #prepare(leased: LeasedRequest, { url, headers }: CrawlRequest): Promise<FetchRequest | undefined> {
    const { store, options } = this.#parts
    const attempt = this.#attemptOf(leased)
    try {
      if (await this.#isCached(attempt, url)) return undefined
      const other = this.#storing.get(url)
      if (other !== undefined) {
        await other.catch(() => {})
        if (await this.#isCached(attempt, url)) return undefined
      }
      // Of the request before, whose session had expired.
      await attempt.draft?.suspend()
      const draft = await store.begin(url, options.limits)
      attempt.draft = draft
      const validators = isContinued(draft) ? undefined : attempt.known?.validators
      return {
        url,
        headers: { accept: '*/*', ...headers, 'accept-encoding': 'identity', ...draft.headers },
        sink: draft,
        timeoutMs: options.timeoutMs,
        ...withoutUndefined({ validators }),
      }
    } catch (error) {
      attempt.storeError = error
      return undefined
    }
  }

  /** Whether a recent file is stored. */
  async #isCached(attempt: Attempt, url: string): Promise<boolean> {
    const { store, options, clock } = this.#parts
    const known = await store.find(url)
    attempt.known = known
    if (known === undefined || clock.now() - known.checkedAt >= options.expiresMs) return false
    attempt.result = storedFile(known, 'cached')
    return true
  }

  #redirect(
    leased: LeasedRequest,
    attempt: Attempt,
    outcome: Extract<FetchOutcome, { kind: 'moved' }>,
  ): Promise<Settlement> | Settlement {
    const { request: from } = leased
    const { verdict, request } = this.#parts.admission.redirect(from, outcome.response.status, outcome.to)
    const row = outcomeRow(leased, outcome, { redirect: verdict })
    if (request === undefined) {
      const reason = 'why' in verdict ? verdict.why : 'the redirect is not followed'
      return this.fail(leased, { code: 'redirect', reason }, row)
    }
    attempt.isRedirected = true
    const requests = [withPendingItem(request, attempt.pending)]
    return { id: leased.id, end: { kind: 'done' }, fetch: row, ...NO_OUTPUT, requests }
  }

  async #revalidated(leased: LeasedRequest, attempt: Attempt, outcome: FetchOutcome): Promise<Settlement> {
    const { known } = attempt
    if (known === undefined) return this.#failed(leased, outcome)
    await this.#remember(attempt, leased.request, known, known.validators)
    attempt.result = storedFile(known, 'not-modified')
    return this.#done(leased, outcome)
  }

  async #received(
    leased: LeasedRequest,
    attempt: Attempt,
    draft: FileDraft,
    outcome: Extract<FetchOutcome, { kind: 'success' }>,
  ): Promise<Settlement> {
    const { truncated } = outcome.body
    const ended = await end(attempt, draft, (open) =>
      open.finish(truncated === 'partial' ? undefined : truncated),
    )
    if (ended === undefined) return this.#done(leased, outcome)
    if (ended.kind === 'stored') {
      const validators = validatorsOf(outcome.response.headers)
      await this.#remember(attempt, leased.request, ended.file, validators)
      attempt.result = storedFile({ url: leased.request.url, ...ended.file }, 'downloaded')
      return this.#done(leased, outcome)
    }
    const row = outcomeRow(leased, outcome)
    if (ended.kind === 'rejected') return this.fail(leased, { code: ended.code, reason: ended.reason }, row)
    const failure = { code: 'file-incomplete', reason: ended.reason }
    return this.retry(leased, 'network', failure) ?? this.fail(leased, failure, row)
  }

  /** For the URL of the response, and for those that redirected to it. */
  async #remember(
    attempt: Attempt,
    { url, redirectedFrom = [] }: CrawlRequest,
    { path, hash, size, type }: FileContent,
    validators: StoredFile['validators'],
  ): Promise<void> {
    const { store, clock } = this.#parts
    const file = { path, hash, size, type, checkedAt: Math.round(clock.now()) }
    try {
      await store.remember({ url, ...file, ...withoutUndefined({ validators }) })
      for (const from of redirectedFrom) await store.remember({ url: from, ...file })
    } catch (error) {
      attempt.storeError = error
    }
  }

  #failed(leased: LeasedRequest, outcome: FetchOutcome): Promise<Settlement> | Settlement {
    const failure: RequestFailure = { code: failureCode(outcome), reason: failureReason(outcome) }
    const earliest = 'retryAt' in outcome ? outcome.retryAt : undefined
    return (
      this.retry(leased, failureClass(outcome), failure, earliest) ??
      this.fail(leased, failure, outcomeRow(leased, outcome))
    )
  }

  #done(leased: LeasedRequest, outcome: FetchOutcome): Settlement {
    return { id: leased.id, end: { kind: 'done' }, fetch: outcomeRow(leased, outcome), ...NO_OUTPUT }
  }

  #attemptOf({ id }: LeasedRequest): Attempt {
    const attempt = this.#attempts.get(id)
    if (attempt === undefined) throw new Error(`the request ${id} is not a download`)
    return attempt
  }
}

/** One attempt to download a file. */
interface Attempt {
  readonly pending: PendingItem
  /** The file that the URL had the last time. */
  known?: StoredFile | undefined
  /** Absent when it is finished. */
  draft?: FileDraft | undefined
  result?: ItemFile
  isRedirected?: boolean
  /** The disk or the object store failed: the crawl cannot continue. */
  storeError?: unknown
}

/** Ends the draft of an attempt. A failure of the store is kept for later; the result is then `undefined`. */
async function end<T>(
  attempt: Attempt,
  draft: FileDraft,
  how: (draft: FileDraft) => Promise<T>,
): Promise<T | undefined> {
  attempt.draft = undefined
  try {
    return await how(draft)
  } catch (error) {
    attempt.storeError = error
    return undefined
  }
}

function isContinued(draft: FileDraft | undefined): draft is FileDraft {
  return draft !== undefined && 'range' in draft.headers
}

function storedFile(
  { url, path, hash, size, type }: Omit<StoredFile, 'checkedAt'>,
  status: 'downloaded' | 'not-modified' | 'cached',
): ItemFile {
  return { url, status, path, hash, size, type }
}

/** Robots.txt disallows it, a hook dropped it, or it failed. */
function failedFile(url: string, { end: how, fetch }: Settlement): ItemFile {
  if (how.kind === 'failed') return { url, status: 'failed', code: how.code, reason: how.reason }
  const reason = fetch?.reason ?? 'a request hook dropped it'
  return { url, status: 'failed', code: fetch === undefined ? 'dropped' : 'robots', reason }
}

function withContinuation(
  settled: Settlement,
  { page }: PendingItem,
  next: ReturnType<ItemDownloads['next']>,
): Settlement {
  return 'request' in next
    ? { ...settled, requests: [...settled.requests, next.request] }
    : { ...settled, items: [...settled.items, next.item], itemsOf: page }
}
