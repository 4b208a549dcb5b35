import type { Settings } from '../adapters/config/config-schema.ts'
import type { EventLog } from '../base/event-log.ts'
import type { RequestObserver } from '../domain/fetch/request-observer.ts'
import type { LiveCrawl } from '../domain/live/live-crawl.ts'

/** Watches a run from its start to its end: the dashboard, metrics, notifications, the request log. */
export interface RunWatcher {
  /** Is told about every request. @default none */
  readonly observer?: RequestObserver
  /** Called with the settings and the log of the run, before its start. */
  configured?(settings: Settings, log: EventLog): void
  /** Called before the first request. An error ends the run. */
  started?(live: LiveCrawl): void | Promise<void>
  /** Called once after the last request, also after a failure. */
  ended?(): void | Promise<void>
}
