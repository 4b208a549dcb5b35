import { LruMap } from '../../base/lru-map.ts'
import { printable } from '../../base/printable.ts'
import type { FetchOutcome, FetchTimings } from '../../domain/fetch/fetch-outcome.ts'
import type { Fetcher, FetchRequest, SessionCookies } from '../../domain/fetch/fetcher.ts'
import { headerValues } from '../../domain/fetch/headers.ts'
import { ConnectionPool } from './connection-pool.ts'
import { CookieJar } from './cookie-jar.ts'
import { Credentials } from './credentials.ts'
import { Dialer } from './dialer.ts'
import { DnsCache } from './dns-cache.ts'
import { Exchange } from './exchange.ts'
import { type Failure, refusal } from './failure.ts'
import type { OutgoingRequest } from './http-client.ts'
import type { Connection } from './http-connection.ts'
import {
  type HttpFetcherOptions,
  type ResolvedHttpFetcherOptions,
  resolveOptions,
} from './http-fetcher-options.ts'
import { Http2Failures } from './http2-failures.ts'
import {
  forwardsRequests,
  type ProxyOptions,
  parseProxy,
  proxyAuthorization,
  type WebProxy,
} from './proxy.ts'
import { ProxyPool } from './proxy-pool.ts'
import { ProxyProbes } from './proxy-probes.ts'
import { ProxyRoutes } from './proxy-routes.ts'
import {
  addCookies,
  defaultHeaders,
  flatHeaders,
  type RequestHeaders,
  recordedHeaders,
} from './request-headers.ts'
import { defaultResolve } from './resolve.ts'
import { outcomeOfResponse, type ResponseRules } from './response-outcome.ts'
import { TlsConnector } from './tls-connect.ts'
import { missingContactWarning } from './user-agent.ts'

/**
 * Ports that are never connected to: the list of the WHATWG Fetch standard, so that a link cannot reach mail servers and the
 * like, and two line-based stores that would execute parts of a request.
 */
const BLOCKED_PORTS: ReadonlySet<number> = new Set([
  ...[0, 1, 7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95],
  ...[101, 102, 103, 104, 109, 110, 111, 113, 115, 117, 119, 123, 135, 137, 139, 143, 161, 179],
  ...[389, 427, 465, 512, 513, 514, 515, 526, 530, 531, 532, 540, 548, 554, 556, 563, 587],
  ...[601, 636, 989, 990, 993, 995, 1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060, 5061],
  ...[6000, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 10080],
  ...[6379, 11211], // Redis, memcached
])

export type { HttpFetcherOptions } from './http-fetcher-options.ts'

/** Methods that may be sent again when it is not known whether the server saw them (RFC 9110, 9.2.2). */
const IDEMPOTENT = new Set(['GET', 'HEAD', 'OPTIONS', 'PUT', 'DELETE', 'TRACE'])

const MAX_TOLD_HOSTS = 5
const MAX_SESSION_PROXIES = 10_000

/**
 * Fetches URLs over HTTP/1.1 and HTTP/2. One instance serves a whole crawl; `close()` it at the end.
 * @example
 * const fetcher = new HttpFetcher({ clock: steadyClock, agent: { name: 'my-bot', email: 'me@example.org' } })
 * const outcome = await fetcher.fetch({ url: 'https://example.org/' })
 * if (outcome.kind === 'success') console.log(outcome.response.status, outcome.body.bytes.length)
 * await fetcher.close()
 */
export class HttpFetcher implements Fetcher {
  readonly #options: ResolvedHttpFetcherOptions
  readonly #headers: RequestHeaders
  readonly #credentials: Credentials
  readonly #rules: ResponseRules
  readonly #dialer: Dialer
  readonly #pool: ConnectionPool
  readonly #cookies: CookieJar | undefined
  readonly #proxies: ProxyPool | undefined
  readonly #routes: ProxyRoutes | undefined
  readonly #probes: ProxyProbes | undefined
  readonly #http2Failures = new Http2Failures()
  readonly #sessionProxies = new LruMap<string, WebProxy>(MAX_SESSION_PROXIES)
  readonly #refusedHosts = new Set<string>()

