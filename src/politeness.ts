/** `orbweaver/politeness`: one queue per host, none asked too fast. */
export type { HostOptions } from './politeness/host-options.ts'
export { type HostOutcome, hostOutcomeOf } from './politeness/host-outcome.ts'
export type { HostState } from './politeness/host-pace.ts'
export {
  type Added,
  type Expelled,
  type HostCounts,
  HostQueues,
  type HostQueuesOptions,
  type Wait,
} from './politeness/host-queues.ts'
export { PoliteFetcher, type PoliteFetcherOptions, type Turn } from './politeness/polite-fetcher.ts'
export type { Taken } from './politeness/ticket.ts'
