import type { DropCounts } from '../../base/drop-counts.ts'
import { withoutUndefined } from '../../base/without-undefined.ts'
import { sniffType } from '../content/sniff-type.ts'
import type { FetchOutcome, Rendering } from '../fetch/fetch-outcome.ts'
import {
  fetchStatusOf,
  PROTOCOL_STATUSES,
  type ProtocolStatusName,
  protocolStatusOf,
} from '../fetch/fetch-status.ts'
import type { Validators } from '../fetch/fetcher.ts'
import { validatorsOf } from '../fetch/fetcher.ts'
import { type HeaderList, header } from '../fetch/headers.ts'
import type { RobotsRefusal } from '../politeness/polite-result.ts'
import { type AiUseStatement, combineAiUse } from '../robots/ai-use.ts'
import { DAY_SECONDS } from '../schedule/fetch-schedule.ts'
import type { ContentRow, FetchRow, ParseDataRow } from './segment-rows.ts'

/** The URL of a row. */
export interface FetchedUrl {
  readonly url: string
  /** The URL that redirected here. */
  readonly from?: string
}

/** The part of a parse result that goes into the fetch row. */
export interface ParseFindings extends Pick<ParseDataRow, 'status' | 'reason' | 'contentType'> {
  /** Compared with the signature of the last fetch; absent when the content has none. */
  readonly signature?: string
  /** Sum of the scores passed to links. */
  readonly scoreGiven: number
  /** Statements in its headers and metas. @default none */
  readonly aiUse?: readonly AiUseStatement[]
  /** Number of links that were not kept, by reason, and whether the text was truncated. */
  readonly dropped: DropCounts
}

type Outcome<Kind extends FetchOutcome['kind']> = Extract<FetchOutcome, { readonly kind: Kind }>

/** The row of a request that was made. `parsed` and `redirect` go with a success and a redirect. */
export function fetchRow(
  fetched: FetchedUrl,
  outcome: FetchOutcome,
  more: {
    readonly parsed?: ParseFindings
    /** See `ParseRules`. @default false */
    readonly markFailed?: boolean
    readonly redirect?: RedirectVerdict
    /** Statements of robots.txt about the URL. @default none */
    readonly aiUse?: readonly AiUseStatement[]
  } = {},
): FetchRow {
  const protocolStatus = more.redirect?.kind === 'circle' ? 'REDIR_EXCEEDED' : protocolStatusOf(outcome)
  const reason = more.redirect === undefined ? reasonOf(outcome) : redirectReason(more.redirect)
  return {
    ...statusOf(fetched, protocolStatus, outcome.timings.startedAt),
    ...(outcome.kind === 'access-denied' && { status: fetchStatusOf(outcome) }),
    ...('response' in outcome && responseOf(outcome)),
    ...(outcome.timings.headersMs !== undefined && { responseMs: Math.round(outcome.timings.headersMs) }),
    ...(outcome.kind === 'success' && successOf(outcome, more.parsed, more.markFailed)),
    ...(outcome.kind === 'success' && aiUseOf(more.aiUse, more.parsed?.aiUse)),
    ...(outcome.kind === 'not-modified' && validatorsIn(outcome.response.headers)),
    ...(more.redirect !== undefined && 'url' in more.redirect && { redirectTo: more.redirect.url }),
    ...('retryAt' in outcome && outcome.retryAt !== undefined && { retryAt: Math.ceil(outcome.retryAt) }),
    ...withoutUndefined({ reason }),
    ...(outcome.kind === 'success' && outcome.rendered !== undefined && renderedOf(outcome.rendered)),
    ...(more.redirect?.kind === 'drop' && { dropped: { [more.redirect.dropReason]: 1 } }),
  }
}

function renderedOf({ browser, requests, isIncomplete }: Rendering): Pick<FetchRow, 'metadata'> {
  const counts = Object.entries(requests).map(([what, count]) => `${what} ${count}`)
  const notes = [...counts, ...(isIncomplete ? ['incomplete: its time was over'] : [])]
  return { metadata: { rendered: [browser, ...notes].join('; ') } }
}

/** The row of a page that robots.txt disallows, permanently or for now. */
export function robotsRow(fetched: FetchedUrl, decision: RobotsRefusal, now: number): FetchRow {
  const { reason } = decision
  const denied = { ...statusOf(fetched, 'ROBOTS_DENIED', now), reason }
  if (decision.kind === 'disallowed') return denied
  // The limit may be raised, and the site may lower its Crawl-delay.
  if (decision.kind === 'crawl-delay-too-long')
    return { ...denied, status: 'not_reached', retryAt: Math.ceil(now) + DAY_SECONDS * 1000 }
  return { ...statusOf(fetched, 'RETRY', now), reason, retryAt: Math.ceil(decision.retryAt) }
}

