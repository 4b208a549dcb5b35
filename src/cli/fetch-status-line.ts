import type { FetchProgress } from '../cycle/fetch-progress.ts'
import { byteCount, count } from './shown.ts'
import type { Terminal } from './terminal.ts'

/** The line that a fetch shows every second. On a screen it is a progress bar, written over; elsewhere one is printed now and then. */
export class FetchStatusLine {
  readonly #terminal: Pick<Terminal, 'err' | 'screenColumns'>
  /** URLs that are to be fetched, as far as known. */
  #expected = 0
  #shownAt = 0
  #isOpen = false

  constructor(terminal: Pick<Terminal, 'err' | 'screenColumns'>) {
    this.#terminal = terminal
  }

  /** So many URLs more are to be fetched. */
  expect(urls: number): void {
    this.#expected += urls
  }

  update(progress: FetchProgress): void {
    const { screenColumns } = this.#terminal
    if (screenColumns === undefined && progress.elapsedMs - this.#shownAt < LOG_EVERY_MS) return
    this.#shownAt = progress.elapsedMs
    const text = `${doneText(progress, this.#expected)} · ${figuresText(progress)}`
    if (screenColumns === undefined) this.#terminal.err(`${text}\n`)
    else {
      // A line that is wrapped could not be written over.
      const room = Math.max(0, screenColumns - 1)
      const columns = Math.min(MAX_BAR_COLUMNS, Math.max(MIN_BAR_COLUMNS, room - text.length - 1))
      const bar = this.#expected > 0 ? `${barText(doneOf(progress) / this.#expected, columns)} ` : ''
      this.#terminal.err(`${CLEAR}${`${bar}${text}`.slice(0, room)}`)
      this.#isOpen = true
    }
  }

  /** Makes room for other output. */
  clear(): void {
    if (this.#isOpen) this.#terminal.err(CLEAR)
    this.#isOpen = false
  }
}

const LOG_EVERY_MS = 10_000
const CLEAR = '\r\x1b[2K'
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
    ? `${count(done)} of ${count(Math.max(done, expected))} URLs`
    : `${count(done)} ${done === 1 ? 'URL' : 'URLs'}`
}

function figuresText(progress: FetchProgress): string {
  const { pages, errors, active, waiting, queues, parked, queued, bytes } = progress
  return [
    `${progress.pagesPerSecond.last.toFixed(1)} pages/s`,
    `${Math.round(progress.kilobytesPerSecond.last)} kB/s`,
    `${count(errors)} errors`,
    `${active} active`,
    `${waiting} waiting`,
    `${count(queues)} queues`,
    ...(parked > 0 ? [`${count(parked)} parked`] : []),
    `${count(queued)} queued`,
    `${count(pages)} pages`,
    byteCount(bytes),
  ].join(' · ')
}
