import type { ProtocolStatusName } from '../fetch/fetch-status.ts'
import type { Validators } from '../fetch/fetcher.ts'
import type { ScheduledPage } from '../schedule/fetch-schedule.ts'
import type { ScoredPage } from '../scoring/scoring.ts'
import type { DbStatus } from './crawl-status.ts'

/**
 * All that is remembered about one URL. Times are milliseconds since the epoch, 0 for never; the interval is in whole seconds.
 * The rules of schedule/ and score/ each see the part they are about.
 */
export interface CrawlRecord extends ScheduledPage, ScoredPage {
  /** Absolute and normalised; the key. */
  readonly url: string
  readonly status: DbStatus
  /** Time of the last request, whatever its outcome. */
  readonly lastFetchTime: number
  /** When its body was last received, changed or not. */
  readonly contentTime: number
  /** Fingerprint of the content, lower-case hex; `undefined` when it was never parsed or the page has none. */
  readonly signature: string | undefined
  /** Validators for a conditional request; `undefined`: the next request is unconditional. */
  readonly validators: Validators | undefined
  /** Text by key: seed metadata, results of the last fetch, state of scoring rules and schedules. */
  readonly metadata: Readonly<Record<string, string>>
  /** The segment whose fetch list it is on; `undefined`: none, so it can be generated. */
  readonly generatedIn: string | undefined
  /** Outcome of the last fetch; `undefined`: never fetched, or fetched by a version before 0.2. */
  readonly lastOutcome: LastOutcome | undefined
}

/** Outcome of a fetch. */
export interface LastOutcome {
  readonly protocolStatus: ProtocolStatusName
  /** Absent if there was no response: a network failure, or disallowed by robots.txt. */
  readonly httpStatus?: number
}

/** A page that was never fetched. */
export function unfetchedRecord(page: ScheduledPage & ScoredPage): CrawlRecord {
  const { url, fetchTime, fetchInterval, modifiedTime, retries, score, metadata } = page
  return {
    url,
    status: 'db_unfetched',
    fetchTime,
    fetchInterval,
    modifiedTime,
    retries,
    score,
    lastFetchTime: 0,
    contentTime: 0,
    signature: undefined,
    validators: undefined,
    metadata,
    generatedIn: undefined,
    lastOutcome: undefined,
  }
}
