/** Cuts text that comes in pieces into lines, whatever their ends: LF, CRLF or CR. Memory is bounded: the rest of an endless line is dropped. */
export class LineSplitter {
  readonly #maxLength: number
  #rest = ''

  /** @param maxLength characters of a line that are kept for sure; @default 1000000 */
  constructor(maxLength = 1_000_000) {
    this.#maxLength = maxLength
  }

  /** The lines that end in this piece. */
  push(piece: string): string[] {
    const text = this.#rest + piece
    // A CR at the end may be half of a line end.
    const whole = text.endsWith('\r') ? text.slice(0, -1) : text
    const lines = (whole.includes('\r') ? whole.replace(/\r\n?/g, '\n') : whole).split('\n')
    const last = lines.pop() ?? ''
    this.#rest = last.slice(0, this.#maxLength) + text.slice(whole.length)
    return lines
  }

  /** What was after the last line end; nothing when the text ended with one. */
  end(): string[] {
    const rest = this.#rest.replace(/\r$/, '')
    this.#rest = ''
    return rest === '' ? [] : [rest]
  }
}
