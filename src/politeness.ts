/** `orbweaver/politeness`: polite fetching with one queue per host. */
export { type Clock, steadyClock, wallClock } from './base/clock.ts'
export type { HostOptions } from './domain/politeness/host-options.ts'
export { type HostOutcome, hostOutcomeOf } from './domain/politeness/host-outcome.ts'
export {
  type AddResult,
  type Expelled,
  type HostCounts,
  HostQueues,
  type HostQueuesOptions,
  type Wait,
} from './domain/politeness/host-queues.ts'
export type { HostState } from './domain/politeness/host-throttle.ts'
export {
  PoliteFetcher,
  type PoliteFetcherOptions,
  type PoliteFetcherParts,
} from './domain/politeness/polite-fetcher.ts'
export type { PoliteResult, PoliteTask } from './domain/politeness/polite-result.ts'
export type { Taken } from './domain/politeness/ticket.ts'
export { type CheckParts, checkUrl, type UrlCheck } from './flows/cycle/check-url.ts'
