import { formatJson } from '../base/format-values.ts'
import type { Terminal } from './terminal.ts'

/**
 * The terminal of a command with `--json`. It holds the document back until the command has ended, so that a failure at the very end, such
 * as a crawl that cannot be closed, still prints exactly one document: the error.
 */
export class JsonTerminal implements Terminal {
  readonly #inner: Terminal
  #held = ''
  #isReleased = false

  constructor(inner: Terminal) {
    this.#inner = inner
  }

  out(text: string): void {
    if (this.#isReleased) this.#inner.out(text)
    else this.#held += text
  }

  /** Prints what is held, and everything else at once: for a command that continues after its document, such as `serve`. */
  release(): void {
    this.#isReleased = true
    this.#inner.out(this.#held)
    this.#held = ''
  }

  /** Prints the held document, or this error instead. Nothing if the document is printed already: there is only one. */
  end(error?: { readonly code: string; readonly message: string }): void {
    if (this.#isReleased) return
    if (error !== undefined) this.#held = formatJson({ error })
    this.release()
  }

  outRoom(): Promise<void> {
    return this.#inner.outRoom()
  }

  err(text: string): void {
    this.#inner.err(text)
  }

  get input(): AsyncIterable<Uint8Array> {
    return this.#inner.input
  }

  get screenColumns(): number | undefined {
    return this.#inner.screenColumns
  }

  get columns(): number | undefined {
    return this.#inner.columns
  }

  onResize(listener: () => void): () => void {
    return this.#inner.onResize?.(listener) ?? (() => {})
  }

  get interrupted(): AbortSignal {
    return this.#inner.interrupted
  }

  get program(): string | undefined {
    return this.#inner.program
  }
}
