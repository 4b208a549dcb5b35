/**
 * Polite fetching with one queue per host.
 * @module orbweaver/politeness
 */

export { type Clock, steadyClock, wallClock } from './base/clock.ts'
export type { PartResult } from './domain/fetch/page-renderer.ts'
export type { FetchSlotsOptions } from './domain/politeness/fetch-slots.ts'
export type { HostLimits, HostOptions } from './domain/politeness/host-options.ts'
export { type HostOutcome, hostOutcomeOf } from './domain/politeness/host-outcome.ts'
export type { HostClaim, HostOwnership } from './domain/politeness/host-ownership.ts'
export {
  type AddResult,
  type Expelled,
  type HostCounts,
  type HostFigure,
  HostQueues,
  type HostQueuesOptions,
  type QueuedHost,
  type Wait,
} from './domain/politeness/host-queues.ts'
export type { EffectiveDelay, HostState, Parking } from './domain/politeness/host-throttle.ts'
export {
  PoliteFetcher,
  type PoliteFetcherOptions,
  type PoliteFetcherParts,
} from './domain/politeness/polite-fetcher.ts'
export type { PoliteResult, PoliteTask, RobotsRefusal } from './domain/politeness/polite-result.ts'
export type { RobotsDecision } from './domain/politeness/robots-check.ts'
export type { Taken } from './domain/politeness/ticket.ts'
export type { AiUseStatement } from './domain/robots/ai-use.ts'
export { type CheckParts, checkUrl, type UrlCheck } from './flows/cycle/check-url.ts'
