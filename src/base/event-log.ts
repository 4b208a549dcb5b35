import type { JsonObject } from './json.ts'

/** From the least to the most important. A `notice` is for the operator, as warnings are, but nothing is wrong. */
export const EVENT_LEVELS = ['trace', 'debug', 'info', 'notice', 'warning', 'error'] as const
export type EventLevel = (typeof EVENT_LEVELS)[number]

/** The parts of the crawler whose level can be set separately. */
export const EVENT_TOPICS = [
  ...['crawl', 'fetch', 'robots', 'politeness', 'parse', 'crawldb', 'index'],
  ...['spider', 'items', 'redis', 'serve'],
] as const
export type EventTopic = (typeof EVENT_TOPICS)[number]

/** One noteworthy thing. */
export interface CrawlEvent {
  readonly level: EventLevel
  readonly topic: EventTopic
  /** Stable, for programs: `ROBOTS_UNREACHABLE`. docs/error-codes.md explains each code. */
  readonly code: string
  /** For people: what happened, why, and what to do. */
  readonly message: string
  readonly url?: string
  readonly host?: string
  /** More values, for programs. */
  readonly data?: JsonObject
}

/** Receives events. `isOn` lets the hot path skip events that are not read. */
export interface EventLog {
  /** Whether events of this topic and level are read. */
  isOn(topic: EventTopic, level: EventLevel): boolean
  /** Receives an event. Called only if `isOn` is true for it. */
  write(event: CrawlEvent): void
}

/** Discards all events. */
export const NO_LOG: EventLog = Object.freeze({ isOn: () => false, write: () => {} })
