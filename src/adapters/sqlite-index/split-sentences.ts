/** A part of a text (UTF-16 units). */
export interface TextRange {
  readonly start: number
  readonly end: number
}

/** The sentences of a part of a text; a line or a table cell ends a sentence. White space around them is left out. */
export function sentencesIn(text: string, from = 0, to = text.length): TextRange[] {
  const sentences: TextRange[] = []
  const add = (start: number, end: number) => {
    while (start < end && isSpace(text.charCodeAt(start))) start++
    while (start < end && isSpace(text.charCodeAt(end - 1))) end--
    if (start < end) sentences.push({ start, end })
  }
  let start = from
  END.lastIndex = from
  for (let match = END.exec(text); match !== null && match.index < to; match = END.exec(text)) {
    const end = match.index + match[0].length
    if (match[0] !== '\n' && match[0] !== '\t' && !isSentenceEnd(text, start, end)) continue
    add(start, Math.min(end, to))
    start = end
  }
  add(start, to)
  return sentences
}

/** Line ends, cell ends, and stops with the closing quotes and brackets after them. */
const END = /[\n\t]|[.!?…]+["'”’»)\]]*(?=\s)|[。！？｡]+[」』）”]*/g

/** A stop before a capital, a digit or a sign ends a sentence; one after an abbreviation or an initial does not. */
function isSentenceEnd(text: string, start: number, end: number): boolean {
  if (text.charCodeAt(end - 1) > 0x2fff) return true
  const next = /^\s+(\S)/.exec(text.slice(end, end + MAX_GAP))?.[1]
  if (next !== undefined && /\p{Ll}/u.test(next)) return false
  const word = /(\S+)$/.exec(text.slice(Math.max(start, end - MAX_WORD), end))?.[1] ?? ''
  return !ABBREVIATION.test(word)
}

const MAX_GAP = 20
const MAX_WORD = 12
const ABBREVIATION =
  /^[("'“]?(?:\p{Lu}|e\.g|i\.e|cf|vs|etc|approx|fig|figs|sec|ch|no|nr|vol|pp?|dr|mr|mrs|ms|prof|st|al|z\.b|d\.h|bzw|ca)\.$/iu

function isSpace(code: number): boolean {
  return code === 0x20 || (code >= 0x09 && code <= 0x0d) || code === 0xa0
}
