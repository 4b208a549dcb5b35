import { isBlockingStatus } from '../fetch/fetch-status.ts'
import type { Validators } from '../fetch/fetcher.ts'
import type { ChangeState } from '../schedule/change-state.ts'
import { deniedRetryMs } from '../schedule/default-schedule.ts'
import {
  type ChangeEvidence,
  DAY_SECONDS,
  type FetchSchedule,
  type ScheduledTiming,
} from '../schedule/fetch-schedule.ts'
import { LASTMOD_WRONG_KEY, statedChange } from '../schedule/listed-page.ts'
import { judgeOrphan, markLinked, type OrphanLimits } from '../scoring/orphan-rule.ts'
import { type InlinkSum, NO_INLINKS, type Scoring, type Standing } from '../scoring/scoring.ts'
import { type CrawlRecord, type LastOutcome, unfetchedRecord } from './crawl-record.ts'
import type { DbStatus } from './crawl-status.ts'

export interface UpdateRules {
  readonly schedule: FetchSchedule
  readonly scoring: Scoring
  /** The transient failure in a row that makes a page gone. @default 3 */
  readonly retryMax?: number
  /** Whether URLs the db does not know are added. @default true */
  readonly additionsAllowed?: boolean
  /** Marks pages without inlinks; absent: they stay as they are. */
  readonly orphans?: OrphanLimits
  /** Keys of metadata that the targets of links inherit, unless they have a value. @default none */
  readonly inheritedKeys?: readonly string[]
}

/**
 * The record after an update round at `now` (ms): the status machine, the schedule and the scores in one step.
 * `undefined` when there is nothing to remember. The new status depends on the event and on whether there was a record, its signature and
 * its retries; never on the old status.
 */
export function updateRecord(
  old: CrawlRecord | undefined,
  events: PageEvents,
  rules: UpdateRules,
  now: number,
): CrawlRecord | undefined {
  const fetch = isNews(old, events.fetch) ? events.fetch : undefined
  const linked = events.inlinks !== undefined || events.redirectedFrom !== undefined
  const happened = linked || fetch !== undefined
  if (old === undefined && !(happened && (rules.additionsAllowed ?? true))) return undefined

  const known = old ?? newRecord(events, rules, now)
  const fetched = fetch === undefined ? known : applyFetch(known, fetch, rules)
  const scored = happened ? rescore(fetched, events, fetch, rules.scoring) : fetched
  const listed =
    events.listed === undefined ? scored : noteListing(scored, events.listed, rules.schedule, now)
  return rules.orphans === undefined ? listed : watchOrphan(listed, linked, rules.orphans, now)
}

interface Row {
  readonly status: DbStatus
  /** Which rule of the schedule sets the next fetch. */
  readonly next: ChangeState | 'gone' | 'retry' | 'give-up'
  readonly signature: 'new' | 'old' | 'none'
  /** `newest`: those of this response, otherwise the stored ones. */
  readonly validators: 'new' | 'newest' | 'old' | 'none'
}

/** The status machine: the effect of each fetch outcome on a record. */
const ROWS = {
  // No comparison possible: the first fetch, or one of the two was not parsed.
  'first content': { status: 'db_fetched', next: 'unknown', signature: 'new', validators: 'new' },
  'other content': { status: 'db_fetched', next: 'modified', signature: 'new', validators: 'new' },
  'same content': { status: 'db_notmodified', next: 'not-modified', signature: 'old', validators: 'new' },
  'not modified': { status: 'db_notmodified', next: 'not-modified', signature: 'old', validators: 'newest' },
  'temporary redirect': { status: 'db_redir_temp', next: 'unknown', signature: 'none', validators: 'none' },
  'permanent redirect': { status: 'db_redir_perm', next: 'unknown', signature: 'none', validators: 'none' },
  gone: { status: 'db_gone', next: 'gone', signature: 'old', validators: 'none' },
  'parse failed': { status: 'db_parse_failed', next: 'gone', signature: 'old', validators: 'none' },
  'failed, try again': { status: 'db_unfetched', next: 'retry', signature: 'old', validators: 'old' },
  'failed too often': { status: 'db_gone', next: 'give-up', signature: 'old', validators: 'none' },
} as const satisfies Record<string, Row>

