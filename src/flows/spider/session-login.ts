import { CrawlError } from '../../base/crawl-error.ts'
import { withoutUndefined } from '../../base/without-undefined.ts'
import type { FetchOutcome } from '../../domain/fetch/fetch-outcome.ts'
import type { FetchRequest } from '../../domain/fetch/fetcher.ts'
import { isProxyUrl } from '../../domain/frontier/session-store.ts'
import type { PoliteFetcher } from '../../domain/politeness/polite-fetcher.ts'
import type { UrlNormalizer } from '../../domain/url/normalize-url.ts'
import { registeredDomain } from '../../domain/url/registered-domain.ts'
import { Page } from './handler-page.ts'
import { type LiveSession, siteOf } from './live-session.ts'
import { RequestOutput } from './output.ts'
import { type RequestOptions, requestParts, sendable } from './request-options.ts'
import { failureReason } from './retry-policy.ts'
import type { LoginSession, SessionsOptions } from './session-options.ts'

/**
 * Three logins of sessions in a row failed.
 * Remedy: Check `sessions.login` and its password, then run the command again. The page "Sessions and proxies" explains logins.
 */
export class LoginFailed extends CrawlError {
  readonly code = 'LOGIN_FAILED'
  readonly retryable = false
  /** It could not be tried to its end. */
  readonly isInterrupted: boolean

  constructor(message: string, options?: ErrorOptions & { readonly isInterrupted?: boolean }) {
    super(message, options)
    this.isInterrupted = options?.isInterrupted ?? false
  }

  /** @internal */
  static after(times: number, cause: unknown): LoginFailed {
    const reason = cause instanceof Error ? cause.message : String(cause)
    return new LoginFailed(
      `${times} logins in a row failed: ${reason}. Check sessions.login and its password; the requests stay queued, so run the command again`,
      { cause },
    )
  }
}

export interface SessionLoginParts {
  readonly fetcher: Pick<PoliteFetcher, 'fetchOnClaim'>
  readonly normalize: UrlNormalizer
  readonly maxRedirects: number
  /** Counts a response. */
  readonly onFetched: (outcome: FetchOutcome) => void
}

/** Runs the login of sessions. Its requests obey robots.txt, and wait in the queues of their hosts. */
export class SessionLogin {
  readonly #parts: SessionLoginParts
  readonly #login: NonNullable<SessionsOptions['login']>

  constructor(parts: SessionLoginParts, login: NonNullable<SessionsOptions['login']>) {
    this.#parts = parts
    this.#login = login
  }

  /** Rejects if the login fails. */
  async run(session: LiveSession): Promise<void> {
    const headers: Record<string, string> = {}
    const sites = new Set<string>()
    session.proxy = undefined
    const given: LoginSession = {
      id: session.id,
      fetch: (request, options) => this.#fetch({ session, headers, sites }, request, options),
      setHeader: (name, value, hosts = []) => {
        Object.assign(headers, sendable({ [name]: value }))
        for (const host of hosts) sites.add(registeredDomain(host))
      },
      setProxy: (url) => {
        if (!isProxyUrl(String(url)))
          throw new LoginFailed('session.setProxy: give an http://, https:// or socks5:// URL')
        session.proxy = String(url)
      },
    }
    await this.#login(given)
    session.headers = headers
    session.sites = [...sites]
    session.isLoggedIn = true
    session.generation++
  }

  async #fetch(
    { session, headers, sites }: Attempt,
    request: string | URL | RequestOutput,
    options?: RequestOptions,
  ): Promise<Page> {
    const {
      href,
      base,
      options: own,
    } = isOutput(request) ? request : new RequestOutput(String(request), options)
    let url = this.#urlOf(href, base)
    let { body, base64, headers: ownHeaders, method } = requestParts(own)
    sites.add(siteOf(url))
    for (let hops = 0; ; hops++) {
      const outcome = await this.#send({
        url,
        session,
        keepErrorBody: true,
        headers: { ...(sites.has(siteOf(url)) && headers), ...ownHeaders },
        ...withoutUndefined({ method }),
        ...(body !== undefined && { body: base64 ? Buffer.from(body, 'base64') : body }),
      })
      const { response } = outcome
      if (outcome.kind !== 'moved' || hops >= this.#parts.maxRedirects)
        return this.#pageOf(url, session, response, 'body' in outcome ? outcome.body?.bytes : undefined)
      const isSameOrigin = new URL(outcome.to).origin === new URL(url).origin
      // Credentials go only to the origin that they were meant for.
      if (!isSameOrigin) ownHeaders = undefined
      if (response.status !== 307 && response.status !== 308) {
        body = undefined
        method = undefined
        ownHeaders = undefined
      }
      url = this.#urlOf(outcome.to)
    }
  }

  async #send(request: FetchRequest): Promise<Extract<FetchOutcome, { response: unknown }>> {
    const result = await this.#parts.fetcher.fetchOnClaim({ request, priority: Number.NEGATIVE_INFINITY })
    // Another worker of the fleet has the host, or the run ends: this says nothing about the login.
    if (result === undefined || result.kind === 'interrupted' || result.kind === 'not-owned')
      throw new LoginFailed(`${request.url} could not be requested now`, { isInterrupted: true })
    if (result.kind !== 'fetched') {
      const reason = 'reason' in result ? result.reason : result.kind
      throw new LoginFailed(`${request.url}: ${reason}`)
    }
    result.release()
    const { outcome } = result
    this.#parts.onFetched(outcome)
    if (!('response' in outcome)) throw new LoginFailed(`${request.url}: ${failureReason(outcome)}`)
    return outcome
  }

  #urlOf(href: string, base?: string): string {
    const normalized = this.#parts.normalize(href, base)
    if (!normalized.ok) throw new LoginFailed(`${href}: ${normalized.detail}`)
    return normalized.url
  }

  #pageOf(
    url: string,
    { id }: LiveSession,
    { status, headers }: { readonly status: number; readonly headers: Page['headers'] },
    bytes: Uint8Array = new Uint8Array(),
  ): Page {
    const { normalize } = this.#parts
    const request = { url, handler: 'parse', depth: 0, session: id }
    return new Page({ request, attempt: 1, status, headers, bytes, normalize })
  }
}

/** A login under way. */
interface Attempt {
  readonly session: LiveSession
  readonly headers: Readonly<Record<string, string>>
  /** Registered domains that were requested. */
  readonly sites: Set<string>
}

function isOutput(request: string | URL | RequestOutput): request is RequestOutput {
  return typeof request === 'object' && 'options' in request
}
