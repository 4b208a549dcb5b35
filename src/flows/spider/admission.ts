import { dropReason } from '../../base/drop-counts.ts'
import type { JsonObject } from '../../base/json.ts'
import { printable } from '../../base/printable.ts'
import { withoutUndefined } from '../../base/without-undefined.ts'
import { type CrawlRequest, isPlain } from '../../domain/frontier/crawl-request.ts'
import { SESSION_ID } from '../../domain/frontier/session-store.ts'
import type { RedirectVerdict } from '../../domain/segment/fetch-row.ts'
import { CandidateUrl } from '../../domain/url/candidate-url.ts'
import { createLinkResolver, type LinkResolver } from '../../domain/url/link-resolver.ts'
import type { NormalizedUrl, UrlNormalizer } from '../../domain/url/normalize-url.ts'
import type { DecidingFilter } from '../../domain/url/url-filter.ts'
import type { KnownRequests } from './known-requests.ts'
import type { RequestOutput } from './output.ts'
import { type RequestOptions, requestParts } from './request-options.ts'

/** The rules that a request must pass before it enters the frontier: step 2 of the life of a URL. */
export interface AdmissionRules {
  readonly normalize: UrlNormalizer
  /** Scope, traps and the filters of the settings. */
  readonly filter: DecidingFilter
  /** Most links from a start request. @default no limit */
  readonly maxDepth?: number
  readonly maxRedirects: number
  /** What it has is not let in again. @default nothing */
  readonly known?: KnownRequests
  /** Why no page can go to the handler of that name; `undefined` if one can. @default every name is good */
  readonly handlerFault?: (name: string) => string | undefined
}

export type Admitted =
  | { readonly ok: true; readonly request: CrawlRequest }
  /** `rule` begins with a word to count by: `scope: …`, `depth`, `url: …`; or it is `REPEAT`. */
  | { readonly ok: false; readonly href: string; readonly rule: string }

/** The rule of a request that was already added: it counts as a duplicate. */
export const REPEAT = 'repeat'

/** Where a request comes from. */
export interface Origin {
  readonly depth: number
  readonly url?: string
  /** The session of the page. */
  readonly session?: string
}

export interface Redirected {
  readonly verdict: RedirectVerdict
  /** The request to make instead, when the redirect is followed. */
  readonly request?: CrawlRequest
}

export class Admission {
  readonly #rules: AdmissionRules
  /** The resolver of the last page; the links of a page come together. */
  #resolver: { readonly base: string; readonly resolve: LinkResolver } | undefined

  constructor(rules: AdmissionRules) {
    this.#rules = rules
  }

