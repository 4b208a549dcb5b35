import type { HostWait, HostWaits } from '../domain/crawldb/crawl-db.ts'
import { formatCount, formatTime, printableLine } from './format-values.ts'

/** A line for each host that must wait, with the time and the reason; none when no host does. */
export function hostWaitLines({ urls, hosts, first }: HostWaits): string[] {
  const rest = { hosts: hosts - first.length, urls: first.reduce((left, wait) => left - wait.urls, urls) }
  return [
    ...first.map((wait) => `${hostText(wait)} must wait until ${formatTime(wait.until)}`),
    ...(rest.hosts > 0
      ? [`${formatCount(rest.urls, 'URL')} of ${formatCount(rest.hosts, 'other host')} must wait longer`]
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

/** Reasons of the host queues, in words. */
const WAIT_REASONS: Readonly<Record<string, string>> = {
  'too-many-failures': 'too many failures in a row',
  'rest-too-long': 'the server asked for a long delay',
}
