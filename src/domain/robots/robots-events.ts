import { isLogged, logEvent } from '../../base/event-codes.ts'
import type { EventLog } from '../../base/event-log.ts'
import type { RobotsRecord } from './robots-record.ts'
import type { RobotsRules } from './robots-rules.ts'

/** Logs the result of a request for robots.txt. @param rules of a file */
export function logRobots(log: EventLog, record: RobotsRecord, rules: RobotsRules | undefined): void {
  const { origin, outage, finding } = record
  const url = `${origin}/robots.txt`
  const { host } = new URL(origin)
  const details = { url, host }
  const named = (reason: string) => reason.replace(/^robots\.txt/, `robots.txt of ${host}`)
  if (outage !== undefined) {
    const { reason, retryAt, failures } = outage
    const meanwhile = finding === undefined ? 'the host is not crawled until' : 'an older copy is used until'
    const message = `${named(reason)}; ${meanwhile} ${new Date(retryAt).toISOString()} (RFC 9309)`
    const data = { reason, retryAt: Math.round(retryAt), failures }
    logEvent(log, 'ROBOTS_UNREACHABLE', message, { ...details, data })
    return
  }
  if (finding.kind === 'denied')
    logEvent(log, 'ROBOTS_FORBIDDEN', named(finding.reason), {
      ...details,
      data: { reason: finding.reason },
    })
  if (rules !== undefined && isLogged(log, 'ROBOTS_DISALLOWS_ALL') && !rules.judge('/').allowed)
    logEvent(
      log,
      'ROBOTS_DISALLOWS_ALL',
      `robots.txt of ${host} disallows the start page: ${rules.judge('/').reason}`,
      details,
    )
  if (!isLogged(log, 'ROBOTS_FETCHED')) return
  const found =
    finding.kind === 'file' ? `robots.txt of ${host}: ${finding.octets.length} bytes` : named(finding.reason)
  const delay = rules?.crawlDelayMs === undefined ? '' : `, Crawl-delay ${rules.crawlDelayMs / 1000} s`
  logEvent(log, 'ROBOTS_FETCHED', `${found}${delay}`, details)
}
