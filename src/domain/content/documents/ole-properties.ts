import { charsetForLabel, decoderFor } from '../charset-label.ts'
import { DocumentProperties } from './document-properties.ts'
import type { OleFile } from './ole-file.ts'

/** Numbers of properties in the stream `SummaryInformation`. */
const PROPERTIES: ReadonlyMap<number, string> = new Map([
  [2, 'title'],
  [3, 'subject'],
  [4, 'author'],
  [5, 'keywords'],
  [6, 'description'],
  [12, 'published'],
  [13, 'modified'],
])
const CODE_PAGE = 1
const MAX_PROPERTIES = 100
const TEXT = 30
const WIDE_TEXT = 31
const FILE_TIME = 64

/** Title, author and dates of a document of Office before 2007. A damaged list of properties is as good as none. */
export function oleProperties(file: OleFile) {
  const properties = new DocumentProperties()
  try {
    const stream = file.stream('\x05SummaryInformation')
    if (stream !== undefined) readProperties(stream, properties)
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
  }
  return properties.properties()
}

function readProperties(stream: Buffer, properties: DocumentProperties): void {
  const section = stream.readUInt32LE(44)
  const count = Math.min(MAX_PROPERTIES, stream.readUInt32LE(section + 4))
  const offsets = new Map<number, number>()
  for (let i = 0; i < count; i++) {
    const at = section + 8 + i * 8
    offsets.set(stream.readUInt32LE(at), section + stream.readUInt32LE(at + 4))
  }
  const codePageAt = offsets.get(CODE_PAGE)
  const codePage = codePageAt === undefined ? 1252 : stream.readUInt16LE(codePageAt + 4)
  for (const [number, property] of PROPERTIES) {
    const at = offsets.get(number)
    if (at !== undefined) properties.set(property, valueAt(stream, at, codePage))
  }
}

function valueAt(stream: Buffer, at: number, codePage: number): string {
  const type = stream.readUInt32LE(at)
  if (type === FILE_TIME) return fileTime(stream.readBigUInt64LE(at + 4))
  const length = stream.readUInt32LE(at + 4)
  if (type === WIDE_TEXT) return untilZero(stream.toString('utf16le', at + 8, at + 8 + length * 2))
  if (type !== TEXT) return ''
  const label = codePage === 65001 ? 'utf-8' : codePage === 1200 ? 'utf-16le' : `windows-${codePage}`
  const decoder = decoderFor(charsetForLabel(label) ?? 'windows-1252')
  return untilZero(decoder.decode(stream.subarray(at + 8, at + 8 + length)))
}

function untilZero(text: string): string {
  const zero = text.indexOf('\0')
  return zero < 0 ? text : text.slice(0, zero)
}

/** From 100 ns since 1601; `''` if it was never set. */
function fileTime(time: bigint): string {
  const ms = Number(time / 10_000n) - 11_644_473_600_000
  return ms > 0 && ms < 4_102_444_800_000 ? new Date(ms).toISOString() : ''
}
