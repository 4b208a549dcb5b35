import { isDigit, isLetter } from './characters.ts'
import { LEGACY_REFERENCES, NAMED_REFERENCES, SECOND_SHIFT } from './named-references.ts'

const CR = 0x0d
const AMP = 0x26
const EQUALS = 0x3d
const HASH = 0x23
const LF = 0x0a
const REPLACEMENT = 0xfffd
const SEMICOLON = 0x3b

/**
 * Reads one character reference (`&amp;`, `&#8211;`, `&copy`) by the rules of the HTML standard.
 * One reader serves a whole page, so that a reference costs no object: `read` leaves what it found in the fields.
 */
export class CharacterReference {
  /** The code point of the reference. */
  codePoint = 0
  /** The second code point; 0 for all but 93 of the names. */
  second = 0

  /** The length of the reference whose `&` is at `pos`, looking no further than `end`; 0 when there is none. */
  read(text: string, pos: number, end: number, inAttribute: boolean): number {
    this.second = 0
    const c = text.charCodeAt(pos + 1)
    if (c === HASH) return this.#readNumeric(text, pos, end)
    return isLetter(c) ? this.#readNamed(text, pos, end, inAttribute) : 0
  }

  #readNamed(text: string, pos: number, end: number, inAttribute: boolean): number {
    const start = pos + 1
    const stop = Math.min(end, start + LONGEST_NAME + 1)
    let nameEnd = start + 1
    while (nameEnd < stop && isAlphanumeric(text.charCodeAt(nameEnd))) nameEnd++
    if (nameEnd < end && text.charCodeAt(nameEnd) === SEMICOLON) {
      const value = NAMED_REFERENCES.get(text.slice(start, nameEnd))
      if (value !== undefined) return this.#found(value, nameEnd + 1 - pos)
    }
    // `&copy2` is a reference in text, but in an attribute it is part of a query string: `?a=1&copy2=3`.
    if (inAttribute) {
      if (nameEnd - start > LONGEST_LEGACY_NAME || text.charCodeAt(nameEnd) === EQUALS) return 0
      const value = LEGACY_REFERENCES.get(text.slice(start, nameEnd))
      return value === undefined ? 0 : this.#found(value, nameEnd - pos)
    }
    for (let cut = Math.min(nameEnd, start + LONGEST_LEGACY_NAME); cut > start + 1; cut--) {
      const value = LEGACY_REFERENCES.get(text.slice(start, cut))
      if (value !== undefined) return this.#found(value, cut - pos)
    }
    return 0
  }

  #readNumeric(text: string, pos: number, end: number): number {
    const hex = (text.charCodeAt(pos + 2) | 0x20) === 0x78
    const start = pos + (hex ? 3 : 2)
    let value = 0
    let i = start
    for (; i < end; i++) {
      const digit = digitAt(text, i, hex)
      if (digit === -1) break
      // Held just above the last code point, so that a thousand digits stay one small integer.
      value = Math.min(value * (hex ? 16 : 10) + digit, 0x110000)
    }
    if (i === start) return 0
    this.codePoint = meaning(value)
    return (i < end && text.charCodeAt(i) === SEMICOLON ? i + 1 : i) - pos
  }

  #found(value: number, length: number): number {
    this.codePoint = value % SECOND_SHIFT
    this.second = Math.floor(value / SECOND_SHIFT)
    return length
  }
}

/** The decoded value of an attribute: references decoded, newlines as LF, NUL replaced. `reference` is a scratch object. */
export function decodeAttribute(
  html: string,
  start: number,
  end: number,
  reference: CharacterReference,
): string {
  return decode(html, start, end, reference, true)
}

/** The same for the content of a `<title>`, where a reference may also end without a semicolon before a letter. */
export function decodeTitle(html: string, start: number, end: number, reference: CharacterReference): string {
  return decode(html, start, end, reference, false)
}

function decode(
  html: string,
  start: number,
  end: number,
  reference: CharacterReference,
  inAttribute: boolean,
): string {
  let decoded = ''
  let copied = start
  for (let i = start; i < end; i++) {
    const c = html.charCodeAt(i)
    if (c !== AMP && c !== CR && c !== 0) continue
    const length = c === AMP ? reference.read(html, i, end, inAttribute) : 1
    if (length === 0) continue
    decoded += html.slice(copied, i)
    copied = i + length
    if (c === 0) decoded += '\uFFFD'
    else if (c === CR) decoded += html.charCodeAt(copied) === LF ? '' : '\n'
    else {
      decoded += String.fromCodePoint(reference.codePoint)
      if (reference.second !== 0) decoded += String.fromCodePoint(reference.second)
    }
    i = copied - 1
  }
  return decoded + html.slice(copied, end)
}

/** `CounterClockwiseContourIntegral` */
const LONGEST_NAME = 31
const LONGEST_LEGACY_NAME = 6

/** What pages mean by the numbers 0x80 to 0x9f: the characters of windows-1252. */
const WINDOWS_1252 = [
  0x20ac, 0x81, 0x201a, 0x0192, 0x201e, 0x2026, 0x2020, 0x2021, 0x02c6, 0x2030, 0x0160, 0x2039, 0x0152, 0x8d,
  0x017d, 0x8f, 0x90, 0x2018, 0x2019, 0x201c, 0x201d, 0x2022, 0x2013, 0x2014, 0x02dc, 0x2122, 0x0161, 0x203a,
  0x0153, 0x9d, 0x017e, 0x0178,
]

function meaning(value: number): number {
  if (value === 0 || value > 0x10ffff || (value >= 0xd800 && value <= 0xdfff)) return REPLACEMENT
  return value >= 0x80 && value <= 0x9f ? (WINDOWS_1252[value - 0x80] ?? value) : value
}

function isAlphanumeric(c: number): boolean {
  return isLetter(c) || isDigit(c)
}

function digitAt(text: string, i: number, hex: boolean): number {
  const c = text.charCodeAt(i)
  if (isDigit(c)) return c - 0x30
  const letter = c | 0x20
  return hex && letter >= 0x61 && letter <= 0x66 ? letter - 0x61 + 10 : -1
}
