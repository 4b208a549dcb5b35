import { withoutUndefined } from '../../base/without-undefined.ts'
import type { FetchRequest } from '../../domain/fetch/fetcher.ts'
import type { CrawlRequest } from '../../domain/frontier/crawl-request.ts'
import type { LeasedRequest } from '../../domain/frontier/frontier.ts'
import type { RequestFailure } from '../../domain/frontier/settlement.ts'
import { Drop } from './hooks.ts'
import type { LiveSession } from './live-session.ts'
import type { PagePermits } from './page-permits.ts'
import type { SessionGuard } from './session-guard.ts'
import type { SessionPool } from './session-pool.ts'
import { SITEMAP_HANDLER } from './sitemap-start.ts'
import type { SpiderCalls } from './spider-calls.ts'

export interface RequestPreparerParts {
  readonly calls: Pick<SpiderCalls, 'room' | 'onRequest'>
  /** Whether the spider reads the bodies of error responses. */
  readonly keepErrorBodies: boolean
  /** The request to send, made in the slot of its host; `undefined`: none. @default made of its URL, method, headers and body */
  readonly prepare?: (leased: LeasedRequest, request: CrawlRequest) => Promise<FetchRequest | undefined>
  /** Absent: pages are not limited. */
  readonly permits?: PagePermits
  /** Absent: the spider has no sessions. */
  readonly sessions?: SpiderSessions
}

/** The sessions of a spider, and the judge of their responses. */
export interface SpiderSessions {
  readonly pool: SessionPool
  readonly guard: SessionGuard
  /** Headers of all requests in sessions. */
  readonly headers: Readonly<Record<string, string>>
}

/** Decides in the slot of its host whether a request is sent, and makes it: page limit, request hooks, session. */
export class RequestPreparer {
  readonly #parts: RequestPreparerParts

  constructor(parts: RequestPreparerParts) {
    this.#parts = parts
  }

  /** Runs the request hooks, right before the request is sent. */
  async prepare(hooked: HookedRequest): Promise<FetchRequest | undefined> {
    const { calls, prepare, sessions } = this.#parts
    const { session } = hooked
    if (session !== undefined && sessions?.pool.isUsable(session) === false) {
      hooked.isStale = true
      return undefined
    }
    hooked.isPermitted = await this.isPermitted(hooked.leased)
    if (!hooked.isPermitted) return undefined
    try {
      await calls.room?.()
      const verdict = await calls.onRequest(hooked.request)
      if (verdict instanceof Drop) {
        hooked.drop = verdict
        return undefined
      }
      hooked.request = verdict
      const plain = prepare === undefined ? this.fetchRequest(verdict) : await prepare(hooked.leased, verdict)
      if (plain === undefined || session === undefined || sessions === undefined) return plain
      hooked.generation = session.generation
      return inSession(plain, session, sessions)
    } catch (cause) {
      const reason = `a request hook threw: ${messageOf(cause)}`
      const stack = cause instanceof Error ? cause.stack : undefined
      hooked.failure = { code: 'hook-threw', reason, cause, ...withoutUndefined({ stack }) }
      return undefined
    }
  }

  /** Sitemaps do not count as pages. */
  async isPermitted({ id, request }: LeasedRequest): Promise<boolean> {
    const { permits } = this.#parts
    return permits === undefined || request.handler === SITEMAP_HANDLER || permits.take(id)
  }

  /** Its own headers win over those of the session. */
  fetchRequest({ url, method, headers, body, base64, handler }: CrawlRequest): FetchRequest {
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
export class HookedRequest {
  readonly leased: LeasedRequest
  /** As the hooks changed it. */
  request: CrawlRequest
  isPermitted = true
  drop: Drop | undefined = undefined
  failure: (RequestFailure & { readonly cause: unknown }) | undefined = undefined
  readonly session: LiveSession | undefined
  /** Of the session, when the request was sent. */
  generation = 0
  /** The session was retired, or expired, while the request waited. */
  isStale = false

  constructor(leased: LeasedRequest, session?: LiveSession) {
    this.leased = leased
    this.request = leased.request
    this.session = session
  }
}

export function messageOf(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause)
}

/** The limit of the sitemap protocol. */
const MAX_SITEMAP_BYTES = 50 * 1024 * 1024

function inSession(request: FetchRequest, session: LiveSession, { headers }: SpiderSessions): FetchRequest {
  return {
    ...request,
    session,
    // A CAPTCHA is recognised by the body of the error page.
    keepErrorBody: true,
    headers: { ...headers, ...session.headersFor(request.url), ...request.headers },
  }
}
