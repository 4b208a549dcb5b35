import {
  formatBytes,
  formatCount,
  formatCounts,
  formatDuration,
  formatNumber,
  formatTime,
  printableLine,
} from '../base/format-values.ts'
import type { CrawlResult, RoundReport } from '../flows/cycle/crawl-rounds.ts'
import type { RunOptions, RunResult } from '../wiring/cycle-options.ts'
import type { Crawl } from '../wiring/open-crawl.ts'
import { FetchStatusLine } from './fetch-status-line.ts'
import { indexReport } from './index-report.ts'
import { outcomeCounts, outcomeLines } from './outcome-report.ts'
import {
  dropTexts,
  hostLines,
  hostText,
  hostWaitLines,
  renderingLines,
  robotsFailureLines,
  robotsForbiddenText,
  wrapped,
} from './report-texts.ts'
import { type ResumeCommand, resumeLines } from './resume-command.ts'
import type { Screen } from './screen.ts'

/** Runs the cycle with a progress line and a line per round; for `crawl` and `demo`. */
export function runWithProgress(crawl: Crawl, terminal: Screen, options: RunOptions): Promise<RunResult> {
  const line = new FetchStatusLine(terminal)
  const onRound = (report: RoundReport) => {
    if (report.kind === 'generated' || report.kind === 'resumed') line.expect(report.urls)
    terminal.report(`${roundText(report)}\n`)
  }
  return crawl
    .run({
      ...options,
      watchers: [...(options.watchers ?? []), line.watcher],
      ...{ signal: terminal.interrupted, onProgress: (progress) => line.update(progress), onRound },
    })
    .finally(() => line.clear())
}

function roundText(report: RoundReport): string {
  switch (report.kind) {
    case 'generated':
      return `round ${report.round}: ${formatCount(report.urls, 'URL')} in segment ${report.segment}`
    case 'resumed':
      return `resuming segment ${report.segment}: ${leftText(report)}`
    case 'fetched':
      return `segment ${report.result.segment}: ${outcomeCounts(report.result) || 'no URL fetched'}`
    case 'updated':
      return `${formatCount(report.fetched, 'fetch result')} merged, ${formatCount(report.added, 'new URL')}`
    case 'waiting':
      return `waiting until ${formatTime(report.until)} for ${hostText(report.waits.first[0])}; Ctrl-C stops the crawl`
  }
}

function leftText({ urls, left }: Extract<RoundReport, { kind: 'resumed' }>): string {
  const all = `${formatCount(left, 'URL')} left`
  return urls < left ? `${all}, ${formatNumber(urls)} of them in this run (--max-pages)` : all
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

/** The summary at the end of a crawl. Lines fit 80 columns, except commands to copy and paths. */
export function crawlReport(dir: string, result: RunResult, resume: ResumeCommand): string {
  const { ended, rounds, pages, added, dropped, bytes, durationMs } = result
  if (ended === 'nothing due' && isIdle(result))
    return [
      `nothing is due; see: orbweaver readdb ${dir} --stats`,
      ...leftOutTexts(result),
      ...indexLines(result),
      ...(isDone(result) ? [] : resumeLines(resume)),
      '',
    ].join('\n')
  const drops = dropTexts(dropped)
  return [
    ...wrapped(
      `${formatCount(pages, 'page')} in ${formatCount(rounds, 'round')}, ${formatBytes(bytes)}, ${formatDuration(durationMs)}${rateText(pages, durationMs)}; ${STOP_REASONS[ended]}`,
    ),
    ...outcomeLines(result, `orbweaver readdb ${dir} --stats`),
    ...hostLines(result.hosts),
    ...robotsFailureLines(result.robotsFailures),
    ...robotsForbiddenText(result.robotsForbidden).flatMap(wrapped),
    ...renderingLines(result.rendering),
    ...(drops.length > 0
      ? [
          ...wrapped(`dropped by rules and limits: ${drops.join(', ')}`),
          `  for one URL: orbweaver explain ${dir} <url>`,
        ]
      : []),
    ...leftOutTexts(result),
    `${formatCount(added, 'new URL')}; for statistics: orbweaver readdb ${dir} --stats`,
    ...hostWaitLines(result.waiting),
    ...indexLines(result),
    ...(isDone(result) ? [] : resumeLines(resume, resumeTime(result))),
    '',
  ].join('\n')
}

function indexLines({ index = [] }: RunResult): string[] {
  return index.length === 0 ? [] : [indexReport(index).trimEnd()]
}

/** Whether the run did nothing: no URL was due, an earlier run left nothing to merge, and no index changed. */
export function isIdle({ segments, hasMerged, index = [] }: RunResult): boolean {
  const hasIndexed = index.some(({ put, deleted }) => put + deleted > 0)
  return segments.length === 0 && !hasMerged && !hasIndexed
}

/** Whether there is nothing to resume: no URL is due, and the search indexes are complete. */
export function isDone({ ended, index = [] }: RunResult): boolean {
  return ended === 'nothing due' && index.every((target) => target.ended === 'done')
}

function rateText(pages: number, durationMs: number): string {
  return pages === 0 ? '' : ` (${((pages * 1000) / Math.max(1, durationMs)).toFixed(1)} pages/s)`
}

/** Due URLs that the crawl did not fetch. */
function leftOutTexts({ ended, due, rejected, rejectedBy, held }: CrawlResult): string[] {
  if (due === 0) return []
  if (ended !== 'nothing due') return [`${formatCount(due, 'URL')} still due`]
  const text = [
    ...(rejected > 0
      ? [`${formatNumber(rejected)} rejected by the filters (${printableLine(formatCounts(rejectedBy))})`]
      : []),
    ...(held > 0
      ? [`${formatNumber(held)} held back by the novelty budget (orbweaver novelty lists them)`]
      : []),
    ...(due > rejected + held
      ? [`${formatNumber(due - rejected - held)} by --min-score, --restrict-status, --expr or --max-count`]
      : []),
  ].join(', ')
  return wrapped(`${formatCount(due, 'due URL')} left out: ${text}`)
}

function resumeTime({ ended, waiting: { nextAt } }: CrawlResult): string {
  return ended === 'hosts waiting' && nextAt !== undefined
    ? `Resume after ${formatTime(nextAt)} with`
    : 'Resume with'
}