type RowName = keyof typeof ROWS
type ServerEvent = Exclude<FetchEvent, { kind: 'not-reached' }>

function rowOf(page: CrawlRecord, event: ServerEvent, retryMax: number): RowName {
  switch (event.kind) {
    case 'success':
      // A page that was not parsed has no signature, so it cannot be compared with the old one.
      if (page.signature === undefined || event.signature === undefined) return 'first content'
      return page.signature === event.signature ? 'same content' : 'other content'
    case 'not-modified':
      return 'not modified'
    case 'redirect':
      return event.permanent ? 'permanent redirect' : 'temporary redirect'
    case 'gone':
      return 'gone'
    case 'parse-failed':
      return 'parse failed'
    case 'retry':
      return page.retries + 1 < retryMax ? 'failed, try again' : 'failed too often'
  }
}

function applyFetch(page: CrawlRecord, event: FetchEvent, rules: UpdateRules): CrawlRecord {
  if (!isReadLate(page, event)) return recordFetch(page, event, rules)
  // The record already includes the fetch: only the parse results are new.
  if (event.kind === 'success')
    return { ...page, metadata: { ...page.metadata, ...event.metadata }, signature: event.signature }
  return { ...recordFetch(page, event, rules), generatedIn: page.generatedIn }
}

function recordFetch(page: CrawlRecord, event: FetchEvent, rules: UpdateRules): CrawlRecord {
  const metadata = { ...page.metadata, ...event.metadata }
  if (event.kind === 'not-reached')
    return {
      ...page,
      metadata,
      fetchTime: notBefore(page.fetchTime, event, rules.schedule),
      generatedIn: undefined,
    }

  const row: Row = ROWS[rowOf(page, event, rules.retryMax ?? 3)]
  const { metadata: scheduled, ...timing } = nextFetch({ ...page, metadata }, event, row, rules.schedule)
  const updated: CrawlRecord = {
    ...page,
    ...timing,
    status: row.status,
    metadata: checkStatedDate(page, { ...metadata, ...scheduled }, event.fetchedAt, row.next),
    lastFetchTime: event.fetchedAt,
    contentTime: hadBody(event) ? event.fetchedAt : page.contentTime,
    signature: row.signature === 'old' ? page.signature : signatureOf(event),
    validators: nextValidators(page, event, row),
    generatedIn: undefined,
    lastOutcome: event.outcome,
  }
  return event.kind === 'not-modified' ? renewBody(updated, rules.schedule.maxIntervalSeconds) : updated
}

function nextFetch(
  page: CrawlRecord,
  event: ServerEvent,
  row: Row,
  schedule: FetchSchedule,
): ScheduledTiming {
  switch (row.next) {
    case 'gone':
      return schedule.onGone(page, event.fetchedAt)
    case 'retry': {
      const timing = schedule.onRetry(page, event.fetchedAt)
      const waitMs = Math.min(deniedRetryMs(page.retries), schedule.maxIntervalSeconds * 1000)
      const fetchTime = isBlocked(event) ? event.fetchedAt + waitMs : timing.fetchTime
      return { ...timing, fetchTime: notBefore(fetchTime, event, schedule) }
    }
    case 'give-up':
      return schedule.onGone({ ...page, ...schedule.onRetry(page, event.fetchedAt) }, event.fetchedAt)
    default:
      return schedule.onFetched(page, event.fetchedAt, row.next, evidenceOf(event))
  }
}

/** `undefined` for an event without content. */
function evidenceOf(event: ServerEvent): ChangeEvidence | undefined {
  if (event.kind !== 'success' && event.kind !== 'not-modified') return undefined
  const changedAt = Date.parse(event.validators?.lastModified ?? '')
  const maxAgeSeconds = Number(event.metadata?.[MAX_AGE_KEY])
  const { contentType } = event
  return {
    ...(changedAt > 0 && { changedAt }),
    ...(maxAgeSeconds > 0 && { maxAgeSeconds }),
    ...(contentType !== undefined && { contentType }),
  }
}

