import type { FleetState, FleetWorker } from '../frontier/fleet.ts'
import type { CrawlView } from '../redis/look-at-crawl.ts'
import { count, counted, duration, shown } from './shown.ts'
import { widest } from './widest.ts'

/** A crawl in Redis, for people. @param donePerSecond requests, since they last looked */
export function fleetReport(spider: string, view: CrawlView, donePerSecond?: number): string {
  const { now, state, counts: n, workers, startMessages, malformedStarts } = view
  const speed = donePerSecond === undefined ? '' : `, ${donePerSecond.toFixed(1)}/s`
  const lines = [
    ...(state === undefined
      ? []
      : [`state   ${STATES[state]}; to go on: orbweaver resume ${shown(spider)} --redis …`]),
    `queue   ${count(n.waiting)} waiting, ${count(n.leased)} in flight, ${count(n.delayed)} delayed`,
    `done    ${count(n.done)}${speed}; ${count(n.retried)} retried, ${count(n.failed)} failed`,
    `seen    ${counted(n.seen, 'URL')}; ${counted(n.duplicates, 'duplicate')} dropped`,
    `items   ${count(n.items)}, ${count(n.itemsLeft)} left to take`,
    `hosts   ${count(n.heldHosts)} at work, ${count(n.freeHosts)} waiting, ${count(n.restingHosts)} resting`,
    `starts  ${counted(startMessages, 'start message')} waiting`,
    ...(malformedStarts === undefined
      ? []
      : [
          `        ${counted(malformedStarts.count, 'start message')} could not be read: LRANGE ${shown(malformedStarts.key)} 0 -1`,
        ]),
    ...(n.malformed > 0 ? [`broken  ${counted(n.malformed, 'request')} in Redis could not be read`] : []),
  ]
  return `${shown(spider)}\n${lines.map((line) => `  ${line}\n`).join('')}${workersText(workers, now)}`
}

export function noCrawlText(crawl: string): string {
  return `there is no crawl of ${shown(crawl)} in this Redis: nobody has run that spider there, or pushed to it\n`
}

const STATES: Readonly<Record<FleetState, string>> = {
  paused: 'paused',
  draining: 'draining: workers end, and none may join',
}

const HEAD = ['', 'hosts', 'in flight', 'pages', 'pages/s', 'last heard']

function workersText(workers: readonly FleetWorker[], now: number): string {
  if (workers.length === 0) return '\nno worker\n'
  const rows = [HEAD, ...workers.map((worker) => cellsOf(worker, now))]
  const widthOf = (column: number) => widest(rows.map((row) => row[column]))
  const text = rows.map((row) =>
    row.map((cell, i) => (i === 0 ? cell.padEnd(widthOf(i)) : cell.padStart(widthOf(i)))).join('  '),
  )
  return `\n${counted(workers.length, 'worker')}\n${text.map((line) => `  ${line}\n`).join('')}`
}

/** What a worker says about itself may be anything. */
function cellsOf(
  { name, hosts, leased, status = {}, heardAt, expiresAt }: FleetWorker,
  now: number,
): string[] {
  const { pages, pagesPerSecond } = status
  const isLost = expiresAt <= now
  return [
    shown(name, 60),
    count(hosts),
    count(leased),
    typeof pages === 'number' ? count(pages) : '',
    typeof pagesPerSecond === 'number' ? pagesPerSecond.toFixed(1) : '',
    `${duration(Math.max(0, now - heardAt))} ago${isLost ? ', lost' : ''}`,
  ]
}
