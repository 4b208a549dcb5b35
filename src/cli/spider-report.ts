import { join } from 'node:path'
import {
  formatBytes,
  formatCount,
  formatCounts,
  formatDuration,
  formatNumber,
  formatTime,
  printableLine,
} from '../base/format-values.ts'
import type { SpiderStats } from '../flows/spider/spider-stats.ts'
import type { SpiderResult } from '../wiring/run-spider-options.ts'
import { exampleLines, fitLine, moreLines } from './failure-report.ts'
import { feedDocument, feedText } from './item-output.ts'
import {
  hostLines,
  renderingLines,
  robotsFailureLines,
  robotsForbiddenText,
  wrapped,
} from './report-texts.ts'
import { type ResumeCommand, resumeLines } from './resume-command.ts'

/**
 * The summary at the end of a spider's run.
 * @param redis what other commands need to find its Redis: ` --redis redis://host`, or nothing
 */
export function spiderReport(
  dir: string | undefined,
  result: SpiderResult,
  redis = '',
  resume?: ResumeCommand,
): string {
  const { ended, stats } = result
  if (isNothingDone(result)) return nothingText(dir, result, redis)
  const rate = (stats.pages * 1000) / Math.max(1, stats.durationMs)
  const lines = [
    ...wrapped(
      `${formatCount(stats.pages, 'page')} and ${formatCount(stats.items, 'item')} in ${formatDuration(stats.durationMs)} (${rate.toFixed(1)} pages/s, ${formatBytes(stats.bytes)}): ${ENDS[ended]}`,
    ),
    `${formatCount(stats.requests, 'request')}, ${formatCount(stats.redirects, 'redirect')}, ${formatCount(stats.duplicates, 'duplicate')} skipped`,
    ...rejectedLines(stats, dir),
    kinds('files', fileCounts(stats)),
    kinds('dropped by pipelines', stats.dropped),
    kinds('not requested', stats.skipped),
    kinds('truncated bodies', stats.truncated),
    kinds('retried', stats.retries),
    kinds('failed', stats.failed, failedCommand(dir, result, redis)),
    ...exampleLines(stats.failures.filter(({ kind }) => kind in stats.failed)),
    ...hostLines({ ...stats, count: stats.hosts }),
    ...robotsFailureLines(result.robotsFailures),
    ...robotsForbiddenText(result.robotsForbidden).flatMap(wrapped),
    ...renderingLines(result.rendering),
    ...feedTexts(dir, result),
    ...sharedLimitLines(result),
    ...leftTexts(dir, result, redis, resume),
  ]
  return `${lines.filter((text) => text !== undefined).join('\n')}\n`
}

/** Whether there was no request to fetch. */
export function isNothingDone({ ended, stats }: SpiderResult): boolean {
  const { requests, pages, failed, failures, skipped } = stats
  const isFailed = failures.length > 0 || formatCounts(failed) !== '' || 'robots.txt' in skipped
  return ended === 'finished' && requests + pages === 0 && !isFailed
}

function nothingText(dir: string | undefined, result: SpiderResult, redis: string): string {
  const skipped = formatCounts(result.stats.skipped)
  if (skipped !== '')
    return `nothing to do: no start request was accepted; not requested: ${printableLine(skipped)}. Check allow, depth and the filters of the spider\n`
  if (result.crawl !== undefined) return nothingInCrawl(result.crawl, result, redis)
  return dir === undefined
    ? 'nothing to do: the spider has no start requests\n'
    : `the crawl in ${dir} is finished; for a new crawl use another --dir\n`
}

function nothingInCrawl(crawl: string, { fleet }: SpiderResult, redis: string): string {
  const push = `orbweaver push ${printableLine(crawl)} <url>${redis}`
  if (fleet === undefined || fleet.added === 0)
    return `nothing to do: the crawl ${printableLine(crawl)} has no requests. Add start URLs (${push}), or wait for them with --wait\n`
  return (
    `the crawl ${printableLine(crawl)} is finished: ${formatCount(fleet.done, 'request')} done, ${formatNumber(fleet.failed)} failed; there was nothing left for this worker. ` +
    `To crawl again: orbweaver clear ${printableLine(crawl)}${redis}. To add URLs: ${push}\n`
  )
}

