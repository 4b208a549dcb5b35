import type { FetchProgress } from '../flows/cycle/fetch-progress.ts'
import { formatBytes, formatCount, formatNumber } from './format-values.ts'
import { ProgressLine } from './progress-line.ts'
import type { Terminal } from './terminal.ts'

/** The progress line of a fetch, with a progress bar on a screen. */
export class FetchStatusLine {
  readonly #line: ProgressLine
  /** Number of URLs on the fetch lists so far. */
  #expected = 0

  constructor(terminal: Pick<Terminal, 'err' | 'screenColumns'>) {
    this.#line = new ProgressLine(terminal)
  }

  /** Adds the URLs of a fetch list. */
  expect(urls: number): void {
    this.#expected += urls
  }

  update(progress: FetchProgress): void {
    this.#line.show(progress.elapsedMs, (columns) => {
      const text = `${doneText(progress, this.#expected)} · ${figuresText(progress)}`
      if (columns === undefined || this.#expected === 0) return text
      const room = Math.min(MAX_BAR_COLUMNS, Math.max(MIN_BAR_COLUMNS, columns - text.length - 1))
      return `${barText(doneOf(progress) / this.#expected, room)} ${text}`
    })
  }

  /** Removes the line before other output. */
  clear(): void {
    this.#line.clear()
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

function figuresText(progress: FetchProgress): string {
  const { pages, errors, active, waiting, queues, parked, queued, bytes } = progress
  return [
    `${progress.pagesPerSecond.toFixed(1)} pages/s`,
    `${Math.round(progress.kilobytesPerSecond)} kB/s`,
    formatCount(errors, 'error'),
    `${active} active`,
    `${waiting} waiting`,
    formatCount(queues, 'queue'),
    ...(parked > 0 ? [`${formatNumber(parked)} parked`] : []),
    `${formatNumber(queued)} queued`,
    formatCount(pages, 'page'),
    formatBytes(bytes),
  ].join(' · ')
}
