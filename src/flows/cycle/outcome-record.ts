import type { EventLog } from '../../base/event-log.ts'
import { MAX_AGE_KEY } from '../../domain/crawldb/update-record.ts'
import { cacheLifetime } from '../../domain/fetch/cache-lifetime.ts'
import type { FetchOutcome } from '../../domain/fetch/fetch-outcome.ts'
import type { ParseRules } from '../../domain/parse/parse-rules.ts'
import type { PageParser } from '../../domain/parse/parsed-page.ts'
import type { AiUseStatement } from '../../domain/robots/ai-use.ts'
import { contentRow, fetchRow } from '../../domain/segment/fetch-row.ts'
import type { FetchRow, LinkRow, PageRecord } from '../../domain/segment/segment-rows.ts'
import type { FetchTask } from './fetch-task.ts'
import type { RedirectPolicy } from './redirect-policy.ts'
import { logParseFailure } from './row-events.ts'
import type { SiteSitemaps } from './site-sitemaps.ts'

/** The rows that a task adds to its segment, and the redirect target to follow. */
export interface TaskRecord {
  readonly page: PageRecord
  /** A redirect target to follow now. */
  readonly follow?: string
}

type RecordRules = Pick<ParseRules, 'markFailed' | 'scheduleHints'>

/** Converts the outcome of a request into rows: decides about redirects and parses pages. */
export class OutcomeRecorder {
  readonly #redirects: RedirectPolicy
  readonly #parser: PageParser | undefined
  readonly #rules: RecordRules
  readonly #log: EventLog
  readonly #sitemaps: SiteSitemaps | undefined

  /**
   * @param parser absent: pages are stored and not parsed
   * @param log gets pages that could not be parsed
   * @param sitemaps absent: sitemaps are not looked for
   */
  constructor(
    redirects: RedirectPolicy,
    parser: PageParser | undefined,
    rules: RecordRules,
    log: EventLog,
    sitemaps?: SiteSitemaps,
  ) {
    this.#sitemaps = sitemaps
    this.#redirects = redirects
    this.#parser = parser
    this.#rules = rules
    this.#log = log
  }

  /** @param aiUse statements of robots.txt about the URL */
  async recordOf(
    task: FetchTask,
    outcome: FetchOutcome,
    aiUse: readonly AiUseStatement[] = [],
  ): Promise<TaskRecord> {
    if (outcome.kind === 'moved') return this.#redirect(task, outcome)
    if (outcome.kind === 'success') return this.#page(task, outcome, aiUse)
    return { page: { fetch: this.#withMaxAge(fetchRow(task, outcome), outcome) } }
  }

  /** Adds how long the server calls the response fresh, for schedules that use it. */
  #withMaxAge(row: FetchRow, outcome: FetchOutcome): FetchRow {
    if (this.#rules.scheduleHints !== true || !('response' in outcome)) return row
    const seconds = cacheLifetime(outcome.response.headers)
    return seconds === undefined
      ? row
      : { ...row, metadata: { ...row.metadata, [MAX_AGE_KEY]: String(seconds) } }
  }

  async #redirect(task: FetchTask, outcome: Extract<FetchOutcome, { kind: 'moved' }>): Promise<TaskRecord> {
    const redirect = await this.#redirects.judge(task, outcome.to)
    const fetch = fetchRow(task, outcome, { redirect })
    if (!('url' in redirect)) return { page: { fetch } }
    // Also if it is followed: the CrawlDb gets the target with its score even if the fetch never happens.
    const { url: fromUrl, score, metadata } = task
    const link: LinkRow = { fromUrl, url: redirect.url, kind: 'redirect', score, metadata }
    return {
      page: { fetch, links: [link] },
      ...(redirect.kind === 'follow' && { follow: redirect.url }),
    }
  }

  async #page(
    task: FetchTask,
    outcome: Extract<FetchOutcome, { kind: 'success' }>,
    aiUse: readonly AiUseStatement[],
  ): Promise<TaskRecord> {
    const { url, score, metadata } = task
    const content = contentRow(outcome)
    const { headers, body: bytes, truncated } = content
    const page = { url, headers, bytes, truncated: truncated !== undefined, score, metadata }
    const sitemaps = this.#parser === undefined ? [] : (this.#sitemaps?.take(url) ?? [])
    const parsed = await this.#parser?.parse(sitemaps.length === 0 ? page : { ...page, sitemaps })
    if (parsed === undefined)
      return { page: { fetch: this.#withMaxAge(fetchRow(task, outcome, { aiUse }), outcome), content } }

    if (parsed.status === 'failed') {
      logParseFailure(this.#log, url, parsed.reason)
      if (sitemaps.length > 0) this.#sitemaps?.requeue(url)
    }
    const { refreshTo } = parsed
    const { markFailed } = this.#rules
    const refresh = refreshTo === undefined ? undefined : await this.#redirects.judge(task, refreshTo)
    return {
      page: {
        fetch: this.#withMaxAge(fetchRow(task, outcome, { parsed, markFailed, aiUse }), outcome),
        content,
        ...parsed.rows,
      },
      ...(refresh?.kind === 'follow' && { follow: refresh.url }),
    }
  }
}
