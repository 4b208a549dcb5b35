import type { Terminal } from './terminal.ts'

/** A line that says how far a long work is. On a screen it is written over; elsewhere one is printed now and then. */
export class StatusLine {
  readonly #terminal: Pick<Terminal, 'err' | 'screenColumns'>
  #shownAtMs = 0
  #isOpen = false

  constructor(terminal: Pick<Terminal, 'err' | 'screenColumns'>) {
    this.#terminal = terminal
  }

  /**
   * @param elapsedMs since the work began
   * @param text asked only when it is shown, with the columns there are; `undefined`: any number
   */
  show(elapsedMs: number, text: (columns: number | undefined) => string): void {
    const { screenColumns } = this.#terminal
    if (screenColumns === undefined) {
      if (elapsedMs - this.#shownAtMs < LOG_EVERY_MS) return
      this.#shownAtMs = elapsedMs
      this.#terminal.err(`${text(undefined)}\n`)
      return
    }
    // A line that is wrapped could not be written over.
    const columns = Math.max(0, screenColumns - 1)
    this.#terminal.err(`${CLEAR}${text(columns).slice(0, columns)}`)
    this.#isOpen = true
  }

  /** Makes room for other output. */
  clear(): void {
    if (this.#isOpen) this.#terminal.err(CLEAR)
    this.#isOpen = false
  }
}

const LOG_EVERY_MS = 10_000
const CLEAR = '\r\x1b[2K'
