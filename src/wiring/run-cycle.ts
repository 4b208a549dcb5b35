import { hostDelayMs } from '../adapters/config/host-queues-options.ts'
import { wallClock } from '../base/clock.ts'
import { withoutUndefined } from '../base/without-undefined.ts'
import { crawlInRounds, type RoundReport } from '../flows/cycle/crawl-rounds.ts'
import { FetchLoop } from '../flows/cycle/fetch-loop.ts'
import { createJudge } from '../flows/cycle/inject.ts'
import { type CrawlSession, updateRules } from './crawl-session.ts'
import type { FetchListOptions, RunOptions, RunResult } from './cycle-options.ts'
import { type OnMessage, withFetching } from './fetch-session.ts'
import { RoundIndexer } from './round-indexer.ts'

/** Crawls in rounds, with `index` alongside indexing. */
export async function runCycle(
  session: CrawlSession,
  options: RunOptions,
  onMessage: OnMessage,
): Promise<RunResult> {
  const { index = false, signal = new AbortController().signal } = options
  if (index === false) return runRounds(session, options, onMessage, signal, () => {})
  // Loaded late: most crawls do not index.
  const { EMBEDDED, indexCrawl, indexTargets } = await import('./index-targets.ts')
  const names = index === true ? [EMBEDDED] : index
  const targets = indexTargets(session, names, onMessage, signal)
  /** Segments whose links are not inverted yet. */
  const fetched = new Set<string>()
  const indexer = new RoundIndexer(async () => {
    const segments = [...fetched]
    fetched.clear()
    if (segments.length > 0) await session.links.invert({ segments })
    await session.db.markDuplicates()
    return indexCrawl(session, { targets, all: false, deleteGone: true }, onMessage, signal)
  })
  const onRound = (report: RoundReport) => {
    if (report.kind === 'fetched') fetched.add(report.result.segment)
    if (report.kind === 'updated' && fetched.size > 0) indexer.roundEnded()
  }
  try {
    const result = await runRounds(session, options, onMessage, signal, onRound)
    return { ...result, index: await indexer.finish() }
  } finally {
    // After a failure, too: the crawl must not be closed while it is being indexed.
    await indexer.idle()
  }
}

function runRounds(
  session: CrawlSession,
  options: RunOptions,
  onMessage: OnMessage,
  signal: AbortSignal,
  onRound: (report: RoundReport) => void,
): Promise<RunResult> {
  const { db, segments, settings, rules } = session
  return withFetching(session, options, onMessage, async ({ parts, options: fetching }) => {
    const { rounds, maxPages = settings.limits.maxPages } = options
    const result = await crawlInRounds(
      {
        ...{ db, segments, rules: updateRules(session), clock: wallClock },
        loop: new FetchLoop(parts, fetching),
        hostStateStore: parts.hostStateStore,
      },
      {
        delayMs: hostDelayMs(settings.politeness),
        maxWaitMs: settings.politeness.maxCrawlDelaySeconds * 1000,
        generate: { ...listOptions(options), judge: createJudge({ filter: rules.filter }) },
        ...withoutUndefined({ rounds, maxPages }),
        onRound: (report) => {
          options.onRound?.(report)
          onRound(report)
        },
      },
      signal,
    )
    return { ...result, robotsForbidden: parts.robots.forbidden }
  })
}

/** Only the options that select URLs for a fetch list. */
export function listOptions(options: FetchListOptions): FetchListOptions {
  const { topN, maxCount, countMode, minScore, restrictStatus, expr } = options
  return withoutUndefined({ topN, maxCount, countMode, minScore, restrictStatus, expr })
}
