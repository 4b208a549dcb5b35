import type { EventLog } from '../../base/event-log.ts'
import type { FetchOutcome } from '../../domain/fetch/fetch-outcome.ts'
import type { PageParser } from '../../domain/parse/parsed-page.ts'
import type { AiUseStatement } from '../../domain/robots/ai-use.ts'
import { contentRow, fetchRow } from '../../domain/segment/fetch-row.ts'
import type { LinkRow, PageRecord } from '../../domain/segment/segment-rows.ts'
import type { FetchTask } from './fetch-task.ts'
import type { RedirectPolicy } from './redirect-policy.ts'
import { logParseFailure } from './row-events.ts'

/** The rows that a task adds to its segment, and the redirect target to follow. */
export interface TaskRecord {
  readonly page: PageRecord
  /** A redirect target to follow now. */
  readonly follow?: string
}

/** Converts the outcome of a request into rows: decides about redirects and parses pages. */
export class OutcomeRecorder {
  readonly #redirects: RedirectPolicy
  readonly #parser: PageParser | undefined
  readonly #markFailed: boolean
  readonly #log: EventLog

  /**
   * @param parser absent: pages are stored and not parsed
   * @param markFailed see `ParseRules`
   * @param log gets pages that could not be parsed
   */
  constructor(redirects: RedirectPolicy, parser: PageParser | undefined, markFailed: boolean, log: EventLog) {
    this.#redirects = redirects
    this.#parser = parser
    this.#markFailed = markFailed
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
    return { page: { fetch: fetchRow(task, outcome) } }
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
    const parsed = await this.#parser?.parse(page)
    if (parsed === undefined) return { page: { fetch: fetchRow(task, outcome, { aiUse }), content } }

    if (parsed.status === 'failed') logParseFailure(this.#log, url, parsed.reason)
    const { refreshTo } = parsed
    const refresh = refreshTo === undefined ? undefined : await this.#redirects.judge(task, refreshTo)
    return {
      page: {
        fetch: fetchRow(task, outcome, { parsed, markFailed: this.#markFailed, aiUse }),
        content,
        ...parsed.rows,
      },
      ...(refresh?.kind === 'follow' && { follow: refresh.url }),
    }
  }
}
