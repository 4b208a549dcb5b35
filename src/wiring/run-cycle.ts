import { hostDelayMs } from '../adapters/config/host-queues-options.ts'
import { steadyClock, wallClock } from '../base/clock.ts'
import type { EventLog } from '../base/event-log.ts'
import { withoutUndefined } from '../base/without-undefined.ts'
import type { GenerateRequest } from '../domain/crawldb/crawl-db-requests.ts'
import { createJudge } from '../domain/crawldb/create-judge.ts'
import { crawlInRounds, type RoundReport } from '../flows/cycle/crawl-rounds.ts'
import { FailedUrlRetries } from '../flows/cycle/failed-url-retries.ts'
import { FetchLoop } from '../flows/cycle/fetch-loop.ts'
import { type CrawlSession, updateRules } from './crawl-session.ts'
import { logRound, withRunEvents } from './cycle-events.ts'
import type { FetchListOptions, RunOptions, RunResult } from './cycle-options.ts'
import { withFetching } from './fetch-session.ts'
import { type LiveCycle, withLiveCycle } from './live-cycle.ts'
import { type IndexOccasion, RoundIndexer } from './round-indexer.ts'
import { allWatchers } from './settings-watchers.ts'

/** Crawls in rounds, with `index` alongside indexing. */
export async function runCycle(
  session: CrawlSession,
  options: RunOptions,
  log: EventLog,
): Promise<RunResult> {
  const watchers = await allWatchers(options.watchers, session.settings, log)
  const { maxPages = session.settings.limits.maxPages } = options
  return withLiveCycle(session, 'crawl', { ...options, watchers, maxPages }, (live) =>
    withRunEvents(session, log, () => runAndIndex(session, options, log, live)),
  )
}

async function runAndIndex(
  session: CrawlSession,
  options: RunOptions,
  log: EventLog,
  live: LiveCycle,
): Promise<RunResult> {
  const { index = false, indexEverySeconds } = options
  const { signal } = live.run
  if (index === false) return runRounds(session, options, log, live, () => {})
  // Loaded late: most crawls do not index.
  const { EMBEDDED, indexCrawl, indexTargets } = await import('./index-targets.ts')
  const names = index === true ? [EMBEDDED] : index
  const targets = indexTargets(session, names, log, signal)
  let hasFetched = false
  const update = async (occasion: IndexOccasion) => {
    if (occasion === 'round') {
      hasFetched = false
      await session.db.markDuplicates()
    }
    return indexCrawl(session, { targets, all: false, deleteGone: true }, log, signal)
  }
  const indexer = new RoundIndexer(
    update,
    indexEverySeconds === undefined ? undefined : { clock: steadyClock, everyMs: indexEverySeconds * 1_000 },
  )
  const onRound = (report: RoundReport) => {
    if (report.kind === 'fetched') hasFetched = true
    if (report.kind === 'updated' && hasFetched) indexer.roundEnded()
  }
  try {
    const result = await runRounds(session, options, log, live, onRound)
    live.history.step('indexing')
    return { ...result, index: await indexer.finish() }
  } finally {
    // After a failure, too: the crawl must not be closed while it is being indexed.
    await indexer.idle()
  }
}

function runRounds(
  session: CrawlSession,
  options: RunOptions,
  log: EventLog,
  { run, history }: LiveCycle,
  onRound: (report: RoundReport) => void,
): Promise<RunResult> {
  const { db, segments, settings, rules } = session
  return withFetching(session, options, log, async ({ parts, options: fetching }) => {
    const { rounds, maxPages = settings.limits.maxPages } = options
    const retries = new FailedUrlRetries(db, wallClock)
    run.offer({ 'retry-failed': ({ url }) => retries.retry(url) })
    const result = await crawlInRounds(
      {
        ...{ db, segments, rules: updateRules(session), clock: wallClock },
        loop: new FetchLoop({ ...parts, watch: run }, fetching),
        hostStateStore: parts.hostStateStore,
      },
      {
        delayMs: hostDelayMs(settings.politeness),
        maxWaitMs: settings.politeness.maxCrawlDelaySeconds * 1000,
        generate: {
          ...listOptions(options),
          ...hostLimit(settings),
          judge: createJudge({ filter: rules.filter }),
          ...withoutUndefined({ novelty: rules.novelty }),
        },
        ...withoutUndefined({ rounds, maxPages }),
        afterUpdate: () => retries.updated(),
        onWait: (resume) => retries.waiting(resume),
        onStep: (step) => history.step(step),
        onRound: (report) => {
          history.add(report)
          logRound(log, report)
          options.onRound?.(report)
          onRound(report)
        },
      },
      run.signal,
    )
    return {
      ...result,
      robotsForbidden: parts.robots.forbidden,
      robotsFailures: parts.robots.failures(),
      ...(parts.rendering !== undefined && { rendering: { ...parts.rendering.counts } }),
    }
  })
}

/** The limit per host that the settings give. */
export function hostLimit({ hostDb }: CrawlSession['settings']): Pick<GenerateRequest, 'hostLimitExpr'> {
  return withoutUndefined({ hostLimitExpr: hostDb.maxCountExpr })
}

/** Only the options that select URLs for a fetch list. */
export function listOptions(options: FetchListOptions): FetchListOptions {
  const { topN, maxCount, countMode, minScore, restrictStatus, expr } = options
  return withoutUndefined({ topN, maxCount, countMode, minScore, restrictStatus, expr })
}