/** Remembers whether a date of a sitemap or feed after the last fetch was wrong: the content had not changed. */
function checkStatedDate(
  { lastFetchTime }: CrawlRecord,
  metadata: Readonly<Record<string, string>>,
  fetchedAt: number,
  change: Row['next'],
): Readonly<Record<string, string>> {
  const stated = statedChange(metadata, fetchedAt)
  if (stated === undefined || lastFetchTime === 0 || stated <= lastFetchTime) return metadata
  if (change === 'not-modified') return { ...metadata, [LASTMOD_WRONG_KEY]: 'yes' }
  if (change !== 'modified') return metadata
  const { [LASTMOD_WRONG_KEY]: _, ...others } = metadata
  return others
}

/** Adds what a sitemap or feed says, and moves the fetch of a page forward that changed after its last fetch. */
function noteListing(
  page: CrawlRecord,
  listed: Readonly<Record<string, string>>,
  schedule: FetchSchedule,
  now: number,
): CrawlRecord {
  const noted = { ...page, metadata: { ...page.metadata, ...listed } }
  const { lastFetchTime } = page
  const stated = statedChange(noted.metadata, now) ?? 0
  if (lastFetchTime === 0 || stated <= lastFetchTime) return noted
  if (noted.metadata[LASTMOD_WRONG_KEY] !== undefined) return noted
  const due = schedule.onListed?.(noted, lastFetchTime, now) ?? now
  return { ...noted, fetchTime: Math.min(noted.fetchTime, due) }
}

/** `fetchTime`, or the host's Retry-After if that is later, but at most the longest interval from now. */
function notBefore(fetchTime: number, event: FetchEvent, schedule: FetchSchedule): number {
  const retryAt = 'retryAt' in event ? (event.retryAt ?? 0) : 0
  const latest = event.fetchedAt + schedule.maxIntervalSeconds * 1000
  return Math.max(fetchTime, Math.min(retryAt, latest))
}

function isBlocked({ outcome }: ServerEvent): boolean {
  return outcome?.httpStatus !== undefined && isBlockingStatus(outcome.httpStatus)
}

function hadBody({ kind }: ServerEvent): boolean {
  return kind === 'success' || kind === 'parse-failed'
}

function signatureOf(event: ServerEvent): string | undefined {
  return event.kind === 'success' ? event.signature : undefined
}

function nextValidators(page: CrawlRecord, event: ServerEvent, row: Row): Validators | undefined {
  const sent = event.kind === 'success' || event.kind === 'not-modified' ? event.validators : undefined
  switch (row.validators) {
    case 'new':
      return sent
    case 'newest':
      return sent ?? page.validators
    case 'old':
      return page.validators
    case 'none':
      return undefined
  }
}

/** Whether the event has not been seen before: a segment may be merged twice, or after a newer one. */
function isNews(old: CrawlRecord | undefined, event: FetchEvent | undefined): boolean {
  if (old === undefined || event === undefined) return event !== undefined
  return event.fetchedAt > old.lastFetchTime || isReadLate(old, event)
}

/** Whether the event is the last fetch again, parsed meanwhile: a segment may be merged before it is parsed. */
function isReadLate(page: CrawlRecord, event: FetchEvent): boolean {
  const isUnread = page.status === 'db_fetched' && page.signature === undefined
  const isRead = event.kind === 'parse-failed' || (event.kind === 'success' && event.signature !== undefined)
  return isUnread && isRead && event.fetchedAt === page.lastFetchTime
}

function newRecord(
  { url, redirectedFrom, priority }: PageEvents,
  rules: UpdateRules,
  now: number,
): CrawlRecord {
  const start = { url, score: 0, metadata: {}, ...redirectedFrom }
  const standing = rules.scoring.initial(start, redirectedFrom === undefined ? 'link' : 'redirect')
  const score = standing.score + (priority ?? 0)
  return unfetchedRecord({ url, ...rules.schedule.initialise(now), ...standing, score })
}

