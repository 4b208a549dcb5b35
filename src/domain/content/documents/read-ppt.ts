import { DocumentError, type DocumentReader } from './document-reader.ts'
import { DocumentText } from './document-text.ts'
import { OleFile } from './ole-file.ts'
import { oleProperties } from './ole-properties.ts'

const MASTER = 1016
const TEXT_CHARS = 4000
const TEXT_BYTES = 4008
const STRING = 4026
const HYPERLINK = 4055
const CONTAINER_VERSION = 0xf
const HEADER_BYTES = 8

/** PowerPoint 97 to 2003: all texts of slides and notes. Masters are left out. */
export const readPpt: DocumentReader = ({ bytes }, limits) => {
  const file = new OleFile(bytes)
  if (file.stream('EncryptedSummary') !== undefined)
    throw new DocumentError('encrypted', 'the presentation has a password')
  const stream = file.stream('PowerPoint Document')
  if (stream === undefined) throw new DocumentError('broken', 'the stream PowerPoint Document is missing')
  const text = new DocumentText(limits)
  let hyperlinkEnd = 0
  for (let at = 0; at + HEADER_BYTES <= stream.length; ) {
    const instance = stream.readUInt16LE(at) >> 4
    const isContainer = (stream.readUInt16LE(at) & 0xf) === CONTAINER_VERSION
    const type = stream.readUInt16LE(at + 2)
    const start = at + HEADER_BYTES
    const end = start + stream.readUInt32LE(at + 4)
    if (type === HYPERLINK) hyperlinkEnd = end
    // The next record after the head of a container is its first one.
    at = isContainer && type !== MASTER ? start : end
    if (type === TEXT_CHARS) addText(text, stream.toString('utf16le', start, end))
    else if (type === TEXT_BYTES) addText(text, stream.toString('latin1', start, end))
    else if (type === STRING && instance === 1 && start < hyperlinkEnd)
      text.link(stream.toString('utf16le', start, end))
  }
  return { ...oleProperties(file), ...text.content() }
}

/** Paragraphs end with CR, lines with a vertical tab. An asterisk alone stands for a date or a number of a page. */
function addText(text: DocumentText, value: string): void {
  if (value === '*') return
  for (const line of value.split(/[\r\v]/)) {
    text.add(line.trim())
    text.separate('\n')
  }
}
