import type { FetchProgress } from '../flows/cycle/fetch-progress.ts'
import { formatBytes, formatNumber } from './format-values.ts'
import { StatusLine } from './status-line.ts'
import type { Terminal } from './terminal.ts'

/** The line that a fetch shows every second: on a screen with a progress bar. */
export class FetchStatusLine {
  readonly #line: StatusLine
  /** URLs that are to be fetched, as far as known. */
  #expected = 0

  constructor(terminal: Pick<Terminal, 'err' | 'screenColumns'>) {
    this.#line = new StatusLine(terminal)
  }

  /** So many URLs more are to be fetched. */
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

  /** Makes room for other output. */
  clear(): void {
    this.#line.clear()
  }
}

const MIN_BAR_COLUMNS = 8
const MAX_BAR_COLUMNS = 20

/** @param share of the whole; more than 1 when redirects led to URLs that were on no list */
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
    : `${formatNumber(done)} ${done === 1 ? 'URL' : 'URLs'}`
}

function figuresText(progress: FetchProgress): string {
  const { pages, errors, active, waiting, queues, parked, queued, bytes } = progress
  return [
    `${progress.pagesPerSecond.last.toFixed(1)} pages/s`,
    `${Math.round(progress.kilobytesPerSecond.last)} kB/s`,
    `${formatNumber(errors)} errors`,
    `${active} active`,
    `${waiting} waiting`,
    `${formatNumber(queues)} queues`,
    ...(parked > 0 ? [`${formatNumber(parked)} parked`] : []),
    `${formatNumber(queued)} queued`,
    `${formatNumber(pages)} pages`,
    formatBytes(bytes),
  ].join(' · ')
}
