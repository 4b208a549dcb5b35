import type { FetchProgress } from '../cycle/fetch-progress.ts'
import { byteCount, count } from './shown.ts'
import type { Terminal } from './terminal.ts'

/** The line that a fetch shows every second. On a screen it is written over; elsewhere one is printed now and then. */
export class FetchStatusLine {
  readonly #terminal: Terminal
  #shownAt = Number.NEGATIVE_INFINITY
  #isOpen = false

  constructor(terminal: Terminal) {
    this.#terminal = terminal
  }

  update(progress: FetchProgress): void {
    const { isInteractive } = this.#terminal
    if (!isInteractive && progress.elapsedMs - this.#shownAt < LOG_EVERY_MS) return
    this.#shownAt = progress.elapsedMs
    const line = statusText(progress)
    this.#terminal.err(isInteractive ? `\r\x1b[2K${line}` : `${line}\n`)
    this.#isOpen = isInteractive
  }

  /** Makes room for other output. */
  clear(): void {
    if (this.#isOpen) this.#terminal.err('\r\x1b[2K')
    this.#isOpen = false
  }
}

const LOG_EVERY_MS = 10_000

function statusText(progress: FetchProgress): string {
  const {
    pages,
    errors,
    active,
    waiting,
    queues,
    parked,
    queued,
    bytes,
    pagesPerSecond,
    kilobytesPerSecond,
  } = progress
  return [
    `${count(pages)} pages`,
    `${pagesPerSecond.last.toFixed(1)} pages/s`,
    `${Math.round(kilobytesPerSecond.last)} kB/s`,
    byteCount(bytes),
    `${active} active`,
    `${waiting} waiting`,
    `${count(queues)} queues`,
    ...(parked > 0 ? [`${count(parked)} parked`] : []),
    `${count(queued)} queued`,
    `${count(errors)} errors`,
  ].join(' · ')
}
