/** `orbweaver/http`: one request in, one typed outcome out. */

export { isGloballyRoutable } from './adapters/http/globally-routable.ts'
export { HttpFetcher, type HttpFetcherOptions } from './adapters/http/http-fetcher.ts'
export type { Resolve } from './adapters/http/resolve.ts'
export { type AgentIdentity, userAgent } from './adapters/http/user-agent.ts'
export { type Clock, steadyClock, wallClock } from './base/clock.ts'
export type {
  FetchedBody,
  FetchOutcome,
  FetchOutcomeKind,
  FetchTimings,
  HttpResponse,
  NetworkFailureCause,
  RefusalCause,
  TooLargeCause,
  Truncation,
} from './domain/fetch/fetch-outcome.ts'
export { FETCH_STATUS_CODES, PROTOCOL_STATUSES, protocolStatusOf } from './domain/fetch/fetch-status.ts'
export type { Fetcher, FetchRequest, Validators } from './domain/fetch/fetcher.ts'
export { type HeaderList, header, headerValues } from './domain/fetch/headers.ts'
