import { CrawlError } from '../../../base/crawl-error.ts'
import type { JsonObject } from '../../../base/json.ts'
import type { CrawlApi, SearchApi } from '../serve-ports.ts'
import type {
  ActionResult,
  ControlledCrawl,
  Injected,
  InjectRequest,
  NewCrawl,
  StartLimits,
} from './control-schemas.ts'

/** The crawls that the control API creates, configures and runs. Methods reject with `ControlRefused`. */
export interface CrawlManager {
  list(): Promise<ControlledCrawl[]>
  status(name: string): Promise<ControlledCrawl>
  create(crawl: NewCrawl): Promise<{ readonly crawl: ControlledCrawl; readonly injected: Injected }>
  settings(name: string): Promise<JsonObject>
  /** Replaces the settings that can be set over the API. The next run uses them. */
  configure(name: string, settings: Readonly<Record<string, unknown>>): Promise<JsonObject>
  inject(name: string, request: InjectRequest): Promise<Injected>
  /** Starts a run, or resumes an interrupted one. */
  start(name: string, limits: StartLimits): Promise<ControlledCrawl>
  /** Updates the search index. */
  index(name: string): Promise<ControlledCrawl>
  act(name: string, action: 'stop' | 'pause' | 'resume'): Promise<ActionResult>
  /** The last lines of the log of the last job, oldest first. */
  log(name: string, lines: number): Promise<string[]>
  /** The stored data of a crawl. */
  reports(name: string): Promise<{ readonly crawl: CrawlApi; readonly search: SearchApi }>
}

export type ControlRefusal = 'bad-request' | 'not-found' | 'not-running' | 'conflict' | 'busy'

/**
 * A request of the [control API](control-api.md) cannot be carried out.
 * Remedy: The response has the reason as its `error.code`, such as `conflict` or `not-found`, and a message for the client.
 */
export class ControlRefused extends CrawlError {
  readonly code = 'CONTROL_REFUSED'
  readonly retryable = false
  readonly reason: ControlRefusal

  constructor(reason: ControlRefusal, message: string) {
    super(message)
    this.reason = reason
  }
}
