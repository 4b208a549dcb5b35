import { setTimeout as sleep } from 'node:timers/promises'
import { CrawlNotRunning, OwnerGone } from '../adapters/crawl-directory/control/control-error.ts'
import { findLiveCrawl } from '../adapters/crawl-directory/control/remote-live-crawl.ts'
import { wallClock } from '../base/clock.ts'
import {
  formatCount,
  formatCounts,
  formatJson,
  formatNumber,
  formatTime,
  printableLine,
} from '../base/format-values.ts'
import type { CrawlDbStats } from '../domain/crawldb/crawl-db.ts'
import type { LiveReport } from '../domain/live/live-report.ts'
import { withCrawlToRead } from '../wiring/crawl-session.ts'
import { type CommandContext, EXIT } from './command-context.ts'
import type { RedisFlags } from './redis-flags.ts'
import { runningCrawlReport } from './running-crawl-report.ts'

export interface DirectoryStatusFlags extends RedisFlags {
  readonly json: boolean
  /** Milliseconds. */
  readonly watch: number | undefined
}

/** `orbweaver status` for a crawl directory: the report of the running crawl, or the state of the CrawlDb. */
export async function showDirectoryStatus(
  dir: string,
  { json, watch, config }: DirectoryStatusFlags,
  { terminal, exitWith }: CommandContext,
): Promise<void> {
  const signal = terminal.interrupted
  for (;;) {
    const live = await reportOf(dir)
    const state = live === undefined ? await storedState(dir, config) : undefined
    const text = live === undefined ? storedText(dir, state) : runningCrawlReport(dir, live)
    const frame = watch === undefined ? '' : terminal.columns === undefined ? '\n' : '\x1b[H\x1b[J'
    if (json)
      terminal.out(formatJson({ running: live ?? null, ...(state !== undefined && { stored: state }) }))
    else terminal.out(`${frame}${text}`)
    if (state?.urls === 0) exitWith(EXIT.nothing)
    if (watch === undefined || live === undefined) return
    await sleep(watch, undefined, { signal }).catch(() => {})
    if (signal.aborted) return
  }
}

/** The report of the running crawl, or the state of the CrawlDb, as text and as data. */
export async function directoryStatus(
  dir: string,
  configFile: string | undefined,
): Promise<{ readonly text: string; readonly data: Readonly<Record<string, unknown>> }> {
  const live = await reportOf(dir)
  if (live !== undefined) return { text: runningCrawlReport(dir, live), data: { running: live } }
  const state = await storedState(dir, configFile)
  return { text: storedText(dir, state), data: { running: null, stored: state } }
}

async function reportOf(dir: string): Promise<LiveReport | undefined> {
  try {
    return await (await findLiveCrawl(dir))?.report()
  } catch (error) {
    // It ended in this moment.
    if (error instanceof CrawlNotRunning || error instanceof OwnerGone) return undefined
    throw error
  }
}

interface StoredState {
  readonly urls: number
  readonly statuses: CrawlDbStats['statuses']
  readonly due: number
  /** URLs on fetch lists of unfinished segments. */
  readonly listed: number
  /** When a URL was last fetched (ms since the epoch); `null`: never. */
  readonly lastFetchAt: number | null
}

function storedState(dir: string, configFile: string | undefined): Promise<StoredState> {
  const options = { dir, command: 'status', ...(configFile !== undefined && { configFile }) }
  return withCrawlToRead(options, async ({ db, reader, rules }) => {
    const { total, statuses, generated } = await db.stats()
    const due = await db.countDue(wallClock.now(), rules.schedule.maxIntervalSeconds)
    const { rows } = await reader.sql('SELECT epoch_ms(max(last_fetch_time)) FROM crawldb')
    const last = rows[0]?.[0]
    return {
      urls: total,
      statuses,
      due,
      listed: generated,
      lastFetchAt: typeof last === 'number' ? last : null,
    }
  })
}

function storedText(dir: string, state: StoredState | undefined): string {
  if (state === undefined || state.urls === 0)
    return `${printableLine(dir)}: no crawl is running; the CrawlDb is empty\n`
  const { urls, statuses, due, listed, lastFetchAt } = state
  const resumable = listed === 0 ? '' : `, ${formatNumber(listed)} on unfinished fetch lists`
  return `${printableLine(dir)}: no crawl is running; ${formatCount(urls, 'URL')} (${formatCounts(statuses)}), ${formatNumber(due)} due${resumable}, last fetch ${formatTime(lastFetchAt ?? 0)}\n`
}
