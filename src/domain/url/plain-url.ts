/**
 * Plain URLs are what long seed lists mostly hold: in normal form under the default rules, and of a shape that neither the default rules nor
 * the trap filter reject. One pass over the bytes of a line recognises them, without a string. Like `isNormalUrl`, it may say no to a URL
 * that is accepted, which only costs time, but never yes to any other: plain-url.test.ts proves it against the normaliser and the filters.
 */

/** Of a plain URL, in characters. */
export const MAX_PLAIN_LENGTH = 500
/** Segments of the path, without the empty one after a trailing slash. Below five, only three equal ones in a row count as a trap. */
export const MAX_PLAIN_SEGMENTS = 4
export const MAX_PLAIN_PARAMETERS = 4
/** Years in the dates of a plain URL. */
export const PLAIN_YEARS = { first: 1900, last: 2025 }

/** The position of the line feed after the plain URL that starts at `start`; -1 if the line is anything else, or does not end in `bytes`. */
export function findPlainEnd(bytes: Uint8Array, start: number): number {
  const host = hostStart(bytes, start)
  const path = host === -1 ? -1 : hostEnd(bytes, host)
  const end = path === -1 ? -1 : pathEnd(bytes, path)
  if (end === -1) return -1
  const line = bytes[end] === QUESTION_MARK ? queryEnd(bytes, end) : end
  return line - start > MAX_PLAIN_LENGTH ? -1 : line
}

/** After `http://` or `https://`; -1: it starts otherwise. */
function hostStart(bytes: Uint8Array, start: number): number {
  for (let i = 0; i < HTTP.length; i++) if (bytes[start + i] !== HTTP[i]) return -1
  const colon = start + HTTP.length + (bytes[start + HTTP.length] === LETTER_S ? 1 : 0)
  return bytes[colon] === COLON && bytes[colon + 1] === SLASH && bytes[colon + 2] === SLASH ? colon + 3 : -1
}

/** The slash after a host name whose last label has only letters, so that it is not an address; -1: it is no such name. */
function hostEnd(bytes: Uint8Array, start: number): number {
  let label = start
  let hasOnlyLetters = true
  for (let at = start; at - start <= MAX_HOST; at++) {
    const byte = bytes[at] ?? 0
    if (byte >= LETTER_A && byte <= LETTER_Z) continue
    if (KINDS[byte] === DIGIT || byte === UNDERSCORE) {
      hasOnlyLetters = false
      continue
    }
    // A label neither starts nor ends with a hyphen, nor has two in a row.
    if (at === label || bytes[at - 1] === HYPHEN) return -1
    if (byte === SLASH) return hasOnlyLetters ? at : -1
    if (byte === HYPHEN) hasOnlyLetters = false
    else if (byte === DOT) {
      label = at + 1
      hasOnlyLetters = true
    } else return -1
  }
  return -1
}

/** The question mark or line feed after a path that starts with the slash at `start`; -1: it is not plain. */
function pathEnd(bytes: Uint8Array, start: number): number {
  let segment = start + 1
  let segments = 0
  let lengthBefore = 0
  let sameLength = 0
  let digits = 0
  for (let at = segment; ; at++) {
    const kind = KINDS[bytes[at] ?? 0]
    if (kind === DIGIT) {
      digits++
      continue
    }
    if (kind === WORD) {
      digits = 0
      continue
    }
    if (kind === MARK) {
      if (bytes[at] === DOT ? at === segment || !isPage(bytes, at + 1) : !isPlainDate(bytes, at, digits))
        return -1
      digits = 0
      continue
    }
    if (kind !== SEGMENT_END) return -1
    const length = at - segment
    const isLast = bytes[at] !== SLASH
    if (length > 0) {
      if (++segments > MAX_PLAIN_SEGMENTS) return -1
      sameLength = length === lengthBefore ? sameLength + 1 : 0
      // Three in a row may be equal.
      if (sameLength === 2) return -1
      lengthBefore = length
    } else if (!isLast) return -1
    if (isLast) return at
    if (!isPlainDate(bytes, at, digits)) return -1
    segment = at + 1
    digits = 0
  }
}

