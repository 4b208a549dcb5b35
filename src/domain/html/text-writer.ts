import type { CharacterReference } from './character-references.ts'
import { isHighSurrogate, isSpace } from './characters.ts'

const TAB = 0x09
const LF = 0x0a
const CR = 0x0d
const SPACE = 0x20
const AMP = 0x26
const LT = 0x3c
const REPLACEMENT = 0xfffd

/** Separators between two pieces of text, weakest first; of several in a row the strongest counts. */
export const NO_BREAK = 0
export const CELL_BREAK = 1
export const LINE_BREAK = 2
export type Break = typeof NO_BREAK | typeof CELL_BREAK | typeof LINE_BREAK

/**
 * What a run of characters is. `markup`: references are decoded and NUL is dropped. `rcdata` (`<textarea>`, foreign
 * content): references are decoded, NUL is replaced. `raw` (`<xmp>`, CDATA): NUL is replaced and that is all.
 */
export type TextMode = 'markup' | 'rcdata' | 'raw'

/**
 * Collects the readable text of a page: white space collapsed, one line for each block, references decoded.
 * The text of an anchor is a part of it, known by its two ends.
 */
export class TextWriter {
  /** Greater than 0 inside `<pre>` and its like, where white space is kept. */
  preformatted = 0
  /** Whether there was more text than `maxChars`. */
  truncated = false
  /** From here on the text has single spaces at most: no break, nothing preformatted. */
  evenFrom = 0
  readonly #html: string
  readonly #input: Uint16Array
  readonly #reference: CharacterReference
  readonly #maxChars: number
  readonly #maxAnchorChars: number
  /** What was written. */
  #units = scratch
  #length = 0
  /** Where writing stops: `maxChars`, and beyond that the end of the anchor that is open. */
  #limit: number
  /** A cell or line break that is written when text follows. Also set at the start, where it gives nothing. */
  #pending: Break = LINE_BREAK
  /** 1 when the last unit is a space that a stronger break, or the end, takes back. */
  #trailingSpace = 0
  /** All code units or-ed together: below 256 the text is Latin-1. */
  #allBits = 0

  /** @param input `codeUnitsOf(html)` */
  constructor(
    html: string,
    input: Uint16Array,
    reference: CharacterReference,
    maxChars: number,
    maxAnchorChars: number,
  ) {
    this.#html = html
    this.#input = input
    this.#reference = reference
    this.#maxChars = maxChars
    this.#maxAnchorChars = maxAnchorChars
    this.#limit = maxChars
    // No character gives more than one code unit, and no tag more than a break.
    this.#reserve(Math.min(html.length, maxChars) + 1)
  }

  /** How much text there is; a space at the end does not count yet. */
  get length(): number {
    return this.#length - this.#trailingSpace
  }

  break(kind: Break): void {
    if (kind > this.#pending) this.#pending = kind
  }

  /**
   * Where the next text, or a space or break before it, will stand. Text of an anchor is kept even when the page's text
   * is full.
   */
  openAnchor(): number {
    if (this.truncated) {
      this.#limit = this.#length + this.#maxAnchorChars
      this.#reserve(Math.min(this.#html.length, this.#limit) + 1)
    }
    return this.length
  }

  /** Where its text ends, without a trailing space: a later break may overwrite that space. */
  closeAnchor(): number {
    if (this.truncated) this.#limit = this.#length
    return this.length
  }

  /** Writes the text between two positions. */
  write(start: number, end: number, mode: TextMode): void {
    const input = this.#input
    let i = start
    while (i < end && !this.#isFull) {
      const c = input[i] ?? 0
      if (isPlain(c)) {
        this.#put(c)
        i++
      } else i = this.#writeSpecial(i, end, mode)
    }
  }

  /** Writes up to the next `<` or the end of the input, and returns where that is. */
  writeToTag(start: number, mode: TextMode): number {
    if (this.preformatted === 0 && !this.#isFull) return this.#writeCollapsed(start, mode)
    const end = this.#nextTag(start)
    this.write(start, end, mode)
    return end
  }

  #nextTag(pos: number): number {
    const at = this.#html.indexOf('<', pos)
    return at === -1 ? this.#html.length : at
  }

  get #isFull(): boolean {
    return this.truncated && this.#length >= this.#limit
  }

