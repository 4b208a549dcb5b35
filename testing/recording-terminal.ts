import type { Terminal } from '../src/cli/terminal.ts'

/** A terminal that keeps what it is told. */
export class RecordingTerminal implements Terminal {
  stdout = ''
  stderr = ''
  readonly columns = undefined
  readonly #interruption = new AbortController()

  get interrupted(): AbortSignal {
    return this.#interruption.signal
  }

  out(text: string): void {
    this.stdout += text
  }

  err(text: string): void {
    this.stderr += text
  }

  /** As Ctrl-C does. */
  interrupt(): void {
    this.#interruption.abort()
  }
}
