import { appendAll } from '../base/append-all.ts'
import {
  formatBytes,
  formatCount,
  formatDuration,
  formatNumber,
  printableLine,
} from '../base/format-values.ts'
import type { Certificate, HostCertificate } from '../domain/certificate/certificate.ts'

/** A short report for a terminal: the summary, the hosts, the first violations. */
export function certificateText(certificate: Certificate, dir: string): string {
  const { hosts, unlistedHosts, notes, selection, requests } = certificate
  if (requests === 0) {
    const isSelected = Object.keys(selection).length > 0
    const why = isSelected
      ? 'no request matches; try without --host, --from and --to'
      : 'crawl, fetch and run --dir write the log, unless requestLog is false'
    return `No requests are recorded in ${dir}: ${why}\n`
  }
  const lines = [printableLine(certificate.summary, 500), '']
  for (const host of hosts.slice(0, MAX_HOSTS)) appendAll(lines, [...hostLines(host), ''])
  const remaining = Math.max(0, hosts.length - MAX_HOSTS) + unlistedHosts
  if (remaining > 0)
    lines.push(`${formatCount(remaining, 'more host')}; --host <host> or --format json shows them`, '')
  for (const { message } of notes.slice(0, MAX_NOTES)) lines.push(`note: ${printableLine(message, 300)}`)
  if (notes.length > MAX_NOTES)
    lines.push(`note: ${formatNumber(notes.length - MAX_NOTES)} more in --format json`)
  if (notes.length > 0) lines.push('')
  lines.push(`For the owner of a site: orbweaver certify ${dir} --host <host> --out certificate.html`)
  return `${lines.join('\n')}\n`
}

const MAX_HOSTS = 20
const MAX_NOTES = 5
const MAX_VIOLATIONS = 5

function hostLines(host: HostCertificate): string[] {
  const { violationCount, violations } = host
  return [
    printableLine(host.host),
    `  ${formatCount(host.requests, 'request')} (${formatNumber(host.robotsRequests)} for robots.txt${assetText(host)}), ${formatBytes(host.bytes)}`,
    `  ${delayText(host)}`,
    `  at most ${formatCount(host.mostInFlight, 'request')} at the same time; busiest hour: ${formatCount(host.busiestHour.requests, 'request')}`,
    `  robots.txt: ${robotsText(host)}`,
    ...retryAfterLines(host),
    violationCount === 0 ? '  no violations' : `  ${formatCount(violationCount, 'violation')}:`,
    ...violations
      .slice(0, MAX_VIOLATIONS)
      .map(({ at, url, message }) => `    ${at} ${printableLine(message, 300)}: ${printableLine(url, 300)}`),
    ...(violationCount > MAX_VIOLATIONS
      ? [`    ${formatNumber(violationCount - MAX_VIOLATIONS)} more in --format json`]
      : []),
  ]
}

/** Which gap counts depends on the limits of the host. */
export function relevantGaps({
  limits,
  gapAfterResponse,
  gapBetweenStarts,
  crawlDelayMs = 0,
}: HostCertificate) {
  const betweenStarts =
    crawlDelayMs === 0 && limits.some(({ delayBetweenStartsMs }) => delayBetweenStartsMs > 0)
  return betweenStarts
    ? { gaps: gapBetweenStarts, what: 'between the starts of two requests', betweenStarts }
    : { gaps: gapAfterResponse, what: 'from the end of a response to the next request', betweenStarts }
}

/** The delay that the crawler had to keep: the shortest of its settings, or the Crawl-delay. */
export function requiredDelayMs({ limits, crawlDelayMs = 0 }: HostCertificate): number {
  const configured = limits.map(({ delayAfterResponseMs, delayBetweenStartsMs }) =>
    Math.max(delayAfterResponseMs, delayBetweenStartsMs),
  )
  return Math.max(
    crawlDelayMs,
    configured.length === 0 ? 0 : configured.reduce((least, ms) => Math.min(least, ms)),
  )
}

function delayText(host: HostCertificate): string {
  const { gaps, what } = relevantGaps(host)
  const required = formatDuration(requiredDelayMs(host))
  const setBy = host.crawlDelayMs === undefined ? 'configured' : 'Crawl-delay or configured'
  if (gaps === undefined) return `delay: ${required} (${setBy}); only one request`
  return `delay: ${required} (${setBy}); smallest ${formatDuration(gaps.smallestMs)}, median ${formatDuration(gaps.medianMs)} ${what}`
}

function robotsText({ robots, disallowedUrls }: HostCertificate): string {
  const skipped = `${formatCount(disallowedUrls, 'disallowed URL')} not requested`
  const latest = robots.at(-1)
  if (latest === undefined) return 'not needed'
  const versions = robots.length === 1 ? '' : `${formatCount(robots.length, 'version')}; latest: `
  const state =
    latest.state === 'file' ? `found, ${formatBytes(latest.bytes ?? 0)}` : (latest.reason ?? latest.state)
  const checked =
    latest.checkedAt === undefined ? '' : `, checked ${latest.checkedAt.slice(0, 19).replace('T', ' ')}Z`
  return `${versions}${printableLine(state)}${checked}; ${skipped}`
}

function retryAfterLines({ retryAfter }: HostCertificate): string[] {
  const { responses, obeyed, tooManyRequests, longestMs } = retryAfter
  if (responses === 0 && tooManyRequests === 0) return []
  const after =
    responses === 0
      ? ''
      : `; Retry-After obeyed ${formatNumber(obeyed)} of ${formatCount(responses, 'time')}, longest ${formatDuration(longestMs)}`
  return [`  ${formatCount(tooManyRequests, 'response')} with 429 Too Many Requests${after}`]
}

function assetText({ assetRequests = 0 }: HostCertificate): string {
  return assetRequests === 0
    ? ''
    : `, ${formatNumber(assetRequests)} for scripts and stylesheets with their pages`
}
