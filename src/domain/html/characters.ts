const TAB = 0x09
const LF = 0x0a
const FF = 0x0c
const CR = 0x0d
const SPACE = 0x20

/** ASCII whitespace as HTML has it: no vertical tab, no no-break space. */
export function isSpace(c: number): boolean {
  return c <= SPACE && (c === SPACE || c === LF || c === TAB || c === CR || c === FF)
}

export function isLetter(c: number): boolean {
  return (c | 0x20) >= 0x61 && (c | 0x20) <= 0x7a
}

export function isDigit(c: number): boolean {
  return c >= 0x30 && c <= 0x39
}

/** Without leading and trailing ASCII whitespace, every run of it inside as one space. */
export function collapseSpace(text: string): string {
  if (isCollapsed(text)) return text
  return text.replace(/[\t\n\f\r ]+/g, ' ').replace(/^ | $/g, '')
}

/** Most text is, and then needs no copy. */
function isCollapsed(text: string): boolean {
  let afterSpace = true
  for (let i = 0; i < text.length; i++) {
    const c = text.charCodeAt(i)
    if (c < SPACE || (c === SPACE && afterSpace)) return false
    afterSpace = c === SPACE
  }
  return text === '' || !afterSpace
}

/** Without white space and control characters at both ends: what the URL parser does first of all. */
export function stripControls(href: string): string {
  let start = 0
  let end = href.length
  while (start < end && href.charCodeAt(start) <= SPACE) start++
  while (end > start && href.charCodeAt(end - 1) <= SPACE) end--
  return end - start === href.length ? href : href.slice(start, end)
}

/** The first `max` code units, one fewer where that would halve a character. */
export function cutChars(text: string, max: number): string {
  if (text.length <= max) return text
  return text.slice(0, isHighSurrogate(text.charCodeAt(max - 1)) ? max - 1 : max)
}

/** The first half of a character beyond 16 bits. */
export function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff
}

/** As HTML compares names: of the 26 letters alone. */
export function lowerCase(name: string): string {
  return /[A-Z]/.test(name) ? name.replace(/[A-Z]+/g, (letters) => letters.toLowerCase()) : name
}