  /** Everything written, the anchors after the cap included; the readable text is its first `textLength` units. */
  finish(): { all: string; textLength: number } {
    const units = this.#units
    let textLength = Math.min(this.#length, this.#maxChars)
    if (this.truncated && isHighSurrogate(units[textLength - 1] ?? 0)) textLength--
    while (textLength > 0 && isSpace(units[textLength - 1] ?? 0)) textLength--
    return { all: this.#toString(), textLength }
  }

  /**
   * The hottest loop of the scanner. Words have any length, so a branch on each space would be mispredicted once for
   * each word: instead every character is written, and a space after a space is written over.
   */
  #writeCollapsed(start: number, mode: TextMode): number {
    const input = this.#input
    const end = this.#html.length
    let i = start
    for (;;) {
      if (this.#pending !== NO_BREAK) {
        i = skipSpace(input, i)
        const c = input[i] ?? 0
        if (c === LT) return i
        if (isPlain(c)) this.#flush()
      }
      const stop = i + this.#limit - this.#length
      const units = this.#units
      let length = this.#length
      let trailingSpace = this.#trailingSpace
      let allBits = this.#allBits
      let c = 0
      for (; i < stop; i++) {
        c = input[i] ?? 0
        if (c < SPACE || c === LT || c === AMP) break
        const isSpaceBit = ((c ^ SPACE) - 1) >>> 31
        length -= isSpaceBit & trailingSpace
        units[length++] = c
        trailingSpace = isSpaceBit
        allBits |= c
      }
      this.#length = length
      this.#trailingSpace = trailingSpace
      this.#allBits = allBits
      if (i < stop) {
        if (c === LT || i >= end) return i
        i = this.#writeSpecial(i, end, mode)
      } else if (length >= this.#limit) {
        const tag = this.#nextTag(i)
        this.truncated ||= skipSpace(input, i) < tag
        return tag
      }
    }
  }

  /** A reference, white space or a control character. Returns the position after it. */
  #writeSpecial(i: number, end: number, mode: TextMode): number {
    const c = this.#input[i] ?? 0
    if (c === AMP) {
      const length = mode === 'raw' ? 0 : this.#reference.read(this.#html, i, end, false)
      if (length === 0) {
        this.#put(AMP)
        return i + 1
      }
      const { codePoint, second } = this.#reference
      this.#putCodePoint(codePoint)
      if (second !== 0) this.#putCodePoint(second)
      return i + length
    }
    if (c === CR) {
      this.#put(LF)
      return i + 1 < end && this.#input[i + 1] === LF ? i + 2 : i + 1
    }
    if (c !== 0) this.#put(c)
    else if (mode !== 'markup') this.#put(REPLACEMENT)
    return i + 1
  }

  #putCodePoint(codePoint: number): void {
    if (codePoint < 0x10000) this.#put(codePoint)
    else {
      this.#put(0xd800 + ((codePoint - 0x10000) >> 10))
      this.#put(0xdc00 + ((codePoint - 0x10000) & 0x3ff))
    }
  }

  #put(unit: number): void {
    const collapses = this.preformatted === 0 && isSpace(unit)
    if (collapses && (this.#pending !== NO_BREAK || this.#trailingSpace === 1)) return
    if (!collapses) this.#flush()
    if (this.#length >= this.#limit) {
      this.truncated ||= !collapses
      return
    }
    this.#units[this.#length++] = collapses ? SPACE : unit
    if (this.preformatted > 0) this.evenFrom = this.#length
    this.#trailingSpace = collapses ? 1 : 0
    this.#allBits |= unit
  }

  /** Writes the pending break, unless the text starts here or preformatted text has just ended with the like of it. */
  #flush(): void {
    const kind = this.#pending
    if (kind === NO_BREAK) return
    this.#pending = NO_BREAK
    this.#length -= this.#trailingSpace
    this.#trailingSpace = 0
    if (this.#length === 0 || this.#length >= this.#limit) return
    const before = this.#units[this.#length - 1] ?? 0
    if (kind === LINE_BREAK ? before === LF : isSpace(before)) return
    this.#units[this.#length++] = kind === LINE_BREAK ? LF : TAB
    this.evenFrom = this.#length
  }

  #reserve(units: number): void {
    if (units <= this.#units.length) return
    const larger = new Uint16Array(Math.max(units, this.#units.length * 2))
    larger.set(this.#units.subarray(0, this.#length))
    this.#units = larger
    if (larger.length <= MAX_SCRATCH_UNITS) scratch = larger
  }

  #toString(): string {
    const written = this.#units.subarray(0, this.#length)
    // A string of one byte a character takes half the memory and is read faster from then on.
    if (this.#allBits >= 256) return Buffer.from(written.buffer, 0, written.byteLength).toString('utf16le')
    const bytes = written.length <= latin1Scratch.length ? latin1Scratch : Buffer.alloc(written.length)
    bytes.set(written)
    return bytes.toString('latin1', 0, written.length)
  }
}

/** Scanning is synchronous and never starts inside another scan, so all of a thread share one buffer. */
let scratch = new Uint16Array(65_536)
const latin1Scratch = Buffer.alloc(65_536)
/** A larger one, made for a giant page, is not kept. */
const MAX_SCRATCH_UNITS = 2_097_152

/** Neither white space nor a control character nor the start of a reference. */
function isPlain(c: number): boolean {
  return c > SPACE && c !== AMP
}

/** The zeros at the end of the input stop it. */
function skipSpace(input: Uint16Array, start: number): number {
  let pos = start
  while (isSpace(input[pos] ?? 0)) pos++
  return pos
}
