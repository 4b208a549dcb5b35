import type { Terminal } from './terminal.ts'

/** A progress line. On a screen it is overwritten in place; otherwise a line is printed every ten seconds. */
export class ProgressLine {
  readonly #terminal: Pick<Terminal, 'err' | 'screenColumns'>
  #printedAtMs = 0
  #isOpen = false

  constructor(terminal: Pick<Terminal, 'err' | 'screenColumns'>) {
    this.#terminal = terminal
  }

  /**
   * @param elapsedMs since the start
   * @param text called only when the line is printed, with its maximum width; `undefined`: no maximum
   */
  show(elapsedMs: number, text: (columns: number | undefined) => string): void {
    const { screenColumns } = this.#terminal
    if (screenColumns === undefined) {
      if (elapsedMs - this.#printedAtMs < LOG_EVERY_MS) return
      this.#printedAtMs = elapsedMs
      this.#terminal.err(`${text(undefined)}\n`)
      return
    }
    // A wrapped line could not be overwritten.
    const columns = Math.max(0, screenColumns - 1)
    this.#terminal.err(`${CLEAR}${text(columns).slice(0, columns)}`)
    this.#isOpen = true
  }

  /** Removes the line before other output. */
  clear(): void {
    if (this.#isOpen) this.#terminal.err(CLEAR)
    this.#isOpen = false
  }
}

const LOG_EVERY_MS = 10_000
const CLEAR = '\r\x1b[2K'