/** The row of a page that was not requested: its host is paused, or the run was stopped. */
export function notReachedRow(fetched: FetchedUrl, reason: string, now: number, retryAt?: number): FetchRow {
  const protocolStatus = retryAt === undefined ? 'WOULDBLOCK' : 'BLOCKED'
  const when = retryAt === undefined ? {} : { retryAt: Math.ceil(retryAt) }
  return { ...statusOf(fetched, protocolStatus, now), status: 'not_reached', reason, ...when }
}

/** The stored response. */
export function contentRow({ url, response, body, timings }: Outcome<'success'>): ContentRow {
  return {
    url,
    fetchedAt: Math.round(timings.startedAt),
    httpStatus: response.status,
    headers: response.headers,
    requestHeaders: response.requestHeaders,
    address: response.address,
    protocol: response.protocol,
    ...withoutUndefined({ reasonPhrase: response.reasonPhrase, truncated: body.truncated }),
    body: body.bytes,
  }
}

/** The row of a page that is parsed after it was fetched. */
export function parsedRow(row: FetchRow, parsed: ParseFindings, markFailed: boolean): FetchRow {
  const { validators, ...others } = row
  const kept = isCrash(parsed) ? others : row
  return { ...kept, ...findingsOf(parsed, markFailed), ...aiUseOf(row.aiUse?.statements, parsed.aiUse) }
}

function statusOf({ url, from }: FetchedUrl, protocolStatus: ProtocolStatusName, time: number) {
  return {
    url,
    status: PROTOCOL_STATUSES[protocolStatus].fetchStatus,
    protocolStatus,
    fetchedAt: Math.round(time),
    ...withoutUndefined({ redirectedFrom: from }),
  }
}

function responseOf({ response }: Extract<FetchOutcome, { readonly response: unknown }>) {
  return { httpStatus: response.status, address: response.address, protocol: response.protocol }
}

function successOf(
  { url, response, body }: Outcome<'success'>,
  parsed: ParseFindings | undefined,
  markFailed = false,
) {
  return {
    wireBytes: body.wireBytes,
    bytes: body.bytes.length,
    ...withoutUndefined({ truncated: body.truncated }),
    ...(!isCrash(parsed) && validatorsIn(response.headers, body.truncated)),
    ...(parsed === undefined
      ? { contentType: sniffType(body.bytes, header(response.headers, 'content-type'), url).type }
      : findingsOf(parsed, markFailed)),
  }
}

/** The parser crashed or ran out of time. A page that was read and is not valid has a signature. */
function isCrash(parsed: ParseFindings | undefined): boolean {
  return parsed?.status === 'failed' && parsed.signature === undefined
}

function findingsOf(
  { contentType, status, reason, signature, scoreGiven, dropped }: ParseFindings,
  markFailed: boolean,
) {
  return {
    contentType,
    ...withoutUndefined({ signature }),
    scoreGiven,
    ...droppedOf(dropped),
    ...(markFailed &&
      status === 'failed' && { status: 'parse_failed' as const, ...withoutUndefined({ reason }) }),
  }
}

function aiUseOf(
  robots: readonly AiUseStatement[] = [],
  page: readonly AiUseStatement[] = [],
): Pick<FetchRow, 'aiUse'> {
  return robots.length + page.length === 0
    ? {}
    : withoutUndefined({ aiUse: combineAiUse([...robots, ...page]) })
}

function droppedOf(dropped: DropCounts): Pick<FetchRow, 'dropped'> {
  for (const _ in dropped) return { dropped }
  return {}
}

/**
 * None for a body that was cut short by an error, and none for a page whose parser crashed: a conditional request would return 304, and
 * the page would stay incomplete.
 */
function validatorsIn(headers: HeaderList, truncated?: string): { readonly validators?: Validators } {
  const validators = truncated === undefined || truncated === 'size' ? validatorsOf(headers) : undefined
  return validators === undefined ? {} : { validators }
}

function redirectReason(verdict: RedirectVerdict): string {
  return verdict.kind === 'follow' ? `redirects to ${verdict.url}` : verdict.why
}

/** Reason for display; `undefined` for a success or a 304. */
function reasonOf(outcome: FetchOutcome): string | undefined {
  if (outcome.kind === 'success' || outcome.kind === 'not-modified') return undefined
  if ('detail' in outcome) return 'cause' in outcome ? `${outcome.cause}: ${outcome.detail}` : outcome.detail
  return `HTTP ${outcome.response.status}`
}

/** The decision about a redirect. `why` is for display. */
export type RedirectVerdict =
  | { readonly kind: 'follow'; readonly url: string }
  /** Not followed in this run: it is recorded as a link for the CrawlDb. */
  | { readonly kind: 'link'; readonly url: string; readonly why: string }
  /** A redirect loop. */
  | { readonly kind: 'circle'; readonly why: string }
  /** A target that this crawl does not fetch, counted under `dropReason`. */
  | { readonly kind: 'drop'; readonly why: string; readonly dropReason: string }