  /** @throws ConfigurationError for invalid options */
  constructor(given: HttpFetcherOptions) {
    const options = resolveOptions(given)
    const { clock, insecureHosts, extraCertificates } = options
    this.#options = options
    this.#headers = defaultHeaders(options.agent, options.headers)
    this.#credentials = new Credentials(options.credentials)
    this.#rules = {
      decode: { maxBytes: options.maxBodyBytes, maxRatio: options.maxCompressionRatio },
      retryAfter: { minMs: options.minRetryAfterMs, maxMs: options.maxRetryAfterMs },
    }
    this.#dialer = new Dialer({
      ...options,
      dns: new DnsCache(options.resolve ?? defaultResolve(options.allowPrivateHosts), clock, options.dns),
      tls: new TlsConnector({ insecureHosts: new Set(insecureHosts), extraCertificates }),
    })
    const proxies = listOf(options.proxy).map(parseProxy)
    if (proxies.length > 0) {
      this.#proxies = new ProxyPool(proxies, clock, options.onProxyEvent)
      this.#routes = new ProxyRoutes(this.#proxies, clock)
      if (options.proxyProbeMs !== undefined)
        this.#probes = new ProxyProbes(this.#proxies, this.#dialer, clock, options.proxyProbeMs)
    }
    this.#pool = new ConnectionPool(this.#dialer, options)
    this.#cookies = options.cookies === true ? new CookieJar(clock) : options.cookies || undefined
    const warning = missingContactWarning(options.agent)
    if (warning !== undefined) options.onWarning(warning)
  }

  /** Rejects only for a request that is the caller's mistake: a header or method that cannot be sent. */
  async fetch(request: FetchRequest): Promise<FetchOutcome> {
    const startedAt = this.#options.clock.now()
    const target = judge(request.url)
    if ('kind' in target) return { url: request.url, timings: { startedAt, totalMs: 0 }, ...target }
    const own = request.session?.proxy
    if (own !== undefined) return this.#fetchOver(request, target, startedAt, this.#proxyOfSession(own))
    if (this.#routes === undefined) return this.#fetchOver(request, target, startedAt)
    return this.#routes.send(request, target.host, (proxy) =>
      this.#fetchOver(request, target, this.#options.clock.now(), proxy),
    )
  }

  /** Whether requests wait because no proxy can be reached. */
  get isWaiting(): boolean {
    return this.#proxies?.isDown ?? false
  }

  close(): Promise<void> {
    this.#probes?.close()
    this.#routes?.close()
    this.#pool.destroy()
    return Promise.resolve()
  }

  /** The same object for the same URL, because connections are kept per proxy. */
  #proxyOfSession(url: string): WebProxy {
    const known = this.#sessionProxies.get(url)
    if (known !== undefined) return known
    const proxy = parseProxy({ url })
    this.#sessionProxies.set(url, proxy)
    return proxy
  }

  async #fetchOver(
    request: FetchRequest,
    target: Target,
    startedAt: number,
    proxy?: WebProxy,
  ): Promise<FetchOutcome> {
    const { origin } = target.url
    const http2 = this.#options.http2 && target.secure && !this.#http2Failures.isPaused(origin, startedAt)
    const { host, port, secure } = target
    const connection = await this.#pool.borrow(origin, { host, port, secure, http2, proxy }, request.signal)
    if (connection === undefined) {
      const failure = {
        kind: 'network-failure',
        cause: 'aborted',
        detail: 'aborted while waiting for a connection',
      } as const
      return { url: request.url, timings: this.#timings(startedAt), ...failure }
    }
    const exchange = await this.#exchange(request, target, connection, startedAt, proxy)
    const timings = this.#timings(startedAt, exchange, connection)
    if (exchange.failure !== undefined) {
      const outcome = { url: request.url, timings, ...exchange.failure }
      if (outcome.kind === 'refused') this.#tellOfRefusal(target.host, outcome.detail)
      if (!mayRepeat(request, exchange, connection)) return outcome
      if (connection.isFresh) this.#http2Failures.failed(origin, this.#options.clock.now())
      // The others were kept as long, or speak the same HTTP/2.
      this.#pool.discardIdle(origin, proxy)
      return { ...outcome, repeatable: true } as FetchOutcome
    }
    if (connection.protocol === 'h2') this.#http2Failures.succeeded(origin)
    const { status, headers, requestHeaders, statusLine } = exchange
    if (status === 407 && isForwarded(target, proxy)) {
      const detail = `the proxy responded with 407 (${proxy?.label})`
      return { url: request.url, timings, kind: 'network-failure', cause: 'proxy', detail }
    }
    this.#cookiesOf(request)?.store(headerValues(headers, 'set-cookie'), target.url)
    const response = {
      status,
      headers,
      requestHeaders,
      address: connection.dialled?.address ?? '',
      protocol: statusLine?.protocol ?? connection.protocol,
      ...(statusLine !== undefined && { reasonPhrase: statusLine.reasonPhrase }),
    }
    return outcomeOfResponse(request, exchange, response, timings, this.#rulesFor(request))
  }

  async #exchange(
    request: FetchRequest,
    target: Target,
    connection: Connection,
    startedAt: number,
    proxy: WebProxy | undefined,
  ): Promise<Exchange> {
    const { clock, maxBodyBytes: usualBytes } = this.#options
    const { maxBodyBytes = usualBytes, keepErrorBody, sink, timeoutMs } = request
    // A request with its own size limit wants the beginning, whatever the announced length; a sink decides itself.
    const isAnyLength = request.maxBodyBytes !== undefined || sink !== undefined
    const limits =
      isAnyLength || timeoutMs !== undefined
        ? {
            ...this.#options,
            ...(isAnyLength && { maxDeclaredBytes: Number.POSITIVE_INFINITY }),
            ...(timeoutMs !== undefined && { totalTimeoutMs: timeoutMs }),
          }
        : this.#options
    const exchange = new Exchange(clock, limits, startedAt, maxBodyBytes, keepErrorBody)
    try {
      const outgoing = this.#outgoing(request, target, proxy)
      exchange.requestHeaders = recordedHeaders(outgoing.headers, this.#credentials.secretNames)
      await exchange.run(connection, outgoing, request)
    } finally {
      this.#pool.giveBack(connection, exchange.isComplete, request.isFollowed)
    }
    return exchange
  }

  #cookiesOf({ session }: FetchRequest): SessionCookies | undefined {
    return session?.cookies ?? this.#cookies
  }

  #outgoing(request: FetchRequest, target: Target, proxy: WebProxy | undefined): OutgoingRequest {
    const { url } = target
    const headers = flatHeaders(
      this.#headers,
      this.#credentials.withHeaders(url, request.headers),
      request.validators,
    )
    const cookies = this.#cookiesOf(request)
    if (cookies !== undefined) addCookies(headers, cookies, url)
    const forwarding = isForwarded(target, proxy) ? proxy : undefined
    const authorization = forwarding && proxyAuthorization(forwarding)
    if (authorization !== undefined) headers.push('proxy-authorization', authorization)
    const path = url.pathname + url.search
    return {
      method: request.method ?? 'GET',
      path: forwarding === undefined ? path : url.origin + path,
      headers,
      body: request.body ?? null,
    }
  }

  #tellOfRefusal(host: string, reason: string): void {
    if (this.#refusedHosts.size === MAX_TOLD_HOSTS || this.#refusedHosts.has(host)) return
    this.#refusedHosts.add(host)
    this.#options.onRefusedHost(printable(reason))
  }

  #rulesFor({ maxBodyBytes }: FetchRequest): ResponseRules {
    if (maxBodyBytes === undefined) return this.#rules
    return { ...this.#rules, decode: { ...this.#rules.decode, maxBytes: maxBodyBytes } }
  }

  #timings(startedAt: number, exchange?: Exchange, connection?: Connection): FetchTimings {
    const timings: Writable<FetchTimings> = { startedAt, totalMs: this.#options.clock.now() - startedAt }
    const dialled = connection?.isFresh ? connection.dialled : undefined
    if (dialled?.resolvedAt !== undefined) timings.dnsMs = dialled.resolvedAt - startedAt
    if (dialled !== undefined) timings.connectMs = dialled.connectedAt - startedAt
    if (exchange?.headersAt !== undefined) timings.headersMs = exchange.headersAt - startedAt
    return timings
  }
}

