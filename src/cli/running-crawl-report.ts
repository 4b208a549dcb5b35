import {
  formatBytes,
  formatCount,
  formatCounts,
  formatDuration,
  formatNumber,
  formatTime,
  printableLine,
} from '../base/format-values.ts'
import type { LiveFailure, LiveReport } from '../domain/live/live-report.ts'

/** The report of `orbweaver status` about a crawl that runs in a directory. */
export function runningCrawlReport(dir: string, report: LiveReport): string {
  const { kind, name, command, pid, startedAt, at, state, activity, totals: n, rates } = report
  const { inFlight, queued, due, etaSeconds, outcomes, hosts, failures, process: figures } = report
  const what = kind === 'spider' ? `run ${printableLine(name)}` : command
  const lines = [
    `state    ${state}${activity === undefined ? '' : `: ${printableLine(activity)}`}`,
    `process  ${what}, pid ${pid}, for ${formatDuration(at - startedAt)} (since ${formatTime(startedAt)})`,
    `pages    ${formatNumber(n.pages)}, ${rates.pagesPerSecond.toFixed(1)} per second; ${formatBytes(n.bytes)}, ${formatBytes(Math.round(rates.bytesPerSecond))} per second`,
    `queue    ${formatNumber(queued)} in host queues, ${formatCount(inFlight, 'request')} in flight${due === undefined ? '' : `, ${formatNumber(due)} more due`}${etaSeconds === undefined ? '' : `; about ${formatDuration(etaSeconds * 1000)} left`}`,
    ...(Object.keys(outcomes).length === 0 ? [] : [`outcomes ${printableLine(formatCounts(outcomes), 500)}`]),
    `failed   ${formatCount(n.errors, 'request')}, ${formatNumber(n.retries)} retried, ${formatNumber(n.robotsDisallowed)} disallowed by robots.txt`,
    `hosts    ${formatNumber(hosts.known)}, ${formatNumber(hosts.parked)} paused, ${formatNumber(hosts.robotsFailed)} with a robots.txt that failed`,
    ...(report.items === undefined
      ? []
      : [
          `items    ${formatNumber(n.items)}, ${rates.itemsPerSecond.toFixed(1)} per second; ${formatNumber(n.rejectedItems)} rejected`,
        ]),
    ...(figures === undefined
      ? []
      : [
          `memory   ${formatBytes(figures.rssBytes)}; ${figures.cpuCores.toFixed(1)} cores; event loop delay p99 ${formatDuration(figures.eventLoopDelayMs.p99)}`,
        ]),
    ...failures.slice(0, LISTED_FAILURES).map((failure, i) => failureLine(failure, i)),
    ...(state === 'paused' ? [`to resume: orbweaver resume ${dir}`] : []),
  ]
  return `${printableLine(dir)}\n${lines.map((line) => `  ${line}\n`).join('')}`
}

const LISTED_FAILURES = 5

function failureLine({ at, url, code, reason, retryAt }: LiveFailure, i: number): string {
  const retry = retryAt === undefined ? '' : `; retry at ${formatTime(retryAt)}`
  return `${i === 0 ? 'latest' : '      '}   ${formatTime(at)}  ${printableLine(code)}  ${printableLine(url, 120)}  ${printableLine(reason, 120)}${retry}`
}
