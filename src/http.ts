/**
 * One request in, one typed outcome out.
 * @module orbweaver/http
 */

export type { CookieJar, CookieState } from './adapters/http/cookie-jar.ts'
export type { HostCredentials } from './adapters/http/credentials.ts'
export type { DnsCacheOptions } from './adapters/http/dns-cache.ts'
export { isGloballyRoutable } from './adapters/http/globally-routable.ts'
export { HttpFetcher, type HttpFetcherOptions } from './adapters/http/http-fetcher.ts'
export type { PrivateAccess } from './adapters/http/permitted-addresses.ts'
export type { ProxyOptions, ProxyResolve } from './adapters/http/proxy.ts'
export type { ProxyEvent } from './adapters/http/proxy-pool.ts'
export type { Resolution, Resolve, ResolvedAddress } from './adapters/http/resolve.ts'
export { type AgentIdentity, userAgent } from './adapters/http/user-agent.ts'
export { type Clock, steadyClock, wallClock } from './base/clock.ts'
export type { BodySink } from './domain/fetch/body-sink.ts'
export type { Cookie } from './domain/fetch/cookie.ts'
export type {
  ErrorOutcome,
  FetchedBody,
  FetchOutcome,
  FetchOutcomeKind,
  FetchTimings,
  HttpResponse,
  NetworkFailureCause,
  OutcomeBase,
  RefusalCause,
  Rendering,
  Repeatable,
  TooLargeCause,
  Truncation,
} from './domain/fetch/fetch-outcome.ts'
export { FETCH_STATUS_CODES, PROTOCOL_STATUSES, protocolStatusOf } from './domain/fetch/fetch-status.ts'
export type {
  Fetcher,
  FetchRequest,
  RequestSession,
  SessionCookies,
  Validators,
} from './domain/fetch/fetcher.ts'
export { type HeaderList, header, headerValues } from './domain/fetch/headers.ts'
