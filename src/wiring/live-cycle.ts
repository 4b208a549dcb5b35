import { type Clock, steadyClock, wallClock } from '../base/clock.ts'
import { BackgroundValue } from '../domain/live/background-value.ts'
import { RoundHistory } from '../flows/cycle/round-history.ts'
import type { CrawlSession } from './crawl-session.ts'
import type { FetchRunOptions } from './fetch-session.ts'
import { type LiveRun, withLiveRun } from './live-run.ts'
import { showLive } from './show-live.ts'

/** A watched run of the cycle, or of its fetch step. */
export interface LiveCycle {
  readonly run: LiveRun
  readonly history: RoundHistory
}

/** Calls `work` with a run of the cycle that can be watched. */
export function withLiveCycle<T>(
  session: Pick<CrawlSession, 'path' | 'db' | 'rules' | 'showLive'>,
  command: string,
  options: Pick<FetchRunOptions, 'watchers' | 'signal'> & {
    /** Of the requests. @default steadyClock */
    readonly clock?: Clock
    /** @default no limit */
    readonly maxPages?: number | undefined
  },
  work: (live: LiveCycle) => Promise<T>,
): Promise<T> {
  const { path, db, rules } = session
  const { watchers: others = [], signal, clock = steadyClock, maxPages } = options
  const watchers = [...others, showLive(session)]
  return withLiveRun({ kind: 'cycle', name: path, command, watchers, signal, clock, maxPages }, (run) => {
    const { monitor } = run
    const history = new RoundHistory(
      () => wallClock.now(),
      () => monitor.source,
    )
    const { maxIntervalSeconds } = rules.schedule
    const due = new BackgroundValue(steadyClock, () => db.countDue(wallClock.now(), maxIntervalSeconds))
    run.onClose(() => due.close())
    run.describe(() => {
      const { queued = 0, active = 0 } = monitor.source?.fetcher ?? {}
      // The URLs of open fetch lists that are not in the host queues yet are due, too.
      const listed = Math.max(0, history.left - queued - active)
      const counted = due.latest
      return {
        activity: history.activity,
        rounds: history.rounds(),
        ...(counted !== undefined && { due: counted + listed }),
      }
    })
    return work({ run, history })
  })
}
