import { isSpace } from './characters.ts'

const APOSTROPHE = 0x27
const EQUALS = 0x3d
const GT = 0x3e
const QUOTE = 0x22
const SLASH = 0x2f

/**
 * Steps through the attributes of one tag: the attribute grammar of the HTML standard. Positions of the current attribute are in the
 * fields until the next step, so that an attribute costs no object.
 */
export class AttributeCursor {
  nameStart = 0
  nameEnd = 0
  valueStart = 0
  valueEnd = 0
  /** Known after the last attribute: there is a `/` before the `>`, white space between them allowed. */
  isSelfClosing = false
  /** Known after the last attribute: the position after the `>`; -1 if the input ends first. */
  end = -1
  readonly #html: string
  #pos = 0

  /** @param pos after the name of the tag */
  constructor(html: string, pos = 0) {
    this.#html = html
    this.#pos = pos
  }

  /** Starts with another tag of the same text. */
  start(pos: number): void {
    this.#pos = pos
    this.end = -1
    this.isSelfClosing = false
  }

  /** Moves to the next attribute; false if there is none. The value of an attribute without one is empty. */
  next(): boolean {
    const html = this.#html
    let pos = this.#pos
    let hasSlash = false
    let c = html.charCodeAt(pos)
    while (c === SLASH || isSpace(c)) {
      hasSlash ||= c === SLASH
      c = html.charCodeAt(++pos)
    }
    if (c === GT) {
      this.isSelfClosing = hasSlash
      this.end = pos + 1
      return false
    }
    if (pos >= html.length) return false

    this.nameStart = pos
    // The first character belongs to the name even when it is `=`.
    do c = html.charCodeAt(++pos)
    while (c > GT || (c !== GT && c !== EQUALS && c !== SLASH && !isSpace(c) && pos < html.length))
    this.nameEnd = pos
    while (isSpace(c)) c = html.charCodeAt(++pos)
    this.valueStart = this.valueEnd = pos
    this.#pos = c === EQUALS ? this.#readValue(pos + 1) : pos
    return this.#pos <= html.length
  }

  /** Returns the position after the value: greater than the length of the text if the closing quote is missing. */
  #readValue(from: number): number {
    const html = this.#html
    let pos = from
    let c = html.charCodeAt(pos)
    while (isSpace(c)) c = html.charCodeAt(++pos)
    if (c === QUOTE || c === APOSTROPHE) {
      const close = html.indexOf(c === QUOTE ? '"' : "'", pos + 1)
      this.valueStart = pos + 1
      this.valueEnd = close
      return close === -1 ? html.length + 1 : close + 1
    }
    this.valueStart = pos
    while (c > GT || (c !== GT && !isSpace(c) && pos < html.length)) c = html.charCodeAt(++pos)
    this.valueEnd = pos
    return pos
  }
}

/**
 * The position of the `>` that ends a tag whose attributes are written as nearly all are: values as `="…"` or `='…'` right after a letter.
 * -1 for a tag with anything less usual, and for one that the page cuts off: it has to be read attribute by attribute.
 * @param units `codeUnitsOf(html)`
 * @param start after the name of the tag
 */
export function plainTagEnd(units: Uint16Array, start: number): number {
  for (let pos = start; ; pos++) {
    let c = units[pos] ?? 0
    if (c > GT) continue
    if (c === GT) return pos
    if (c === EQUALS) {
      const quote = units[pos + 1] ?? 0
      if ((units[pos - 1] ?? 0) <= GT || (quote !== QUOTE && quote !== APOSTROPHE)) return -1
      pos++
      do c = units[++pos] ?? 0
      while (c !== quote && c !== 0)
    }
    // The end of the page, or a NUL in it.
    if (c === 0) return -1
  }
}
