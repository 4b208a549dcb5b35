/**
 * The screen of a terminal that wraps long lines again when its width changes, as most do. It knows the codes that the command writes, and
 * the marks of `pseudo-terminal.py`; another code is an error.
 */
export class TerminalScreen {
  #columns: number
  #lines: string[][] = [[]]
  #line = 0
  /** The position in the line, also beyond its first row. */
  #at = 0

  constructor(columns: number) {
    this.#columns = columns
  }

  get columns(): number {
    return this.#columns
  }

  /** The text of the lines, without empty ones. */
  get lines(): string[] {
    return this.#lines.map((line) => line.join('').trimEnd()).filter((text) => text !== '')
  }

  write(text: string): void {
    for (const [part] of text.matchAll(PARTS)) {
      const [, count, code] = /^\x1b\[(\d*)([A-Z])$/.exec(part) ?? []
      const mark = /^\x1b\](\d+)\x07$/.exec(part)?.[1]
      if (part === '\r') this.#at -= this.#at % this.#columns
      else if (part === '\n') this.#nextLine()
      else if (mark !== undefined) this.#columns = Number(mark)
      else if (code === 'A') this.#up(Number(count))
      else if (code === 'J') this.#eraseBelow()
      else if (code === 'K' && count === '2') this.#eraseRow()
      else if (part.startsWith('\x1b')) throw new Error(`unknown code ${JSON.stringify(part)}`)
      else this.#put(part)
    }
  }

  #put(character: string): void {
    const line = this.#current()
    while (line.length < this.#at) line.push(' ')
    line[this.#at++] = character
  }

  #nextLine(): void {
    this.#line++
    this.#at = 0
    this.#lines[this.#line] ??= []
  }

  #up(rows: number): void {
    for (let i = 0; i < rows; i++) {
      if (this.#at >= this.#columns) this.#at -= this.#columns
      else if (this.#line > 0) {
        this.#line--
        const lastRow = Math.max(0, Math.ceil(this.#current().length / this.#columns) - 1)
        this.#at += lastRow * this.#columns
      }
    }
  }

  #eraseBelow(): void {
    this.#current().splice(this.#at)
    this.#lines.splice(this.#line + 1)
  }

  #eraseRow(): void {
    const start = this.#at - (this.#at % this.#columns)
    const line = this.#current()
    for (let i = start; i < Math.min(line.length, start + this.#columns); i++) line[i] = ' '
    while (line.at(-1) === ' ') line.pop()
  }

  #current(): string[] {
    const line = this.#lines[this.#line] ?? []
    this.#lines[this.#line] = line
    return line
  }
}

/** Escape codes, and single characters. */
const PARTS = /\x1b\[[\d;?]*[A-Za-z]|\x1b\]\d+\x07|\x1b|./gsu