/** The line feed after a query that starts with the question mark at `start`; -1: it is not plain. */
function queryEnd(bytes: Uint8Array, start: number): number {
  let parameter = start + 1
  let parameters = 1
  let digits = 0
  for (let at = parameter; ; at++) {
    const byte = bytes[at] ?? 0
    const kind = KINDS[byte]
    if (kind === DIGIT) {
      digits++
      continue
    }
    if (byte === EQUALS) {
      if (hasRule(bytes, parameter, at)) return -1
    } else if (byte === AMPERSAND || byte === LINE_FEED) {
      if (at === parameter) return -1
      if (byte === LINE_FEED) return at
      if (++parameters > MAX_PLAIN_PARAMETERS) return -1
      parameter = at + 1
    } else if (byte === DOT) {
      if (!isPage(bytes, at + 1)) return -1
    } else if (byte === HYPHEN || byte === SLASH) {
      if (!isPlainDate(bytes, at, digits)) return -1
    } else if (kind !== WORD) return -1
    digits = 0
  }
}

/** Whether what follows a dot is not the last part of a file name, or is one of a page. */
function isPage(bytes: Uint8Array, start: number): boolean {
  let at = start
  let packed = 0
  while (isLetterOrDigit(bytes[at] ?? 0)) packed = packed * 256 + (bytes[at++] ?? 0)
  const byte = bytes[at]
  return (byte !== LINE_FEED && byte !== QUESTION_MARK) || PAGES.has(packed)
}

function isLetterOrDigit(byte: number): boolean {
  return KINDS[byte] === DIGIT || ((byte | LOWER_CASE) >= LETTER_A && (byte | LOWER_CASE) <= LETTER_Z)
}

/** What ends at `end` with `digits` digits may be the year of a date; whether it is none, or one that no calendar trap has. */
function isPlainDate(bytes: Uint8Array, end: number, digits: number): boolean {
  if (digits !== 4 || KINDS[bytes[end + 1] ?? 0] !== DIGIT) return true
  let year = 0
  for (let at = end - 4; at < end; at++) year = year * 10 + (bytes[at] ?? 0) - ZERO
  return (year >= PLAIN_YEARS.first && year <= PLAIN_YEARS.last) || isLetterOrDigit(bytes[end - 5] ?? 0)
}

/** Whether a parameter may have a rule of its own, to judge by the length of its name and its last letters: a session id, a year, an action. */
function hasRule(bytes: Uint8Array, start: number, end: number): boolean {
  const last = (bytes[end - 1] ?? 0) | LOWER_CASE
  switch (end - start) {
    case 'yr'.length:
    case 'year'.length:
      if (last === LETTER_R) return true
      break
    case 'replytocom'.length:
      if (last === LETTER_M) return true
      break
    case 'add-to-cart'.length:
    case 'add_to_wishlist'.length:
      if (last === LETTER_T) return true
  }
  // `sid` and `nid`.
  if (last !== LETTER_D || ((bytes[end - 2] ?? 0) | LOWER_CASE) !== LETTER_I) return false
  const third = (bytes[end - 3] ?? 0) | LOWER_CASE
  return third === LETTER_S || third === LETTER_N
}

const HTTP = Buffer.from('http')
const [LETTER_A, LETTER_D, LETTER_I, LETTER_M, LETTER_N, LETTER_R, LETTER_S, LETTER_T, LETTER_Z] = [
  0x61, 0x64, 0x69, 0x6d, 0x6e, 0x72, 0x73, 0x74, 0x7a,
]
/** The bit that an ASCII letter in upper case lacks. */
const LOWER_CASE = 0x20
const LINE_FEED = 0x0a
const AMPERSAND = 0x26
const HYPHEN = 0x2d
const DOT = 0x2e
const SLASH = 0x2f
const ZERO = 0x30
const COLON = 0x3a
const EQUALS = 0x3d
const QUESTION_MARK = 0x3f
const UNDERSCORE = 0x5f

/** No label is longer than the 63 octets that DNS allows. */
const MAX_HOST = 63

/** Kinds of bytes in a path; 0: a plain URL does not have it there. */
const WORD = 1
const DIGIT = 2
/** It may be part of something that a rule is about. */
const MARK = 3
const SEGMENT_END = 4

const KINDS = new Uint8Array(256)
for (const byte of Buffer.from('ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_~!()+,:@'))
  KINDS[byte] = WORD
for (const byte of Buffer.from('0123456789')) KINDS[byte] = DIGIT
for (const byte of Buffer.from('.-')) KINDS[byte] = MARK
for (const byte of Buffer.from('/?\n')) KINDS[byte] = SEGMENT_END

/** Endings of pages, each as a number. */
const PAGES = new Set(
  ['html', 'htm', 'shtml', 'xhtml', 'php', 'asp', 'aspx', 'jsp', 'do', 'cgi', 'txt', 'pdf'].map((ending) =>
    [...Buffer.from(ending)].reduce((packed, byte) => packed * 256 + byte, 0),
  ),
)
