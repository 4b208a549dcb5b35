import { formatBytes, formatCount, formatNumber, formatTime } from '../base/format-values.ts'
import type { SpiderProgress } from '../flows/spider/spider-progress.ts'
import { LiveStatus } from './live-status.ts'
import { ProgressLine } from './progress-line.ts'
import type { Screen } from './screen.ts'
import { etaFigure, type Figure, joinFigures, robotsFigure } from './status-figures.ts'

/** The line that a spider shows every second. */
export class SpiderStatusLine {
  /** To be given to the run, for the time left and the state. */
  readonly watcher = new LiveStatus()
  readonly #line: ProgressLine
  /** When it was shown last: the speed is that since. */
  #last = { pages: 0, durationMs: 0 }

  constructor(screen: Screen) {
    this.#line = new ProgressLine(screen)
  }

  update(progress: SpiderProgress): void {
    const { pages, durationMs } = progress.stats
    this.watcher.refresh()
    let pagesPerSecond: number | undefined
    this.#line.show(durationMs, (columns) => {
      // Drawn again after other output and when the screen is resized.
      pagesPerSecond ??= this.#rateSince(pages, durationMs)
      return joinFigures(figures(progress, pagesPerSecond, this.watcher), columns)
    })
  }

  #rateSince(pages: number, durationMs: number): number {
    const rate = ((pages - this.#last.pages) * 1000) / Math.max(1, durationMs - this.#last.durationMs)
    this.#last = { pages, durationMs }
    return rate
  }

  /** Makes room for other output. */
  clear(): void {
    this.#line.clear()
  }
}

function figures(progress: SpiderProgress, pagesPerSecond: number, live: LiveStatus): Figure[] {
  const { stats, active, queued, hosts, waitsUntil, idle } = progress
  const { pages, items, bytes, failed, duplicates } = stats
  const isPaused = progress.isPaused === true || live.isPaused
  return [
    { text: formatCount(pages, 'page'), rank: 0 },
    { text: formatCount(items, 'item'), rank: 1 },
    { text: `${pagesPerSecond.toFixed(1)} pages/s`, rank: 3 },
    ...etaFigure(isPaused ? undefined : live.etaSeconds, 5),
    { text: `${formatNumber(sum(failed))} failed`, rank: 6 },
    { text: `${active} active`, rank: 9 },
    { text: `${formatNumber(queued)} queued`, rank: 8 },
    { text: formatCount(hosts, 'host'), rank: 10 },
    { text: formatCount(duplicates, 'duplicate'), rank: 11 },
    { text: formatBytes(bytes), rank: 12 },
    ...robotsFigure(progress.robotsFailures, 7),
    ...(isPaused ? [{ text: 'paused', rank: 2 }] : []),
    ...(isPaused || waitsUntil === undefined
      ? []
      : [{ text: `waits until ${formatTime(waitsUntil)} to retry`, rank: 4 }]),
    ...(isPaused || idle === undefined ? [] : [{ text: idleText(idle), rank: 4 }]),
  ]
}

function idleText(idle: NonNullable<SpiderProgress['idle']>): string {
  return idle === 'start-urls'
    ? 'idle: the queue is empty, waiting for start URLs'
    : `idle: other workers hold the hosts of the ${formatCount(idle.elsewhere, 'request')} left`
}

function sum(counts: Readonly<Record<string, number>>): number {
  return Object.values(counts).reduce((total, n) => total + n, 0)
}
