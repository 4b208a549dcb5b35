import { CharacterReference, decodeTitle } from '../html/character-references.ts'

/** What a piece of text in a page says. `around` is the name of the element that it stands in. */
export function textIn(html: string, start: number, end: number, around: string): string {
  const text = html.slice(start, end)
  // References are decoded by us, where there are any: looking for them in every text costs a parser a third of its time.
  if (!SPECIAL.test(text)) return text
  if (RAW_TEXT.has(around)) return verbatim(text)
  // In markup NUL is nothing, elsewhere it is replaced.
  const kept = RCDATA.has(around) ? text : text.replaceAll('\0', '')
  return decodeTitle(kept, 0, kept.length, reference)
}

/** Text without references. */
export function verbatim(text: string): string {
  return text.replaceAll('\0', '\uFFFD')
}

/** Elements whose content is not markup and holds no references. */
const RAW_TEXT = new Set(['iframe', 'noembed', 'noframes', 'plaintext', 'script', 'style', 'xmp'])
/** Elements whose content is not markup, but holds references. */
const RCDATA = new Set(['textarea', 'title'])
/** What must be decoded. */
const SPECIAL = /[\0&]/
const reference = new CharacterReference()
