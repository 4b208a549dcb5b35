import type { Screen } from './screen.ts'

/**
 * A progress line. On a screen it is overwritten in place; otherwise a line is printed every ten seconds. After Ctrl-C, a line says what the
 * run waits for.
 */
export class ProgressLine {
  readonly #screen: Screen
  readonly #onInterruption = (): void => this.#screen.err(STOPPING)
  #printedAtMs = 0

  constructor(screen: Screen) {
    this.#screen = screen
    this.#listen()
  }

  /**
   * @param elapsedMs since the start
   * @param text called only when the line is printed, with its maximum width; `undefined`: no maximum
   */
  show(elapsedMs: number, text: (columns: number | undefined) => string): void {
    this.#listen()
    if (this.#screen.screenColumns !== undefined) this.#screen.setStatus(text)
    else if (elapsedMs - this.#printedAtMs >= LOG_EVERY_MS) {
      this.#printedAtMs = elapsedMs
      this.#screen.logProgress(text(undefined))
    }
  }

  /** Removes the line at the end. */
  clear(): void {
    this.#screen.interrupted.removeEventListener('abort', this.#onInterruption)
    this.#screen.setStatus(undefined)
  }

  /** Again after `clear`: a worker shows the line for one segment after another. */
  #listen(): void {
    this.#screen.interrupted.addEventListener('abort', this.#onInterruption)
  }
}

const LOG_EVERY_MS = 10_000
const STOPPING = 'stopping: requests in flight have up to 5 s to finish; press Ctrl-C again to quit at once\n'
