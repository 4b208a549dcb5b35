import type { SpiderProgress } from '../spider/spider-engine.ts'
import { byteCount, count, moment } from './shown.ts'
import type { Terminal } from './terminal.ts'

/** The line that a spider shows every second. On a screen it is written over; elsewhere one is printed now and then. */
export class SpiderStatusLine {
  readonly #terminal: Pick<Terminal, 'err' | 'screenColumns'>
  /** When it was shown last: the speed is that since. */
  #last = { pages: 0, durationMs: 0 }
  #isOpen = false

  constructor(terminal: Pick<Terminal, 'err' | 'screenColumns'>) {
    this.#terminal = terminal
  }

  update(progress: SpiderProgress): void {
    const { screenColumns } = this.#terminal
    const { pages, durationMs } = progress.stats
    const sinceMs = durationMs - this.#last.durationMs
    if (screenColumns === undefined && sinceMs < LOG_EVERY_MS) return
    const text = figuresText(progress, ((pages - this.#last.pages) * 1000) / Math.max(1, sinceMs))
    this.#last = { pages, durationMs }
    if (screenColumns === undefined) this.#terminal.err(`${text}\n`)
    else {
      // A line that is wrapped could not be written over.
      this.#terminal.err(`${CLEAR}${text.slice(0, Math.max(0, screenColumns - 1))}`)
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

function figuresText(progress: SpiderProgress, pagesPerSecond: number): string {
  const { stats, active, queued, hosts, waitsUntil } = progress
  const { pages, items, bytes, failed, duplicates } = stats
  return [
    `${count(pages)} pages`,
    `${count(items)} items`,
    `${pagesPerSecond.toFixed(1)} pages/s`,
    `${count(sum(failed))} failed`,
    `${active} active`,
    `${count(queued)} queued`,
    `${count(hosts)} hosts`,
    `${count(duplicates)} duplicates`,
    byteCount(bytes),
    ...(waitsUntil === undefined ? [] : [`waits until ${moment(waitsUntil)} to try again`]),
  ].join(' · ')
}

function sum(counts: Readonly<Record<string, number>>): number {
  return Object.values(counts).reduce((total, n) => total + n, 0)
}
