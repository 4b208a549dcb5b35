import type { CrawlResult, RoundReport } from '../flows/cycle/crawl-rounds.ts'
import type { RunOptions, RunResult } from '../wiring/cycle-options.ts'
import type { Crawl } from '../wiring/open-crawl.ts'
import { FetchStatusLine } from './fetch-status-line.ts'
import {
  formatBytes,
  formatCount,
  formatCounts,
  formatDuration,
  formatNumber,
  formatTime,
} from './format-values.ts'
import { dropTexts, hostText, hostWaitLines, robotsForbiddenText } from './report-texts.ts'
import type { Terminal } from './terminal.ts'

/** Runs the cycle with a progress line and a line per round; for `crawl` and `demo`. */
export function runWithProgress(crawl: Crawl, terminal: Terminal, options: RunOptions): Promise<RunResult> {
  const line = new FetchStatusLine(terminal)
  const onRound = (report: RoundReport) => {
    line.clear()
    if (report.kind === 'generated' || report.kind === 'resumed') line.expect(report.urls)
    terminal.err(`${roundText(report)}\n`)
  }
  return crawl
    .run({
      ...options,
      ...{ signal: terminal.interrupted, onProgress: (progress) => line.update(progress), onRound },
    })
    .finally(() => line.clear())
}

function roundText(report: RoundReport): string {
  switch (report.kind) {
    case 'generated':
      return `round ${report.round}: ${formatCount(report.urls, 'URL')} in segment ${report.segment}`
    case 'resumed':
      return `resuming segment ${report.segment}: ${formatCount(report.urls, 'URL')} left`
    case 'fetched':
      return `segment ${report.result.segment}: ${formatCounts(report.result.statuses) || 'no URL fetched'}`
    case 'updated':
      return `${formatCount(report.fetched, 'fetch result')} merged, ${formatCount(report.added, 'new URL')}`
    case 'waiting':
      return `waiting until ${formatTime(report.until)} for ${hostText(report.waits.first[0])}; Ctrl-C stops the crawl`
  }
}

const STOP_REASONS: Readonly<Record<CrawlResult['ended'], string>> = {
  'nothing due': 'finished: no URL is due',
  'hosts waiting': 'stopped: the remaining URLs must wait',
  'no progress': 'stopped: no URL on the last fetch lists could be requested; see: orbweaver explain',
  rounds: 'stopped: --rounds reached',
  pages: 'stopped: --max-pages reached',
  interrupted: 'interrupted',
  'time limit': 'stopped: --max-time reached',
  'too few pages per second': 'stopped: slower than --min-pages-per-second',
}

export function crawlReport(dir: string, result: RunResult): string {
  const { ended, rounds, pages, added, statuses, notReached, dropped, bytes, durationMs } = result
  if (ended === 'nothing due' && result.segments.length === 0)
    return [`nothing is due; see: orbweaver readdb ${dir} --stats`, ...leftOutTexts(result), ''].join('\n')
  const drops = dropTexts(dropped)
  return [
    `${formatCount(pages, 'page')} in ${formatCount(rounds, 'round')}, ${formatBytes(bytes)}, ${formatDuration(durationMs)}; ${STOP_REASONS[ended]}`,
    ...(Object.keys(statuses).length > 0 ? [formatCounts(statuses)] : []),
    ...robotsForbiddenText(result.robotsForbidden),
    ...(Object.keys(notReached).length > 0 ? [`not reached: ${formatCounts(notReached)}`] : []),
    ...(drops.length > 0
      ? [`dropped by rules and limits: ${drops.join(', ')}; for one URL: orbweaver explain ${dir} <url>`]
      : []),
    ...leftOutTexts(result),
    `${formatCount(added, 'new URL')}; for statistics: orbweaver readdb ${dir} --stats`,
    ...hostWaitLines(result.waiting),
    ...(ended === 'nothing due' ? [] : [resumeText(dir, result)]),
    '',
  ].join('\n')
}

/** Due URLs that the crawl did not fetch. */
function leftOutTexts({ ended, due, rejected }: CrawlResult): string[] {
  if (due === 0) return []
  if (ended !== 'nothing due') return [`${formatCount(due, 'URL')} still due`]
  return [
    `${formatCount(due, 'due URL')} left out: ${[
      ...(rejected > 0 ? [`${formatNumber(rejected)} rejected by the filters`] : []),
      ...(due > rejected
        ? [`${formatNumber(due - rejected)} by --min-score, --restrict-status, --expr or --max-count`]
        : []),
    ].join(', ')}`,
  ]
}

function resumeText(dir: string, { ended, waiting: { nextAt } }: CrawlResult): string {
  const when =
    ended === 'hosts waiting' && nextAt !== undefined
      ? `run it again after ${formatTime(nextAt)}`
      : 'to resume'
  return `${when}: orbweaver crawl ${dir}`
}
