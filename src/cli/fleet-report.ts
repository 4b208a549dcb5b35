import type { HostDelay } from '../adapters/redis/crawl-delays.ts'
import type { CrawlSnapshot } from '../adapters/redis/inspect-crawl.ts'
import {
  columnWidth,
  formatCount,
  formatCounts,
  formatDuration,
  formatNumber,
  formatTime,
  printableLine,
} from '../base/format-values.ts'
import type { FleetState, FleetWorker } from '../domain/frontier/fleet.ts'

export interface FleetReportOptions {
  /** Argument of other commands that selects the same Redis: ` --redis redis://host`, or `''`. */
  readonly redis: string
  /** A crawl with pending requests is stalled if it finished none for this time. */
  readonly stallMs: number
  /** Requests finished per second since the last report. */
  readonly donePerSecond?: number
}

/** The report of `orbweaver status`. */
export function fleetReport(crawl: string, view: CrawlSnapshot, options: FleetReportOptions): string {
  const { now, state, counts: n, workers, startMessages, malformedStarts, failures, retries } = view
  const { redis, donePerSecond } = options
  const name = printableLine(crawl)
  const speed = donePerSecond === undefined ? '' : `, ${donePerSecond.toFixed(1)}/s`
  const see = n.failed > 0 ? `: orbweaver failed ${name}${redis === '' ? ' --redis' : redis}` : ''
  const lines = [
    ...(state === undefined ? [] : [`state   ${STATES[state]}; to resume: orbweaver resume ${name}${redis}`]),
    `queue   ${formatNumber(n.waiting)} waiting, ${formatNumber(n.leased)} in flight, ${formatNumber(n.delayed)} delayed${delayedText(view)}`,
    `done    ${formatNumber(n.done)}${speed}; ${formatNumber(n.retried)} retried${kindsText(retries)}, ${formatNumber(n.failed)} failed${kindsText(failures)}${see}`,
    `seen    ${formatCount(n.seen, 'URL')}; ${formatCount(n.duplicates, 'duplicate')} dropped`,
    `items   ${formatNumber(n.items)}, ${formatNumber(n.itemsLeft)} in Redis`,
    `hosts   ${formatNumber(n.heldHosts)} held by workers, ${formatNumber(n.freeHosts)} waiting, ${formatNumber(n.restingHosts)} delayed${hostsText(view)}`,
    ...(view.shards === 1 ? [] : [`shards  ${formatNumber(view.shards)}`]),
    `starts  ${formatCount(startMessages, 'start message')} waiting`,
    ...(malformedStarts === undefined
      ? []
      : [
          `        ${formatCount(malformedStarts.count, 'start message')} could not be parsed: redis-cli LRANGE ${printableLine(malformedStarts.key)} 0 -1`,
        ]),
    ...(n.malformed > 0
      ? [`broken  ${formatCount(n.malformed, 'request')} in Redis could not be parsed`]
      : []),
  ]
  const notes = noteText(name, view, options)
  return `${name}\n${lines.map((line) => `  ${line}\n`).join('')}${workersText(workers, now)}${notes}`
}

export function noCrawlText(crawl: string): string {
  return `there is no crawl named ${printableLine(crawl)} in this Redis: its spider has not run with --redis, and no URL was pushed\n`
}

const STATES: Readonly<Record<FleetState, string>> = {
  paused: 'paused',
  draining: 'draining: workers finish their current requests and exit, and none can join',
}

/** ` (15 http-404, 1 no-handler)`. */
function kindsText(counts: Readonly<Record<string, number>>): string {
  const text = formatCounts(counts)
  return text === '' ? '' : ` (${printableLine(text, 500)})`
}

function delayedText({ delays: { retries, scheduled, nextDueAt } }: CrawlSnapshot): string {
  if (nextDueAt === undefined) return ''
  const kinds = [
    ...(retries > 0 ? [formatCount(retries, 'retry', 'retries')] : []),
    ...(scheduled > 0 ? [`${formatNumber(scheduled)} scheduled by the spider`] : []),
  ]
  return ` (${kinds.join(', ')}; next at ${formatTime(nextDueAt)})`
}

const HOST_DELAYS: Readonly<Record<HostDelay, string>> = {
  paused: 'paused after failures',
  backOff: 'in back-off',
  crawlDelay: 'by their crawl delay',
  delay: 'by the usual delay',
}

function hostsText({ delays: { hosts } }: CrawlSnapshot): string {
  const known = Object.entries(hosts).filter(([, n]) => n > 0)
  return kindsText(Object.fromEntries(known.map(([kind, n]) => [HOST_DELAYS[kind as HostDelay], n])))
}

/** The next step for the user, or a warning. */
function noteText(name: string, view: CrawlSnapshot, { redis, stallMs }: FleetReportOptions): string {
  const { now, state, counts: n, workers, startMessages, activeAt } = view
  const left = n.waiting + n.leased + n.delayed + startMessages
  const live = workers.filter(({ expiresAt }) => expiresAt > now).length
  const run = `orbweaver run <file>${redis === '' ? ' --redis' : redis}`
  if (left === 0 && live === 0)
    return `\nfinished: the queue is empty. To crawl again: orbweaver clear ${name}${redis}, then ${run}\n`
  if (live === 0) return `\nno worker is running${state === undefined ? `; to start one: ${run}` : ''}\n`
  const silentMs = now - activeAt
  // Delayed hosts and requests do not count: nothing can be finished before their time.
  const isStalled = state === undefined && n.leased + n.freeHosts > 0 && silentMs > stallMs
  if (!isStalled || activeAt === 0) return ''
  return (
    `\nwarning: no request was finished for ${formatDuration(silentMs)}, although ${formatNumber(n.waiting + n.leased)} are waiting or in flight. ` +
    'Check the output of the workers that hold hosts, and restart a worker that hangs; no request is lost\n'
  )
}

const HEAD = ['', 'hosts', 'in flight', 'pages', 'pages/s', 'last report']

function workersText(workers: readonly FleetWorker[], now: number): string {
  if (workers.length === 0) return ''
  const rows = [HEAD, ...workers.map((worker) => cellsOf(worker, now))]
  const widthOf = (column: number) => columnWidth(rows.map((row) => row[column]))
  const text = rows.map((row) =>
    row.map((cell, i) => (i === 0 ? cell.padEnd(widthOf(i)) : cell.padStart(widthOf(i)))).join('  '),
  )
  return `\n${formatCount(workers.length, 'worker')}\n${text.map((line) => `  ${line}\n`).join('')}`
}

/** Status values of a worker are not validated. */
function cellsOf(
  { name, hosts, leased, status = {}, heardAt, expiresAt }: FleetWorker,
  now: number,
): string[] {
  const { pages, pagesPerSecond } = status
  const isLost = expiresAt <= now
  return [
    printableLine(name, 60),
    formatNumber(hosts),
    formatNumber(leased),
    typeof pages === 'number' ? formatNumber(pages) : '',
    typeof pagesPerSecond === 'number' ? pagesPerSecond.toFixed(1) : '',
    `${formatDuration(Math.max(0, now - heardAt))} ago${isLost ? ', lost' : ''}`,
  ]
}
