import { DocumentProperties } from './document-properties.ts'
import { DocumentError, type DocumentReader } from './document-reader.ts'
import { DocumentText } from './document-text.ts'
import type { PackageXmlHandler } from './package-xml.ts'
import { readPackageXml } from './package-xml.ts'
import { ZipArchive } from './zip-archive.ts'

/** OpenDocument: text, sheets, presentations and drawings have the same elements. */
export const readOdf: DocumentReader = ({ bytes }, limits) => {
  const archive = new ZipArchive(bytes, limits.maxExpandedBytes)
  if (isEncrypted(archive)) throw new DocumentError('encrypted', 'the document has a password')
  const text = new DocumentText(limits)
  if (!readPackageXml(archive, 'content.xml', new OdfText(text)))
    throw new DocumentError('broken', 'content.xml is missing')
  // `dc:creator` is who changed it last.
  const properties = new DocumentProperties({ creator: 'lastAuthor' })
  readPackageXml(archive, 'meta.xml', properties)
  return { ...properties.properties(), ...text.content() }
}

function isEncrypted(archive: ZipArchive): boolean {
  let encrypted = false
  readPackageXml(archive, 'META-INF/manifest.xml', {
    open: (name) => {
      encrypted ||= name === 'encryption-data'
    },
  })
  return encrypted
}

/** Text that was deleted, fonts and styles, and the pages of masters. */
const SKIPPED: ReadonlySet<string> = new Set([
  'tracked-changes',
  'automatic-styles',
  'font-face-decls',
  'binary-data',
])

class OdfText implements PackageXmlHandler {
  readonly #text: DocumentText
  #skipped: string | undefined
  /** Paragraphs may contain paragraphs, in frames and notes. */
  #paragraphs = 0
  /** Open cells of tables: their paragraphs stay on the line of the row. */
  #cells = 0
  /** Names of sheets are part of the text; those of tables in a text are not. */
  #isSpreadsheet = false

  constructor(text: DocumentText) {
    this.#text = text
  }

  open(name: string, attribute: (name: string) => string | undefined): void {
    if (this.#skipped !== undefined) return
    if (SKIPPED.has(name)) this.#skipped = name
    else if (name === 'p' || name === 'h') {
      this.#paragraphs++
      this.#text.separate(this.#paragraphs > 1 || this.#cells > 0 ? ' ' : '\n')
    } else if (name === 's') this.#text.separate(' ')
    else if (name === 'tab') this.#text.separate('\t')
    else if (name === 'line-break') this.#text.separate('\n')
    else if (name === 'a') this.#openLink(attribute('xlink:href') ?? '')
    else if (name === 'table-cell') this.#cells++
    else if (name === 'spreadsheet') this.#isSpreadsheet = true
    else if (name === 'table' && this.#isSpreadsheet) {
      this.#text.add(attribute('table:name') ?? '')
      this.#text.separate('\n')
    } else if (name === 'note' || name === 'annotation') this.#text.separate(' ')
  }

  /** Relative links start in the package: the first `../` leads to the folder of the document. */
  #openLink(href: string): void {
    this.#text.openLink(href.replace(/^\.\.\//, ''))
  }

  text(text: string): void {
    if (this.#skipped !== undefined || this.#paragraphs === 0) return
    const collapsed = text.replace(/\s+/g, ' ')
    if (collapsed.startsWith(' ')) this.#text.separate(' ')
    this.#text.add(collapsed.trim())
    if (collapsed.endsWith(' ')) this.#text.separate(' ')
  }

  close(name: string): void {
    if (this.#skipped !== undefined) {
      if (name === this.#skipped) this.#skipped = undefined
    } else if (name === 'p' || name === 'h') {
      this.#paragraphs = Math.max(0, this.#paragraphs - 1)
      this.#text.separate(this.#cells > 0 ? ' ' : '\n')
    } else if (name === 'a') this.#text.closeLink()
    else if (name === 'table-cell') {
      this.#cells = Math.max(0, this.#cells - 1)
      this.#text.separate('\t')
    } else if (name === 'table-row' || name === 'page' || name === 'note') this.#text.separate('\n')
  }
}
