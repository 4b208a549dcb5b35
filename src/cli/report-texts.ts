import type { DropCounts } from '../base/drop-counts.ts'
import { columnWidth, formatCount, formatNumber, formatTime, printableLine } from '../base/format-values.ts'
import type { HostWait, HostWaits } from '../domain/crawldb/crawl-db.ts'
import type { LastOutcome } from '../domain/crawldb/crawl-record.ts'
import { PARSE_FAILED } from '../domain/parse/parsed-page.ts'
import type { RenderCounts } from '../domain/politeness/rendering-fetcher.ts'
import type { AiUseStatement } from '../domain/robots/ai-use.ts'
import type { RobotsFailure } from '../domain/robots/robots-cache.ts'
import type { HostFigures } from '../domain/segment/host-tally.ts'
import { kindText } from '../wiring/failure-words.ts'
import { MAX_COLUMNS } from './failure-report.ts'

/** A note that the configuration file was not loaded, for commands whose result depends on it; `''` if it was loaded. */
export function notLoadedNote({ notLoaded }: { readonly notLoaded?: string | undefined }): string {
  if (notLoaded === undefined) return ''
  return `note: ${notLoaded} was not loaded, because it is code and this command only reads the crawl; defaults apply. If you trust the file, add --config ${notLoaded}\n`
}

/** `HTTP 404 (NOTFOUND)`, or `EXCEPTION` if there was no response. */
export function outcomeText({ protocolStatus, httpStatus }: LastOutcome): string {
  return httpStatus === undefined ? protocolStatus : `HTTP ${httpStatus} (${protocolStatus})`
}

/** Pages that were rendered, and pages that should be. */
export function renderingLines(counts: RenderCounts | undefined): string[] {
  const { rendered = 0, failed = 0, apps = 0 } = counts ?? {}
  const failures = failed === 0 ? '' : `, ${formatNumber(failed)} could not be`
  const done =
    rendered + failed === 0 ? [] : [`${formatCount(rendered, 'page')} rendered in a browser${failures}`]
  if (apps === 0) return done
  const look = apps === 1 ? 'looks like a JavaScript app' : 'look like JavaScript apps'
  return [...done, `${formatCount(apps, 'page')} ${look}; try --render auto`]
}

/** A line about sites whose robots.txt returned 401 or 403, if there are any. */
export function robotsForbiddenText(sites: number): string[] {
  if (sites === 0) return []
  return [
    `robots.txt of ${formatCount(sites, 'site')} returned 401 or 403, which allows all URLs (RFC 9309); to deny them, set robots.denyOnForbidden`,
  ]
}

/** A line per site whose robots.txt could not be fetched, with the cause and the time of the next attempt. */
export function robotsFailureLines(failures: readonly RobotsFailure[]): string[] {
  if (failures.length === 0) return []
  const rows = failures.slice(0, MAX_SITES)
  const width = columnWidth(rows.map(({ origin }) => origin))
  return [
    'robots.txt could not be fetched; without it, a site must not be crawled:',
    ...rows.flatMap(({ origin, reason, retryAt, usesCopy }) => {
      const until = usesCopy ? 'an older copy applies' : `next attempt ${formatTime(retryAt)}`
      return wrapped(`  ${printableLine(origin).padEnd(width)}  ${robotsCause(reason)}; ${until}`)
    }),
    ...(failures.length > MAX_SITES
      ? [`  and ${formatCount(failures.length - MAX_SITES, 'more site')}`]
      : []),
  ]
}

/** `robots.txt could not be fetched (network-failure: reset)` in plain words. */
function robotsCause(reason: string): string {
  const [, cause] = /^robots\.txt could not be fetched \((?:network-failure: )?([^)]*)\)$/.exec(reason) ?? []
  return cause === undefined ? printableLine(reason.replace(/^robots\.txt /, '')) : kindText(cause)
}

const MAX_SITES = 3

/** The slowest and the most failing hosts, if there are several. */
export function hostLines({ count, slowest, failing }: HostFigures): string[] {
  if (count < 2) return []
  const slow = slowest.slice(0, MAX_HOSTS)
  // A host with one failure is in the list of failures.
  const bad = failing.filter(({ failed }) => failed > 1).slice(0, MAX_HOSTS)
  const width = columnWidth([...slow, ...bad].map(({ host }) => host.slice(0, MAX_HOST_CHARS)))
  const line = (host: string, text: string) =>
    `  ${printableLine(host, MAX_HOST_CHARS).padEnd(width)}  ${text}`
  return [
    ...(slow.length > 0 ? ['slowest hosts:'] : []),
    ...slow.map(({ host, averageMs, requests }) =>
      line(host, `${formatNumber(averageMs)} ms on average, ${formatCount(requests, 'request')}`),
    ),
    ...(bad.length > 0 ? ['most failing hosts:'] : []),
    ...bad.map(({ host, failed, requests, lastFailure }) =>
      line(
        host,
        `${formatNumber(failed)} of ${formatCount(requests, 'request')} failed, last: ${kindText(lastFailure)}`,
      ),
    ),
  ]
}

const MAX_HOSTS = 3
const MAX_HOST_CHARS = 30

/** Breaks a line at spaces so that it fits 80 columns; continued lines are indented. */
export function wrapped(text: string): string[] {
  const lines: string[] = []
  const indent = `${/^ */.exec(text)?.[0]}  `
  let remaining = text
  while (remaining.length > MAX_COLUMNS) {
    const at = remaining.lastIndexOf(' ', MAX_COLUMNS)
    // A word that is longer than the line stays whole: it may be a path or a URL to copy.
    const end = at > indent.length ? at : remaining.indexOf(' ', indent.length)
    if (end === -1) break
    lines.push(remaining.slice(0, end).trimEnd())
    remaining = `${indent}${remaining.slice(end).trimStart()}`
  }
  return [...lines, remaining]
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
  if (reason === PARSE_FAILED || reason.startsWith('documents not read')) return ['page', 'pages']
  return ['link', 'links']
}

/** A line per paused host with its next allowed time and the reason. */
export function hostWaitLines({ urls, hosts, first }: HostWaits): string[] {
  const others = { hosts: hosts - first.length, urls: first.reduce((n, wait) => n - wait.urls, urls) }
  return [
    ...first.flatMap((wait) => wrapped(`${hostText(wait)} must wait until ${formatTime(wait.until)}`)),
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

/** The pages that an export left out; empty if there are none. */
export function excludedText(excluded: Readonly<Record<string, number>>): string {
  const reasons = Object.entries(excluded).sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1))
  const pages = reasons.reduce((sum, [, count]) => sum + count, 0)
  const lines = reasons.map(([reason, count]) => `  ${formatNumber(count)}  ${printableLine(reason)}\n`)
  return pages === 0 ? '' : `${formatCount(pages, 'page')} excluded:\n${lines.join('')}`
}

/** AI-use preferences of a page, one line per statement: `train refused: Content-Signal: ai-train=no (robots.txt)`. */
export function aiUseLines(statements: readonly AiUseStatement[]): string[] {
  return statements.map(
    ({ use, preference, source, text }) =>
      `${use} ${preference === 'disallow' ? 'refused' : 'allowed'}: ${printableLine(text, 300)} (${source})`,
  )
}
