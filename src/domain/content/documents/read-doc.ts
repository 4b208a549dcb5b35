import { decoderFor } from '../charset-label.ts'
import { DocumentError, type DocumentReader } from './document-reader.ts'
import { DocumentText } from './document-text.ts'
import { fieldLink } from './field-link.ts'
import { OleFile } from './ole-file.ts'
import { oleProperties } from './ole-properties.ts'

/** Word 97 to 2003: the text and the footnotes. */
export const readDoc: DocumentReader = ({ bytes }, limits) => {
  const file = new OleFile(bytes)
  const main = file.stream('WordDocument')
  if (main === undefined || main.readUInt16LE(0) !== 0xa5ec)
    throw new DocumentError('broken', 'the stream WordDocument is missing or damaged')
  const flags = main.readUInt16LE(10)
  if ((flags & 0x0100) !== 0) throw new DocumentError('encrypted', 'the document has a password')
  if (main.readUInt16LE(2) < 101) throw new DocumentError('broken', 'Word 95 and older are not supported')
  const table = file.stream((flags & 0x0200) === 0 ? '0Table' : '1Table')
  if (table === undefined) throw new DocumentError('broken', 'the table of pieces is missing')
  // Text, then footnotes. What follows are headers, footers and comments.
  const length = main.readUInt32LE(0x4c) + main.readUInt32LE(0x50)
  const text = new DocumentText(limits)
  const writer = new MarkedText(text)
  for (const piece of pieces(main, table, length)) {
    writer.add(piece)
    if (text.isFull) break
  }
  return { ...oleProperties(file), ...text.content() }
}

/** The text is stored in pieces, in the order of editing; each has one or two bytes per character. */
function* pieces(main: Buffer, table: Buffer, length: number): Generator<string> {
  const start = main.readUInt32LE(0x01a2)
  const end = Math.min(table.length, start + main.readUInt32LE(0x01a6))
  let at = start
  while (at < end && table[at] === 1) at += 3 + table.readUInt16LE(at + 1)
  if (table[at] !== 2) throw new DocumentError('broken', 'the table of pieces is damaged')
  const count = Math.floor((table.readUInt32LE(at + 1) - 4) / 12)
  const positions = at + 5
  const descriptors = positions + 4 * (count + 1)
  const narrow = decoderFor('windows-1252')
  for (let i = 0; i < count; i++) {
    const from = table.readUInt32LE(positions + 4 * i)
    const to = Math.min(length, table.readUInt32LE(positions + 4 * (i + 1)))
    if (to <= from) continue
    const place = table.readUInt32LE(descriptors + 8 * i + 2)
    const isNarrow = (place & 0x40000000) !== 0
    const offset = place & 0x3fffffff
    yield isNarrow
      ? narrow.decode(main.subarray(offset / 2, offset / 2 + to - from))
      : main.toString('utf16le', offset, offset + 2 * (to - from))
  }
}

const FIELD_START = 0x13
const FIELD_SEPARATOR = 0x14
const FIELD_END = 0x15
const CELL = 0x07
const TAB = 0x09

/** Word marks paragraphs, cells and fields by control characters. */
class MarkedText {
  readonly #text: DocumentText
  /** Characters of the instruction of a field, such as `HYPERLINK "http://a.test/"`. */
  #instruction: string | undefined
  /** The last character ended a cell; a second mark ends the row. */
  #afterCell = false

  constructor(text: DocumentText) {
    this.#text = text
  }

  add(piece: string): void {
    let from = 0
    for (let i = 0; i < piece.length; i++) {
      const code = piece.charCodeAt(i)
      if (code >= 0x20) continue
      this.#plain(piece.slice(from, i))
      from = i + 1
      this.#control(code)
    }
    this.#plain(piece.slice(from))
  }

  #plain(text: string): void {
    if (text !== '') this.#afterCell = false
    if (this.#instruction === undefined) this.#text.add(text)
    else if (this.#instruction.length < MAX_INSTRUCTION_CHARS) this.#instruction += text
  }

  #control(code: number): void {
    const endsRow = this.#afterCell
    this.#afterCell = code === CELL
    if (code === FIELD_START) this.#instruction = ''
    else if (code === FIELD_SEPARATOR || code === FIELD_END) {
      const href = fieldLink(this.#instruction ?? '')
      if (href !== undefined) this.#text.link(href)
      this.#instruction = undefined
    } else if (code === CELL) this.#text.separate(endsRow ? '\n' : '\t')
    else if (code === TAB) this.#text.separate('\t')
    else if (code >= 0x0a && code <= 0x0e) this.#text.separate('\n')
    else if (code === 0x1e) this.#plain('-')
  }
}

const MAX_INSTRUCTION_CHARS = 8_192
