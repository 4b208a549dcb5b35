import type { SpiderProgress } from '../flows/spider/spider-engine.ts'
import { formatBytes, formatCount, formatNumber, formatTime } from './format-values.ts'
import { ProgressLine } from './progress-line.ts'
import type { Terminal } from './terminal.ts'

/** The line that a spider shows every second. */
export class SpiderStatusLine {
  readonly #line: ProgressLine
  /** When it was shown last: the speed is that since. */
  #last = { pages: 0, durationMs: 0 }

  constructor(terminal: Pick<Terminal, 'err' | 'screenColumns'>) {
    this.#line = new ProgressLine(terminal)
  }

  update(progress: SpiderProgress): void {
    const { pages, durationMs } = progress.stats
    this.#line.show(durationMs, () => {
      const sinceMs = Math.max(1, durationMs - this.#last.durationMs)
      const pagesPerSecond = ((pages - this.#last.pages) * 1000) / sinceMs
      this.#last = { pages, durationMs }
      return figuresText(progress, pagesPerSecond)
    })
  }

  /** Makes room for other output. */
  clear(): void {
    this.#line.clear()
  }
}

function figuresText(progress: SpiderProgress, pagesPerSecond: number): string {
  const { stats, active, queued, hosts, waitsUntil, isPaused, idle } = progress
  const { pages, items, bytes, failed, duplicates } = stats
  return [
    formatCount(pages, 'page'),
    formatCount(items, 'item'),
    `${pagesPerSecond.toFixed(1)} pages/s`,
    `${formatNumber(sum(failed))} failed`,
    `${active} active`,
    `${formatNumber(queued)} queued`,
    formatCount(hosts, 'host'),
    formatCount(duplicates, 'duplicate'),
    formatBytes(bytes),
    ...(isPaused === true ? ['paused'] : []),
    ...(isPaused === true || waitsUntil === undefined
      ? []
      : [`waits until ${formatTime(waitsUntil)} to retry`]),
    ...(isPaused === true || idle === undefined ? [] : [idleText(idle)]),
  ].join(' · ')
}

function idleText(idle: NonNullable<SpiderProgress['idle']>): string {
  return idle === 'start-urls'
    ? 'idle: the queue is empty, waiting for start URLs'
    : `idle: other workers hold the hosts of the ${formatCount(idle.elsewhere, 'request')} left`
}

function sum(counts: Readonly<Record<string, number>>): number {
  return Object.values(counts).reduce((total, n) => total + n, 0)
}
