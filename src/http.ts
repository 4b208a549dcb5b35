/** `orbweaver/http`: one request in, one typed outcome out. */
export type {
  FetchedBody,
  FetchOutcome,
  FetchOutcomeKind,
  FetchTimings,
  HttpAnswer,
  NetworkFailureCause,
  RefusalCause,
  TooLargeCause,
  Truncation,
} from './fetch/fetch-outcome.ts'
export { FETCH_STATUS_CODES, PROTOCOL_STATUSES, protocolStatusOf } from './fetch/fetch-status.ts'
export type { Fetcher, FetchRequest, Validators } from './fetch/fetcher.ts'
export { type HeaderList, header, headerValues } from './fetch/headers.ts'
export { isGloballyRoutable } from './http/globally-routable.ts'
export { HttpFetcher, type HttpFetcherOptions } from './http/http-fetcher.ts'
export type { Resolve } from './http/resolve.ts'
export { type AgentIdentity, userAgent } from './http/user-agent.ts'
