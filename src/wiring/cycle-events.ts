import { logEvent } from '../base/event-codes.ts'
import type { EventLog } from '../base/event-log.ts'
import { formatCount } from '../base/format-values.ts'
import type { RoundReport } from '../flows/cycle/crawl-rounds.ts'
import type { FetchResult } from '../flows/cycle/fetch-result.ts'
import type { TargetResult } from '../flows/cycle/index-pages.ts'
import type { CrawlSession } from './crawl-session.ts'
import type { RunResult } from './cycle-options.ts'

/** Logs the start and the end of a run of the cycle, and the error that ends it. */
export async function withRunEvents(
  { path, db }: Pick<CrawlSession, 'path' | 'db'>,
  log: EventLog,
  run: () => Promise<RunResult>,
): Promise<RunResult> {
  const segments = await db.segments()
  const unfinished = segments.filter(({ state }) => state === 'generated').length
  const data = { directory: path, pid: process.pid }
  if (unfinished > 0)
    logEvent(log, 'CRAWL_RESUMED', `crawl of ${path} resumed`, { data: { ...data, unfinished } })
  else logEvent(log, 'CRAWL_STARTED', `crawl of ${path} started`, { data })
  try {
    const result = await run()
    logRunEnd(log, path, result)
    return result
  } catch (error) {
    logFailure(log, error)
    throw error
  }
}

function logRunEnd(log: EventLog, path: string, result: RunResult): void {
  const { ended, pages, rounds, bytes, durationMs, added, due, statuses } = result
  const limit = LIMITS[ended]
  if (limit !== undefined) logEvent(log, 'LIMIT_REACHED', `stopped: ${limit} reached`, { data: { limit } })
  logEvent(
    log,
    'CRAWL_FINISHED',
    `crawl of ${path} ended (${ended}): ${formatCount(pages, 'page')} in ${formatCount(rounds, 'round')}`,
    {
      data: { ended, pages, rounds, bytes, durationMs, added, due, statuses },
    },
  )
}

const LIMITS: Readonly<Record<string, string>> = {
  pages: '--max-pages',
  rounds: '--rounds',
  'time limit': '--max-time',
  'too few pages per second': '--min-pages-per-second',
}

/** Logs the error that ends a run. */
export function logFailure(log: EventLog, error: unknown): void {
  const message = error instanceof Error ? error.message : String(error)
  const code = error instanceof Error && 'code' in error ? String(error.code) : 'UNEXPECTED'
  logEvent(log, 'CRAWL_FAILED', `the crawl failed: ${message}`, { data: { code } })
}

export function logRound(log: EventLog, report: RoundReport): void {
  switch (report.kind) {
    case 'generated': {
      const { round, segment, urls } = report
      logEvent(log, 'ROUND_STARTED', `round ${round}: ${formatCount(urls, 'URL')} in segment ${segment}`, {
        data: { round, segment, urls },
      })
      return
    }
    case 'resumed': {
      const { segment, urls, left } = report
      logEvent(log, 'SEGMENT_RESUMED', `segment ${segment}: ${formatCount(left, 'URL')} left`, {
        data: { segment, urls, left },
      })
      return
    }
    case 'fetched':
      logSegment(log, report.result)
      return
    case 'updated': {
      const { fetched, added } = report
      logEvent(
        log,
        'CRAWLDB_UPDATED',
        `${formatCount(fetched, 'fetch result')} merged, ${formatCount(added, 'new URL')}`,
        {
          data: { fetched, added },
        },
      )
      return
    }
    case 'waiting': {
      const { until, waits } = report
      logEvent(
        log,
        'HOSTS_WAITING',
        `all due URLs wait for their hosts until ${new Date(until).toISOString()}`,
        {
          data: { until, hosts: waits.first.map(({ host }) => host) },
        },
      )
    }
  }
}

export function logSegment(log: EventLog, result: FetchResult): void {
  const { segment, statuses, bytes, durationMs, complete } = result
  const urls = Object.values(statuses).reduce((sum, n) => sum + n, 0)
  logEvent(
    log,
    'SEGMENT_FETCHED',
    `segment ${segment}: ${formatCount(urls, 'URL')}${complete ? '' : ', interrupted'}`,
    {
      data: { segment, complete, bytes, durationMs, statuses },
    },
  )
}

export function logIndexed(log: EventLog, results: readonly TargetResult[]): void {
  for (const { target, ended, put, deleted } of results)
    logEvent(log, 'INDEX_UPDATED', `${target}: ${put} pages indexed, ${deleted} deleted (${ended})`, {
      data: { target, ended, put, deleted },
    })
}
