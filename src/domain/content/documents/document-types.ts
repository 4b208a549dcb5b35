/** A format that has a built-in reader. */
export type DocumentFormat =
  | 'pdf'
  | 'docx'
  | 'xlsx'
  | 'pptx'
  | 'odf'
  | 'epub'
  | 'rtf'
  | 'mail'
  | 'mbox'
  | 'doc'
  | 'xls'
  | 'ppt'

const OOXML = 'application/vnd.openxmlformats-officedocument'
const MACROS = 'application/vnd.ms'
const ODF = 'application/vnd.oasis.opendocument'

const FORMATS: ReadonlyMap<string, DocumentFormat> = new Map([
  ['application/pdf', 'pdf'],
  [`${OOXML}.wordprocessingml.document`, 'docx'],
  [`${OOXML}.wordprocessingml.template`, 'docx'],
  [`${MACROS}-word.document.macroenabled.12`, 'docx'],
  [`${OOXML}.spreadsheetml.sheet`, 'xlsx'],
  [`${OOXML}.spreadsheetml.template`, 'xlsx'],
  [`${MACROS}-excel.sheet.macroenabled.12`, 'xlsx'],
  [`${OOXML}.presentationml.presentation`, 'pptx'],
  [`${OOXML}.presentationml.slideshow`, 'pptx'],
  [`${OOXML}.presentationml.template`, 'pptx'],
  [`${MACROS}-powerpoint.presentation.macroenabled.12`, 'pptx'],
  ['application/epub+zip', 'epub'],
  ['application/rtf', 'rtf'],
  ['message/rfc822', 'mail'],
  ['application/mbox', 'mbox'],
  ['application/msword', 'doc'],
  ['application/vnd.ms-excel', 'xls'],
  ['application/vnd.ms-powerpoint', 'ppt'],
])

/** Texts, sheets, presentations and drawings, and templates of them. */
const ODF_TYPE = new RegExp(
  `^${ODF.replaceAll('.', '\\.')}\\.(?:text|spreadsheet|presentation|graphics)(?:-|$)`,
)

/** The format of a type, `undefined` if it has no built-in reader. */
export function documentFormat(type: string): DocumentFormat | undefined {
  return FORMATS.get(type) ?? (ODF_TYPE.test(type) ? 'odf' : undefined)
}

/** The directory at the end of a zip file is looked at, up to this size. */
const TAIL_BYTES = 256 * 1024
const ENTRY_BYTES = 46

/**
 * The type of a document that is a zip file, by what is in it. `undefined` for other zip files. Servers often send such documents as
 * `application/octet-stream` or `application/zip`.
 */
export function zipDocumentType(bytes: Uint8Array): string | undefined {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  // OpenDocument and EPUB: the first entry is their type, not compressed.
  if (buffer.toString('latin1', 30, 38) === 'mimetype') {
    const start = 38 + (buffer.length >= 30 ? buffer.readUInt16LE(28) : 0)
    const type = /^application\/[\w.+-]+?(?=PK|\s|$)/.exec(buffer.toString('latin1', start, start + 100))?.[0]
    if (type !== undefined && documentFormat(type) !== undefined) return type
  }
  const tail = buffer.subarray(-TAIL_BYTES)
  if (hasEntry(tail, 'word/document')) return `${OOXML}.wordprocessingml.document`
  if (hasEntry(tail, 'xl/workbook')) return `${OOXML}.spreadsheetml.sheet`
  if (hasEntry(tail, 'ppt/presentation')) return `${OOXML}.presentationml.presentation`
  return undefined
}

function hasEntry(directory: Buffer, name: string): boolean {
  for (let at = directory.indexOf(name); at >= 0; at = directory.indexOf(name, at + 1)) {
    if (at >= ENTRY_BYTES && directory.readUInt32BE(at - ENTRY_BYTES) === 0x504b0102) return true
  }
  return false
}

/** The type of an OLE file by the names of its streams: the formats of Office before 2007. */
export function oleDocumentType(bytes: Uint8Array): string | undefined {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const has = (stream: string) => buffer.includes(Buffer.from(`${stream}\0`, 'utf16le'))
  if (has('WordDocument')) return 'application/msword'
  if (has('PowerPoint Document')) return 'application/vnd.ms-powerpoint'
  return has('Workbook') || has('Book') ? 'application/vnd.ms-excel' : undefined
}