/** Whether a worker came to a crawl that was finished already, or that others finished. */
export function isFleetFinished({ fleet }: SpiderResult): boolean {
  return fleet !== undefined && fleet.added > 0
}

function failedCommand(dir: string | undefined, { crawl }: SpiderResult, redis: string): string {
  if (crawl !== undefined) return `orbweaver failed ${crawl}${redis === '' ? ' --redis' : redis}`
  return dir === undefined
    ? '"orbweaver failed" after a run with --dir, which keeps them for a retry'
    : `orbweaver failed ${dir}`
}

/** The same for programs. */
export function spiderDocument({ feeds, items: _notCollected, ...rest }: SpiderResult) {
  return { ...rest, feeds: feedDocument(feeds) }
}

const ENDS: Readonly<Record<SpiderResult['ended'], string>> = {
  finished: 'finished: queue empty',
  interrupted: 'interrupted',
  drained: 'stopped: the crawl is draining',
  pages: 'stopped: --max-pages reached',
  items: 'stopped: --max-items reached',
  time: 'stopped: --max-time reached',
}

function rejectedLines({ rejected, rejectedExamples }: SpiderStats, dir: string | undefined): string[] {
  if (rejected === 0) return []
  const where =
    dir === undefined ? ' (with --dir, all are kept in items.rejected.jsonl)' : `; see ${rejectedFile(dir)}`
  const shown = rejectedExamples.slice(0, 3)
  const examples = shown.map(({ url, reason }) =>
    fitLine(`  ${printableLine(url, 300)}  ${printableLine(reason, 300)}`),
  )
  return [
    `${formatNumber(rejected)} rejected by the schema${where}`,
    ...examples,
    ...moreLines(rejected - shown.length),
  ]
}

function rejectedFile(dir: string): string {
  return join(dir, 'items.rejected.jsonl')
}

function kinds(
  what: string,
  counts: Readonly<Record<string, number>>,
  where?: string | undefined,
): string | undefined {
  const text = formatCounts(counts)
  return text === ''
    ? undefined
    : `${what}: ${printableLine(text)}${where === undefined ? '' : `; see ${where}`}`
}

function fileCounts({ files }: SpiderStats): Readonly<Record<string, number>> {
  const counts = Object.entries(files).map(([status, n]) => [status.replace('-', ' '), n] as const)
  return Object.fromEntries(counts.filter(([, n]) => n > 0))
}

/** The file of rejected items is named next to their count, unless it could not be written. */
function feedTexts(dir: string | undefined, { feeds }: SpiderResult): string[] {
  const told = dir === undefined ? undefined : rejectedFile(dir)
  return feeds
    .filter(({ target, error }) => error !== undefined || target !== told)
    .map((feed) => feedText(feed, 'items'))
}

/** For a worker that came when the limit of its fleet was reached. */
function sharedLimitLines({ ended, stats, crawl }: SpiderResult): string[] {
  if (crawl === undefined || ended !== 'pages' || stats.pages > 0) return []
  return wrapped(
    'other workers of this run have fetched all pages that --max-pages allows; raise it, or start the next run redis.leaseSeconds after the last worker has stopped',
  )
}

function leftTexts(
  dir: string | undefined,
  { ended, pending, crawl }: SpiderResult,
  redis: string,
  resume: ResumeCommand | undefined,
): string[] {
  const { ready, leased, delayed, nextDueAt, startsComplete } = pending
  if (ended === 'finished' || (startsComplete && ready + leased + delayed === 0)) return []
  const later =
    delayed === 0 ? '' : `, ${formatNumber(delayed)} for later (the first at ${formatTime(nextDueAt ?? 0)})`
  return [
    `${formatCount(ready + leased, 'request')} left${later}`,
    ...resumeTexts(dir, ended, crawl, redis, resume),
  ]
}

function resumeTexts(
  dir: string | undefined,
  ended: SpiderResult['ended'],
  crawl: string | undefined,
  redis: string,
  resume: ResumeCommand | undefined,
): string[] {
  if (dir === undefined && crawl === undefined)
    return ['the crawl was not kept: to be able to resume, run it with --dir <directory>']
  if (resume === undefined) return []
  if (ended !== 'drained') return resumeLines(resume)
  return [`Resume with: orbweaver resume ${crawl}${redis}`, ...resumeLines(resume, 'then')]
}