  /**
   * @param origin the page with the link; absent: a start request, which only needs a valid URL
   * @throws TypeError for a request that is a mistake of the spider: an unknown handler, a header that cannot be sent
   */
  admit({ href, base, options }: RequestOutput, now: number, origin?: Origin): Admitted {
    const fault = this.#rules.handlerFault?.(options.handler ?? 'parse')
    if (fault !== undefined) throw new TypeError(fault)
    const normalized = this.normalize(href, base)
    if (!normalized.ok) return { ok: false, href, rule: `url: ${normalized.detail}` }
    const { url } = normalized
    const depth = origin === undefined ? 0 : origin.depth + 1
    if (origin !== undefined) {
      if (this.#rules.known?.has(url, options) === true) return { ok: false, href: url, rule: REPEAT }
      const objection = this.#objection(url, depth, origin.url)
      if (objection !== undefined) return { ok: false, href: url, rule: objection }
    }
    return { ok: true, request: requestOf(url, options, now, depth, origin) }
  }

  /** Whether `admit` would not let in this link of a page because the frontier has it. */
  isRepeat({ href, base, options }: RequestOutput): boolean {
    const { known, handlerFault } = this.#rules
    if (known === undefined || handlerFault?.(options.handler ?? 'parse') !== undefined) return false
    const normalized = this.normalize(href, base)
    return normalized.ok && known.has(normalized.url, options)
  }

  /** A redirect is a request of its own, through the queue of the host it leads to, for the same handler. */
  redirect(request: CrawlRequest, status: number, to: string): Redirected {
    const circle = (why: string) => ({ verdict: { kind: 'circle', why } }) as const
    const drop = (why: string, reason: string) =>
      ({ verdict: { kind: 'drop', why, dropReason: reason } }) as const
    const normalized = this.#rules.normalize(to, request.url)
    if (!normalized.ok) return drop(`redirects to ${printable(to)}: ${normalized.detail}`, 'url')
    const { url } = normalized
    const next = redirectedRequest(request, status, url)
    const chain = next.redirectedFrom ?? []
    if (isPlain(request) && url === request.url) return circle('redirects to itself')
    if (chain.slice(0, -1).includes(url)) return circle(`redirects in a circle, back to ${url}`)
    const { maxRedirects } = this.#rules
    if (chain.length > maxRedirects)
      return drop(`more than ${maxRedirects} redirects in a row`, 'limits.redirectMax')
    const objection = this.#objection(url, request.depth, request.from)
    if (objection !== undefined) return drop(`redirects to ${url}: ${objection}`, dropReason(objection))
    return { verdict: { kind: 'follow', url }, request: next }
  }

  /** The URL of a link, absolute. */
  normalize(href: string, base: string | undefined): NormalizedUrl {
    const { normalize } = this.#rules
    if (base === undefined) return normalize(href)
    if (this.#resolver?.base !== base) this.#resolver = { base, resolve: createLinkResolver(base, normalize) }
    return this.#resolver.resolve(href)
  }

  #objection(url: string, depth: number, from: string | undefined): string | undefined {
    const { maxDepth = Number.POSITIVE_INFINITY, filter } = this.#rules
    if (depth > maxDepth) return `depth: ${depth}, the limit is ${maxDepth}`
    const verdict = filter.judge(new CandidateUrl(url, { depth, ...withoutUndefined({ from }) }))
    return verdict.accepted ? undefined : verdict.rule
  }
}

function requestOf(
  url: string,
  options: RequestOptions,
  now: number,
  depth: number,
  origin: Origin | undefined,
): CrawlRequest {
  const { handler = 'parse', meta, priority = 0, dontFilter = false } = options
  const notBefore = dueAt(options, now)
  if (!Number.isFinite(priority) || !Number.isFinite(notBefore))
    throw new TypeError(`the priority or the time of the request for ${url} is not a finite number`)
  return {
    url,
    ...requestParts(options),
    handler,
    ...(meta !== undefined && { meta: plain(meta) }),
    ...(priority !== 0 && { priority }),
    ...(dontFilter && { dontFilter }),
    ...(notBefore > now && { notBefore }),
    ...withoutUndefined({ session: sessionOf(url, options.session, origin) }),
    depth,
    ...withoutUndefined({ from: origin?.url }),
  }
}

function sessionOf(url: string, session: string | undefined, origin: Origin | undefined): string | undefined {
  if (session === 'same') return origin?.session
  if (session !== undefined && !SESSION_ID.test(session))
    throw new TypeError(`the session of the request for ${url} is not an id`)
  return session
}

function dueAt({ delaySeconds = 0, notBefore = 0 }: RequestOptions, now: number): number {
  return Math.max(now + delaySeconds * 1_000, typeof notBefore === 'number' ? notBefore : notBefore.getTime())
}

/** As JSON stores it, so that a handler gets the same data from a new request and from a stored one. */
function plain(meta: JsonObject): JsonObject {
  return JSON.parse(JSON.stringify(meta))
}

/** As browsers do: 307 and 308 repeat method and body; other redirects are followed by a GET request. */
function redirectedRequest(request: CrawlRequest, status: number, url: string): CrawlRequest {
  const { method, body, base64, headers, notBefore: _past, ...rest } = request
  const keepsMethod = status === 307 || status === 308 || method === 'HEAD'
  return {
    ...rest,
    url,
    ...(keepsMethod && method !== undefined && { method }),
    ...(keepsMethod && body !== undefined && { body }),
    ...(keepsMethod && base64 !== undefined && { base64 }),
    ...headersFor(headers, keepsMethod, new URL(url).origin === new URL(request.url).origin),
    redirectedFrom: [...(request.redirectedFrom ?? []), request.url],
    // Where a form leads is the response to it, even if the same page was seen before.
    ...(!isPlain(request) && { dontFilter: true }),
  }
}

/** Drops headers of the body with the body, and credentials when the origin changes. */
function headersFor(headers: CrawlRequest['headers'], withBody: boolean, sameOrigin: boolean) {
  const kept = Object.entries(headers ?? {}).filter(
    ([name]) =>
      (withBody || !name.startsWith('content-')) &&
      (sameOrigin || (name !== 'cookie' && name !== 'authorization')),
  )
  return kept.length === 0 ? {} : { headers: Object.fromEntries(kept) }
}
