import type { DocumentReader } from './document-reader.ts'
import { DocumentText, type Separator } from './document-text.ts'
import { fieldLink } from './field-link.ts'
import { externalTargets, OoxmlPackage } from './ooxml-package.ts'
import type { PackageXmlHandler } from './package-xml.ts'
import { readPackageXml } from './package-xml.ts'

/** Word: the text, then footnotes and endnotes. Headers and footers repeat on every page and are left out. */
export const readDocx: DocumentReader = (document, limits) => {
  const office = new OoxmlPackage(document, limits)
  const text = new DocumentText(limits)
  const notes = office
    .relationshipsOf(office.main)
    .filter(({ type, external }) => !external && (type === 'footnotes' || type === 'endnotes'))
  for (const part of [office.main, ...notes.map(({ target }) => target)]) {
    const targets = externalTargets(office.relationshipsOf(part))
    readPackageXml(office.archive, part, new RunReader(text, targets))
    text.separate('\n')
  }
  return { ...office.properties(), ...text.content() }
}

const BREAKS: ReadonlyMap<string, Separator> = new Map([
  ['tab', '\t'],
  ['br', '\n'],
  ['cr', '\n'],
])
/** Elements without text of their own. `Fallback` repeats the text of `Choice` for older programs; `pPr` has the tab stops. */
const SKIPPED: ReadonlySet<string> = new Set(['pPr', 'rPr', 'Fallback'])

/** Reads paragraphs of WordprocessingML, and of DrawingML, which names them alike. */
export class RunReader implements PackageXmlHandler {
  readonly #text: DocumentText
  readonly #targets: ReadonlyMap<string, string>
  #skipped: string | undefined
  #collects: 'text' | 'field' | undefined
  #field = ''
  /** Open cells of tables: their paragraphs stay on the line of the row. */
  #cells = 0
  /** The element that ends the open link. */
  #linkOf: 'hyperlink' | 'r' | undefined

  /** @param targets URLs of links by the id of their relationship */
  constructor(text: DocumentText, targets: ReadonlyMap<string, string>) {
    this.#text = text
    this.#targets = targets
  }

  open(name: string, attribute: (name: string) => string | undefined): void {
    if (this.#skipped !== undefined) {
      // A link of DrawingML is a property of the run of text that follows.
      if (name === 'hlinkClick') this.#openLink(attribute('r:id'))
      return
    }
    if (SKIPPED.has(name)) this.#skipped = name
    else if (name === 't') this.#collects = 'text'
    else if (name === 'instrText') this.#collects = 'field'
    else if (name === 'hyperlink') this.#openLink(attribute('r:id'))
    else if (name === 'fldSimple') this.#fieldLink(attribute('w:instr') ?? '')
    else if (name === 'noBreakHyphen') this.#text.add('-')
    else if (name === 'tc') this.#cells++
    else {
      const separator = BREAKS.get(name)
      if (separator !== undefined) this.#text.separate(separator)
    }
  }

  text(text: string): void {
    if (this.#collects === 'text') this.#text.add(text)
    else if (this.#collects === 'field' && this.#field.length < MAX_FIELD_CHARS) this.#field += text
  }

  close(name: string): void {
    if (this.#skipped !== undefined) {
      if (name === this.#skipped) this.#skipped = undefined
      return
    }
    if (name === 't') this.#collects = undefined
    else if (name === 'instrText') {
      this.#collects = undefined
      this.#fieldLink(this.#field)
      this.#field = ''
    } else if (name === 'tc') {
      this.#cells = Math.max(0, this.#cells - 1)
      this.#text.separate('\t')
    } else if (name === 'p') this.#text.separate(this.#cells > 0 ? ' ' : '\n')
    else if (name === 'tr') this.#text.separate('\n')
    else if (name === 'hyperlink' || name === 'r') this.#closeLink(name)
  }

  #openLink(id: string | undefined): void {
    const href = this.#targets.get(id ?? '')
    if (href === undefined) return
    this.#linkOf = this.#skipped === undefined ? 'hyperlink' : 'r'
    this.#text.openLink(href)
  }

  #closeLink(name: 'hyperlink' | 'r'): void {
    if (name === this.#linkOf) this.#text.closeLink()
  }

  #fieldLink(instruction: string): void {
    const href = fieldLink(instruction)
    if (href !== undefined) this.#text.link(href)
  }
}

const MAX_FIELD_CHARS = 8_192
