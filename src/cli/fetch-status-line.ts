import { formatBytes, formatCount, formatNumber } from '../base/format-values.ts'
import type { FetchProgress } from '../flows/cycle/fetch-progress.ts'
import { LiveStatus } from './live-status.ts'
import { ProgressLine } from './progress-line.ts'
import type { Screen } from './screen.ts'
import { etaFigure, type Figure, joinFigures, robotsFigure } from './status-figures.ts'
import { textColumns } from './text-columns.ts'

/** The progress line of a fetch, with a progress bar on a screen. */
export class FetchStatusLine {
  /** To be given to the run, for the time left and the state. */
  readonly watcher = new LiveStatus()
  readonly #line: ProgressLine
  /** Number of URLs on the fetch lists so far. */
  #expected = 0

  constructor(screen: Screen) {
    this.#line = new ProgressLine(screen)
  }

  /** Adds the URLs of a fetch list. */
  expect(urls: number): void {
    this.#expected += urls
  }

  update(progress: FetchProgress): void {
    this.watcher.refresh()
    this.#line.show(progress.elapsedMs, (columns) => {
      const figures = this.#figures(progress)
      if (columns === undefined || this.#expected === 0) return joinFigures(figures, columns)
      const text = joinFigures(figures, columns - MIN_BAR_COLUMNS - 1)
      const room = Math.min(MAX_BAR_COLUMNS, columns - textColumns(text) - 1)
      // A narrow screen has room for figures only.
      if (room < MIN_BAR_COLUMNS) return joinFigures(figures, columns)
      return `${barText(doneOf(progress) / this.#expected, room)} ${text}`
    })
  }

  /** Removes the line before other output. */
  clear(): void {
    this.#line.clear()
  }

  #figures(progress: FetchProgress): Figure[] {
    const { pages, errors, active, waiting, queues, parked, queued, bytes } = progress
    const { etaSeconds, isPaused } = this.watcher
    return [
      { text: doneText(progress, this.#expected), rank: 0 },
      ...(isPaused ? [{ text: 'paused', rank: 1 }] : []),
      ...robotsFigure(progress.robotsFailures, 5),
      { text: `${progress.pagesPerSecond.toFixed(1)} pages/s`, rank: 2 },
      ...etaFigure(etaSeconds, 3),
      { text: `${Math.round(progress.kilobytesPerSecond)} kB/s`, rank: 7 },
      { text: formatCount(errors, 'error'), rank: 4 },
      { text: `${active} active`, rank: 8 },
      { text: `${waiting} waiting`, rank: 11 },
      { text: formatCount(queues, 'queue'), rank: 10 },
      ...(parked > 0 ? [{ text: `${formatNumber(parked)} parked`, rank: 9 }] : []),
      { text: `${formatNumber(queued)} queued`, rank: 6 },
      { text: formatCount(pages, 'page'), rank: 12 },
      { text: formatBytes(bytes), rank: 13 },
    ]
  }
}

const MIN_BAR_COLUMNS = 8
const MAX_BAR_COLUMNS = 20

/** @param share may exceed 1: redirect targets count, too */
function barText(share: number, columns: number): string {
  const full = Math.floor(Math.min(1, share) * columns)
  return `${'█'.repeat(full)}${'░'.repeat(columns - full)}`
}

function doneOf({ statuses }: FetchProgress): number {
  return Object.values(statuses).reduce((sum, n) => sum + n, 0)
}

function doneText(progress: FetchProgress, expected: number): string {
  const done = doneOf(progress)
  return expected > 0
    ? `${formatNumber(done)} of ${formatNumber(Math.max(done, expected))} URLs`
    : formatCount(done, 'URL')
}
