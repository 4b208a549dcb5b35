import { isLogged, logEvent } from '../../base/event-codes.ts'
import type { EventLog } from '../../base/event-log.ts'
import { failureKind } from '../../domain/segment/fetch-failure.ts'
import type { PageRecord } from '../../domain/segment/segment-rows.ts'
import { hostOf } from '../../domain/url/host-of.ts'

/** Logs a URL whose fetch has finally failed in this run. Every URL of a crawl comes here. */
export function logRecord(log: EventLog, { fetch }: PageRecord): void {
  const { url, status, reason, protocolStatus } = fetch
  if (status === 'not_reached' || status === 'parse_failed' || !isLogged(log, 'PAGE_FAILED')) return
  const kind = failureKind(fetch)
  if (kind === undefined) return
  const details = { url, host: hostOf(url), data: { kind, status } }
  logEvent(log, 'PAGE_FAILED', `${url}: ${reason ?? protocolStatus}`, details)
}

/** Logs a page that was fetched but could not be parsed. */
export function logParseFailure(log: EventLog, url: string, reason = 'it could not be parsed'): void {
  if (isLogged(log, 'PARSE_FAILED'))
    logEvent(log, 'PARSE_FAILED', `${url}: ${reason}`, { url, host: hostOf(url), data: { reason } })
}
