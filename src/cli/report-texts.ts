import type { DropCounts } from '../base/drop-counts.ts'
import type { HostWait, HostWaits } from '../domain/crawldb/crawl-db.ts'
import type { LastOutcome } from '../domain/crawldb/crawl-record.ts'
import { formatCount, formatTime, printableLine } from './format-values.ts'

/** A note that the configuration file was not loaded, for commands whose result depends on it; `''` if it was loaded. */
export function notLoadedNote({ notLoaded }: { readonly notLoaded?: string | undefined }): string {
  if (notLoaded === undefined) return ''
  return `note: ${notLoaded} was not loaded, because it is code and this command only reads the crawl; defaults apply. If you trust the file, add --config ${notLoaded}\n`
}

/** `HTTP 404 (NOTFOUND)`, or `EXCEPTION` if there was no response. */
export function outcomeText({ protocolStatus, httpStatus }: LastOutcome): string {
  return httpStatus === undefined ? protocolStatus : `HTTP ${httpStatus} (${protocolStatus})`
}

/** A line about sites whose robots.txt returned 401 or 403, if there are any. */
export function robotsForbiddenText(sites: number): string[] {
  if (sites === 0) return []
  return [
    `robots.txt of ${formatCount(sites, 'site')} returned 401 or 403, which allows all URLs (RFC 9309); to deny them, set robots.denyOnForbidden`,
  ]
}

/** `scope: 1,234 links`: a text per reason, highest count first. */
export function dropTexts(dropped: DropCounts): string[] {
  return Object.entries(dropped)
    .sort(([, a], [, b]) => b - a)
    .map(([reason, n]) => `${printableLine(reason, 80)}: ${formatCount(n, ...unitOf(reason))}`)
}

/** Singular and plural of what the reason drops. */
function unitOf(reason: string): [string, string] {
  if (reason === 'http.maxBodyBytes' || reason.startsWith('body ')) return ['body', 'bodies']
  if (reason === 'parse.maxTextChars' || reason === 'pages of a PDF') return ['text', 'texts']
  return ['link', 'links']
}

/** A line per paused host with its next allowed time and the reason. */
export function hostWaitLines({ urls, hosts, first }: HostWaits): string[] {
  const others = { hosts: hosts - first.length, urls: first.reduce((n, wait) => n - wait.urls, urls) }
  return [
    ...first.map((wait) => `${hostText(wait)} must wait until ${formatTime(wait.until)}`),
    ...(others.hosts > 0
      ? [`${formatCount(others.urls, 'URL')} of ${formatCount(others.hosts, 'other host')} must wait longer`]
      : []),
  ]
}

/** `5 URLs of example.org (HTTP 429)`. */
export function hostText(wait: HostWait | undefined): string {
  if (wait === undefined) return ''
  return `${formatCount(wait.urls, 'URL')} of ${printableLine(wait.host)} (${waitReason(wait)})`
}

export function waitReason({ reason }: HostWait): string {
  return printableLine(WAIT_REASONS[reason] ?? reason) || 'unknown reason'
}

/** Texts for the reasons of the host queues. */
const WAIT_REASONS: Readonly<Record<string, string>> = {
  'too-many-failures': 'too many failures in a row',
  'rest-too-long': 'the server requires a long delay',
}
