import type { FetchOutcome } from '../../domain/fetch/fetch-outcome.ts'
import { type PageParser, rowsOf } from '../../domain/parse/parsed-page.ts'
import { contentRow, fetchRow } from '../../domain/segment/fetch-row.ts'
import type { LinkRow, PageRecord } from '../../domain/segment/segment-rows.ts'
import type { RedirectPolicy } from './redirect-policy.ts'
import type { Visit } from './visit.ts'

/** What a visit adds to its segment, and where it sends us on. */
export interface VisitRecord {
  readonly page: PageRecord
  /** A redirect target to follow now. */
  readonly follow?: string
}

/** Turns what came of a request into rows: redirects are judged, pages parsed. */
export class OutcomeRecorder {
  readonly #redirects: RedirectPolicy
  readonly #parser: PageParser | undefined
  readonly #markFailed: boolean

  /**
   * @param parser absent: pages are stored and not parsed
   * @param markFailed see `ParseRules`
   */
  constructor(redirects: RedirectPolicy, parser: PageParser | undefined, markFailed: boolean) {
    this.#redirects = redirects
    this.#parser = parser
    this.#markFailed = markFailed
  }

  async recordOf(visit: Visit, outcome: FetchOutcome): Promise<VisitRecord> {
    if (outcome.kind === 'moved') return this.#redirect(visit, outcome)
    if (outcome.kind === 'success') return this.#page(visit, outcome)
    return { page: { fetch: fetchRow(visit, outcome) } }
  }

  async #redirect(visit: Visit, outcome: Extract<FetchOutcome, { kind: 'moved' }>): Promise<VisitRecord> {
    const redirect = await this.#redirects.judge(visit, outcome.to)
    const fetch = fetchRow(visit, outcome, { redirect })
    if (!('url' in redirect)) return { page: { fetch } }
    // Also when it is followed: so the target is known, with its standing, even if we never get there.
    const { url: fromUrl, score, metadata } = visit
    const link: LinkRow = { fromUrl, url: redirect.url, kind: 'redirect', score, metadata }
    return {
      page: { fetch, links: [link] },
      ...(redirect.kind === 'follow' && { follow: redirect.url }),
    }
  }

  async #page(visit: Visit, outcome: Extract<FetchOutcome, { kind: 'success' }>): Promise<VisitRecord> {
    const { url, score, metadata } = visit
    const content = contentRow(outcome)
    const { headers, body: bytes, truncated } = content
    const page = { url, headers, bytes, truncated: truncated !== undefined, score, metadata }
    const parsed = await this.#parser?.parse(page)
    if (parsed === undefined) return { page: { fetch: fetchRow(visit, outcome), content } }

    const { refreshTo } = parsed
    const refresh = refreshTo === undefined ? undefined : await this.#redirects.judge(visit, refreshTo)
    return {
      page: {
        fetch: fetchRow(visit, outcome, { parsed: { ...parsed, markFailed: this.#markFailed } }),
        content,
        ...rowsOf(parsed),
      },
      ...(refresh?.kind === 'follow' && { follow: refresh.url }),
    }
  }
}
