import { type BiffRecord, biffRecords, biffString, ChunkReader } from './biff-records.ts'
import { DocumentError, type DocumentReader } from './document-reader.ts'
import { DocumentText } from './document-text.ts'
import { OleFile } from './ole-file.ts'
import { oleProperties } from './ole-properties.ts'
import { DATE_FORMATS, isDateFormat, sheetDate } from './sheet-dates.ts'

/** Excel 97 to 2003: the names of the sheets, each followed by its rows. */
export const readXls: DocumentReader = ({ bytes }, limits) => {
  const file = new OleFile(bytes)
  const stream = file.stream('Workbook') ?? file.stream('Book')
  if (stream === undefined) throw new DocumentError('broken', 'the stream Workbook is missing')
  const text = new DocumentText(limits)
  const workbook = new WorkbookReader(text, limits.maxTextChars)
  for (const record of biffRecords(stream)) {
    workbook.read(record)
    if (text.isFull) break
  }
  return { ...oleProperties(file), ...text.content() }
}

const BOF = 0x0809
const BIFF8 = 0x0600
const SHEET = 0x0010

class WorkbookReader {
  readonly #text: DocumentText
  readonly #maxChars: number
  readonly #sheets: string[] = []
  readonly #formats = new Set(DATE_FORMATS)
  readonly #isDate: boolean[] = []
  #strings: readonly string[] = []
  #row = -1

  constructor(text: DocumentText, maxChars: number) {
    this.#text = text
    this.#maxChars = maxChars
  }

  read({ type, chunks }: BiffRecord): void {
    const data = chunks[0] ?? Buffer.alloc(0)
    switch (type) {
      case BOF:
        this.#start(data)
        break
      case 0x2f:
        throw new DocumentError('encrypted', 'the workbook has a password')
      case 0x85:
        this.#sheets.push(biffString(new ChunkReader([data.subarray(6)]), 1))
        break
      case 0x41e:
        if (isDateFormat(biffString(new ChunkReader([data.subarray(2)]), 2)))
          this.#formats.add(data.readUInt16LE(0))
        break
      case 0xe0:
        this.#isDate.push(this.#formats.has(data.readUInt16LE(2)))
        break
      case 0xfc:
        this.#strings = sharedStrings(chunks, this.#maxChars)
        break
      case 0xfd:
        this.#cell(data, this.#strings[data.readUInt32LE(6)] ?? '')
        break
      case 0x204:
        this.#cell(data, biffString(new ChunkReader([data.subarray(6)]), 2))
        break
      case 0x203:
        this.#number(data, data.readDoubleLE(6))
        break
      case 0x27e:
        this.#number(data, rkNumber(data.readUInt32LE(6)))
        break
      case 0xbd:
        for (let at = 4; at + 6 <= data.length - 2; at += 6)
          this.#number(data, rkNumber(data.readUInt32LE(at + 2)), data.readUInt16LE(at))
        break
      case 0x06:
        // A result that is not a number has a mark in its last bytes; a text follows as a record of its own.
        if (data.readUInt16LE(12) !== 0xffff) this.#number(data, data.readDoubleLE(6))
        break
      case 0x207:
        this.#value(biffString(new ChunkReader(chunks), 2))
        break
      case 0x1b8:
        this.#link(data)
        break
    }
  }

  #start(data: Buffer): void {
    if (data.readUInt16LE(0) !== BIFF8)
      throw new DocumentError('broken', 'Excel 95 and older are not supported')
    this.#row = -1
    this.#text.separate('\n')
    if (data.readUInt16LE(2) === SHEET) this.#text.add(this.#sheets.shift() ?? '')
    this.#text.separate('\n')
  }

  #cell(data: Buffer, value: string): void {
    const row = data.readUInt16LE(0)
    if (row !== this.#row) this.#text.separate('\n')
    this.#row = row
    this.#value(value)
  }

  #value(value: string): void {
    this.#text.add(value)
    this.#text.separate('\t')
  }

  #number(data: Buffer, value: number, format = data.readUInt16LE(4)): void {
    const text = String(Number(value.toPrecision(15)))
    this.#cell(data, this.#isDate[format] === true ? sheetDate(text) : text)
  }

  /** A link to a URL has the class of URL monikers, followed by its length and text. */
  #link(data: Buffer): void {
    const at = data.indexOf(URL_MONIKER)
    if (at < 0) return
    const length = data.readUInt32LE(at + 16)
    const url = data.toString('utf16le', at + 20, at + 20 + length)
    this.#text.link(url.split('\0')[0] ?? '')
  }
}

const URL_MONIKER = Buffer.from('e0c9ea79f9bace118c8200aa004ba90b', 'hex')

function sharedStrings(chunks: readonly Buffer[], maxChars: number): string[] {
  const reader = new ChunkReader(chunks)
  reader.skip(4)
  const count = reader.number(4)
  const strings: string[] = []
  let chars = 0
  while (strings.length < count && !reader.isAtEnd && chars < maxChars) {
    const text = biffString(reader, 2)
    strings.push(text)
    chars += text.length
  }
  return strings
}

/** A number in 30 bits: whole or the start of a double, and maybe in hundredths. */
function rkNumber(value: number): number {
  const bits = Buffer.alloc(8)
  bits.writeUInt32LE((value & 0xfffffffc) >>> 0, 4)
  const number = (value & 2) === 2 ? (value | 0) >> 2 : bits.readDoubleLE(0)
  return (value & 1) === 1 ? number / 100 : number
}
