import { CrawlError } from '../../../base/crawl-error.ts'
import type { JsonObject } from '../../../base/json.ts'
import type { CrawlApi, SearchApi } from '../serve-ports.ts'
import type {
  ActionResult,
  CrawlStatus,
  Injected,
  InjectRequest,
  NewCrawl,
  StartRequest,
} from './control-schemas.ts'

/** The crawls that the control API creates, configures and runs. Methods reject with `ControlRefused`. */
export interface CrawlControl {
  list(): Promise<CrawlStatus[]>
  status(name: string): Promise<CrawlStatus>
  create(crawl: NewCrawl): Promise<{ readonly crawl: CrawlStatus; readonly injected: Injected }>
  settings(name: string): Promise<JsonObject>
  /** Replaces the settings that can be set over the API. The next run uses them. */
  configure(name: string, settings: Readonly<Record<string, unknown>>): Promise<JsonObject>
  inject(name: string, request: InjectRequest): Promise<Injected>
  /** Starts a run, or resumes an interrupted one. */
  start(name: string, limits: StartRequest): Promise<CrawlStatus>
  /** Updates the search index. */
  index(name: string): Promise<CrawlStatus>
  act(name: string, action: 'stop' | 'pause' | 'resume'): Promise<ActionResult>
  /** The last lines of the log of the last job, oldest first. */
  log(name: string, lines: number): Promise<string[]>
  /** The stored data of a crawl. */
  reports(name: string): Promise<{ readonly crawl: CrawlApi; readonly search: SearchApi }>
}

export type RefusalReason = 'bad-request' | 'not-found' | 'not-running' | 'conflict' | 'busy'

/** A request that cannot be carried out. The message is for the client. */
export class ControlRefused extends CrawlError {
  readonly code = 'CONTROL_REFUSED'
  readonly retryable = false
  readonly reason: RefusalReason

  constructor(reason: RefusalReason, message: string) {
    super(message)
    this.reason = reason
  }
}
