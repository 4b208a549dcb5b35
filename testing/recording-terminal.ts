import type { Terminal } from '../src/cli/terminal.ts'

/** A terminal that records its output. */
export class RecordingTerminal implements Terminal {
  stdout = ''
  stderr = ''
  readonly columns = undefined
  screenColumns: number | undefined
  readonly input: AsyncIterable<Uint8Array>
  readonly #interruption = new AbortController()

  /** @param input standard input */
  constructor(input = '') {
    this.input = new Blob([input]).stream()
  }

  get interrupted(): AbortSignal {
    return this.#interruption.signal
  }

  out(text: string): void {
    this.stdout += text
  }

  outRoom(): Promise<void> {
    return Promise.resolve()
  }

  err(text: string): void {
    this.stderr += text
  }

  /** As Ctrl-C does. */
  interrupt(): void {
    this.#interruption.abort()
  }
}
