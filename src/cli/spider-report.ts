import { join } from 'node:path'
import type { SpiderResult } from '../wiring/run-spider-options.ts'
import {
  columnWidth,
  formatBytes,
  formatCount,
  formatCounts,
  formatDuration,
  formatNumber,
  formatTime,
  printableLine,
} from './format-values.ts'
import { feedDocument, feedText } from './item-output.ts'
import { robotsForbiddenText } from './report-texts.ts'

/**
 * The summary at the end of a spider's run.
 * @param redis what other commands need to find its Redis: ` --redis redis://host`, or nothing
 */
export function spiderReport(dir: string | undefined, result: SpiderResult, redis = ''): string {
  const { ended, stats } = result
  if (isNothingDone(result)) return nothingText(dir, result, redis)
  const rate = (stats.pages * 1000) / Math.max(1, stats.durationMs)
  const lines = [
    `${formatCount(stats.pages, 'page')} and ${formatCount(stats.items, 'item')} in ${formatDuration(stats.durationMs)} (${rate.toFixed(1)} pages/s, ${formatBytes(stats.bytes)}): ${ENDS[ended]}`,
    `${formatCount(stats.requests, 'request')}, ${formatCount(stats.redirects, 'redirect')}, ${formatCount(stats.duplicates, 'duplicate')} skipped`,
    rejectedText(stats.rejected, dir),
    kinds('dropped by pipelines', stats.dropped),
    kinds('not requested', stats.skipped),
    kinds('truncated bodies', stats.truncated),
    kinds('retried', stats.retries),
    kinds('failed', stats.failed, failedCommand(dir, result, redis)),
    ...robotsForbiddenText(result.robotsForbidden),
    ...slowHosts(result),
    ...feedTexts(dir, result),
    ...leftTexts(dir, result, redis),
  ]
  return `${lines.filter((text) => text !== undefined).join('\n')}\n`
}

/** Whether there was no request to fetch. */
export function isNothingDone({ ended, stats }: SpiderResult): boolean {
  const { requests, pages, failed, skipped } = stats
  return ended === 'finished' && requests + pages === 0 && formatCounts({ ...failed, ...skipped }) === ''
}

function nothingText(dir: string | undefined, result: SpiderResult, redis: string): string {
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

function failedCommand(dir: string | undefined, { crawl }: SpiderResult, redis: string): string | undefined {
  if (crawl !== undefined) return `orbweaver failed ${crawl}${redis === '' ? ' --redis' : redis}`
  return dir && `orbweaver failed ${dir}`
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

function rejectedText(rejected: number, dir: string | undefined): string | undefined {
  if (rejected === 0) return undefined
  const where = dir === undefined ? ' (with --dir they are kept)' : `; see ${rejectedFile(dir)}`
  return `${formatNumber(rejected)} rejected by the schema${where}`
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

function slowHosts({ stats: { slowest, hosts } }: SpiderResult): string[] {
  if (hosts < 2) return []
  const rows = slowest.slice(0, 5)
  const width = columnWidth(rows.map(({ host }) => host))
  return [
    'slowest hosts:',
    ...rows.map(
      ({ host, requests, averageMs }) =>
        `  ${printableLine(host).padEnd(width)}  ${formatNumber(averageMs)} ms, ${formatCount(requests, 'request')}`,
    ),
  ]
}

/** The file of rejected items is named next to their count, unless it could not be written. */
function feedTexts(dir: string | undefined, { feeds }: SpiderResult): string[] {
  const told = dir === undefined ? undefined : rejectedFile(dir)
  return feeds
    .filter(({ target, error }) => error !== undefined || target !== told)
    .map((feed) => feedText(feed, 'items'))
}

function leftTexts(
  dir: string | undefined,
  { ended, pending, crawl }: SpiderResult,
  redis: string,
): string[] {
  const { ready, leased, delayed, nextDueAt, startsComplete } = pending
  if (ended === 'finished' || (startsComplete && ready + leased + delayed === 0)) return []
  const later =
    delayed === 0 ? '' : `, ${formatNumber(delayed)} for later (the first at ${formatTime(nextDueAt ?? 0)})`
  return [`${formatCount(ready + leased, 'request')} left${later}`, resumeText(dir, ended, crawl, redis)]
}

function resumeText(
  dir: string | undefined,
  ended: SpiderResult['ended'],
  crawl: string | undefined,
  redis: string,
): string {
  if (ended === 'drained')
    return `to resume: orbweaver resume ${crawl}${redis}, then run the same command again`
  return dir === undefined && crawl === undefined
    ? 'with --dir, the next run could resume'
    : 'to resume, run the same command again'
}
