import { isSpace } from '../html/characters.ts'

const APOSTROPHE = 0x27
const EQUALS = 0x3d
const GT = 0x3e
const QUOTE = 0x22
const SLASH = 0x2f

/** Steps over the attributes of one start tag. What it found is in its fields until the next step. */
export class AttributeCursor {
  nameStart = 0
  nameEnd = 0
  valueStart = 0
  valueEnd = 0
  /** Whether a `/` stands before the `>`. Known at the end. */
  isSelfClosing = false
  /** Behind the tag; -1 when the page ends first. Known at the end. */
  end = -1
  readonly #html: string
  #pos: number

  /** @param pos behind the name of the tag */
  constructor(html: string, pos: number) {
    this.#html = html
    this.#pos = pos
  }

  /** Whether there is another attribute. Of one without a value the value is empty. */
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

  /** Returns the position behind the value: beyond the end of the page when it has none. */
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
