import { AttributeCursor } from '../html/attribute-cursor.ts'
import { CharacterReference, decodeAttribute, decodeTitle } from '../html/character-references.ts'
import { lowerCase } from '../html/characters.ts'

/** An attribute of the start tag whose name ends at `pos`, decoded; `undefined`: it has none of that name. */
export function attributeIn(html: string, pos: number, name: string): string | undefined {
  const cursor = new AttributeCursor(html, pos)
  while (cursor.next()) if (isNamed(html, cursor, name)) return decodedValue(html, cursor)
  return undefined
}

/** Whether the tag has an attribute of that name. */
export function isAttributeIn(html: string, pos: number, name: string): boolean {
  const cursor = new AttributeCursor(html, pos)
  while (cursor.next()) if (isNamed(html, cursor, name)) return true
  return false
}

/** The values of attributes of several names, in one pass. */
export function attributesIn(html: string, pos: number, names: readonly string[]): (string | undefined)[] {
  const values = new Array<string | undefined>(names.length).fill(undefined)
  const cursor = new AttributeCursor(html, pos)
  while (cursor.next())
    for (let i = 0; i < names.length; i++)
      if (values[i] === undefined && isNamed(html, cursor, names[i] ?? '')) {
        values[i] = decodedValue(html, cursor)
        break
      }
  return values
}

/** All of them, by names in lower case. Of two with one name the first counts. */
export function allAttributes(html: string, pos: number): Map<string, string> {
  const attributes = new Map<string, string>()
  const cursor = new AttributeCursor(html, pos)
  while (cursor.next()) {
    const name = lowerCase(html.slice(cursor.nameStart, cursor.nameEnd))
    if (!attributes.has(name)) attributes.set(name, decodedValue(html, cursor))
  }
  return attributes
}

/** @param name in lower case; other names match no attribute */
function isNamed(html: string, { nameStart, nameEnd }: AttributeCursor, name: string): boolean {
  if (nameEnd - nameStart !== name.length) return false
  for (let i = 0; i < name.length; i++) {
    const c = html.charCodeAt(nameStart + i)
    if ((c >= UPPER_A && c <= UPPER_Z ? c | 0x20 : c) !== name.charCodeAt(i)) return false
  }
  return true
}

const UPPER_A = 0x41
const UPPER_Z = 0x5a

function decodedValue(html: string, { valueStart, valueEnd }: AttributeCursor): string {
  const value = html.slice(valueStart, valueEnd)
  return SPECIAL.test(value) ? decodeAttribute(value, 0, value.length, reference) : value
}

/** What must be decoded. */
const SPECIAL = /[\0&]/
const reference = new CharacterReference()

/** The decoded text between two positions of a page. `around` is the name of the element around it. */
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
export const RAW_TEXT = new Set(['iframe', 'noembed', 'noframes', 'plaintext', 'script', 'style', 'xmp'])
/** Elements whose content is not markup, but holds references. */
const RCDATA = new Set(['textarea', 'title'])