function rescore(
  page: CrawlRecord,
  { inlinks = NO_INLINKS }: PageEvents,
  fetch: FetchEvent | undefined,
  scoring: Scoring,
): CrawlRecord {
  const given = fetch?.kind === 'success' ? (fetch.scoreGiven ?? 0) : 0
  return { ...page, ...scoring.update(page, inlinks, given) }
}

function watchOrphan(page: CrawlRecord, linked: boolean, limits: OrphanLimits, now: number): CrawlRecord {
  if (linked) return { ...page, metadata: markLinked(page.metadata, now) }
  const verdict = judgeOrphan(page.metadata, now, limits)
  return verdict === undefined ? page : { ...page, status: verdict === 'gone' ? 'db_gone' : 'db_orphan' }
}

/**
 * After a 304: if the stored body would be older than the longest interval at the next fetch, drops the validators, so that the next fetch
 * gets the body again, and moves that fetch forward if necessary, but not to less than a day. Bodies are therefore at most
 * `maxIntervalSeconds` and a day old, and a segment can be deleted once it is that old.
 */
export function renewBody(record: CrawlRecord, maxIntervalSeconds: number): CrawlRecord {
  const deadline = record.contentTime + maxIntervalSeconds * 1000
  // A fetch on the last day is the last one in time.
  if (record.fetchTime < deadline - DAY_MS) return record
  const fetchTime = Math.min(record.fetchTime, Math.max(deadline, record.lastFetchTime + DAY_MS))
  return { ...record, fetchTime, validators: undefined }
}

const DAY_MS = DAY_SECONDS * 1000

/** Metadata: seconds for which the server called the last response fresh. */
export const MAX_AGE_KEY = 'maxAge'

/** The events of one URL in an update. Without any of the three, nothing happened. */
export interface PageEvents {
  readonly url: string
  /** The newest fetch. */
  readonly fetch?: FetchEvent
  /** The sum of the links to it. */
  readonly inlinks?: InlinkSum
  /** The score and metadata of a page that redirects here; used only for a new URL. */
  readonly redirectedFrom?: Standing
  /** Metadata from a sitemap or feed that lists it: see `listedMetadata`. */
  readonly listed?: Readonly<Record<string, string>>
  /** Priority in a sitemap, which is added to the score of a new URL. */
  readonly priority?: number
}

/** The outcome of a fetch, as far as the record needs it. */
export type FetchEvent = FetchFacts &
  (
    | {
        readonly kind: 'success'
        /** Signature of the parsed content (hex); absent if the page was not parsed. */
        readonly signature?: string
        readonly validators?: Validators
        /** Media type of the content. */
        readonly contentType?: string
        /** The sum of the scores the page passed to its links. @default 0 */
        readonly scoreGiven?: number
      }
    /** 304. `validators` only if the response has new ones. */
    | {
        readonly kind: 'not-modified'
        readonly validators?: Validators
        readonly contentType?: undefined
      }
    | { readonly kind: 'redirect'; readonly permanent: boolean }
    /** Not found, gone, denied by the server or by robots.txt. */
    | { readonly kind: 'gone' }
    /** A transient failure. */
    | {
        readonly kind: 'retry'
        /** Time of Retry-After: no request before (ms since the epoch). */
        readonly retryAt?: number
      }
    /** The content could not be parsed, and such pages are marked. */
    | { readonly kind: 'parse-failed' }
    /** No request was sent: the time limit was reached, or the host must wait. */
    | {
        readonly kind: 'not-reached'
        /** The host must not be requested before (ms since the epoch). */
        readonly retryAt?: number
      }
  )

interface FetchFacts {
  /** When it happened (ms since the epoch). */
  readonly fetchedAt: number
  /** Absent in segments of other programs, and for `not-reached`. */
  readonly outcome?: LastOutcome
  /** Merged over the record's metadata: content type, HTTP status, the reason of a failure, chosen parse metadata. */
  readonly metadata?: Readonly<Record<string, string>>
}