/**
 * Whether a request that failed before a byte of the response may be sent once more: when a kept connection may have been closed as we sent,
 * and when a server offers HTTP/2 and cannot speak it.
 */
function mayRepeat(
  { method = 'GET', signal }: FetchRequest,
  { failure, responseStarted }: Exchange,
  connection: Connection,
): boolean {
  if (failure === undefined || responseStarted || signal?.aborted || !IDEMPOTENT.has(method)) return false
  if (failure.kind === 'malformed') return connection.protocol === 'h2'
  const wasReset = failure.kind === 'network-failure' && failure.cause === 'reset'
  return wasReset && connection.dialled !== undefined && (!connection.isFresh || connection.protocol === 'h2')
}

function isForwarded({ secure }: Target, proxy: WebProxy | undefined): boolean {
  return !secure && proxy !== undefined && forwardsRequests(proxy)
}

function listOf(proxy: HttpFetcherOptions['proxy']): readonly ProxyOptions[] {
  if (proxy === undefined) return []
  return 'url' in proxy ? [proxy] : proxy
}

type Writable<T> = { -readonly [Name in keyof T]: T[Name] }

/** The server of a URL. */
interface Target {
  readonly url: URL
  /** A name or an address literal: no brackets, no dot at the end. */
  readonly host: string
  readonly port: number
  readonly secure: boolean
}

/** The target, or why this URL is not fetched. The URL parser has already decoded disguised addresses. */
function judge(text: string): Target | Failure {
  const url = URL.parse(text)
  if (url === null) return refusal('url', `${text} is not a URL`).failure
  const secure = url.protocol === 'https:'
  if (!secure && url.protocol !== 'http:') return refusal('scheme', `${url.protocol} is not crawled`).failure
  const port = url.port === '' ? (secure ? 443 : 80) : Number(url.port)
  if (BLOCKED_PORTS.has(port))
    return refusal('port', `port ${port} is on the list of blocked ports (WHATWG Fetch)`).failure
  return { url, host: url.hostname.replace(/^\[|\]$|\.$/g, ''), port, secure }
}
