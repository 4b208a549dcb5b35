import type { DocumentReader } from './document-reader.ts'
import { DocumentText } from './document-text.ts'
import { OoxmlPackage } from './ooxml-package.ts'
import type { PackageXmlHandler } from './package-xml.ts'
import { readPackageXml } from './package-xml.ts'
import { dateStyles, sheetDate } from './sheet-dates.ts'

/** Excel: the names of the sheets, each followed by its rows. Formulas are read as their last result. */
export const readXlsx: DocumentReader = (document, limits) => {
  const office = new OoxmlPackage(document, limits)
  const text = new DocumentText(limits)
  const parts = office.relationshipsOf(office.main)
  const pathOf = (wanted: string) => parts.find(({ type }) => type === wanted)?.target ?? ''
  const strings = sharedStrings(office, pathOf('sharedStrings'), limits.maxTextChars)
  const dates = dateStyles(office, pathOf('styles'))
  const targets = new Map(parts.map(({ id, target }) => [id, target]))
  for (const { name, id } of sheetsOf(office)) {
    text.add(name)
    text.separate('\n')
    const path = targets.get(id)
    if (path === undefined) continue
    readPackageXml(office.archive, path, new SheetReader(text, strings, dates))
    for (const { type, target, external } of office.relationshipsOf(path))
      if (type === 'hyperlink' && external) text.link(target)
    text.separate('\n')
  }
  return { ...office.properties(), ...text.content() }
}

function sheetsOf(office: OoxmlPackage): Array<{ name: string; id: string }> {
  const sheets: Array<{ name: string; id: string }> = []
  readPackageXml(office.archive, office.main, {
    open: (element, attribute) => {
      if (element === 'sheet') sheets.push({ name: attribute('name') ?? '', id: attribute('r:id') ?? '' })
    },
  })
  return sheets
}

/** Texts of cells, which cells refer to by number. More than fit into the text of the page are not kept. */
function sharedStrings(office: OoxmlPackage, path: string, maxChars: number): string[] {
  const strings: string[] = []
  let current = ''
  let chars = 0
  let isText = false
  let isPhonetic = false
  readPackageXml(office.archive, path, {
    open: (name) => {
      if (name === 'si') current = ''
      else if (name === 'rPh') isPhonetic = true
      else if (name === 't') isText = !isPhonetic
    },
    text: (text) => {
      if (isText && chars < maxChars) {
        current += text
        chars += text.length
      }
    },
    close: (name) => {
      if (name === 'si') strings.push(current)
      else if (name === 'rPh') isPhonetic = false
      else if (name === 't') isText = false
    },
  })
  return strings
}

class SheetReader implements PackageXmlHandler {
  readonly #text: DocumentText
  readonly #strings: readonly string[]
  readonly #dates: ReadonlySet<number>
  #type = ''
  #isDate = false
  #value = ''
  #collects = false

  constructor(text: DocumentText, strings: readonly string[], dates: ReadonlySet<number>) {
    this.#text = text
    this.#strings = strings
    this.#dates = dates
  }

  open(name: string, attribute: (name: string) => string | undefined): void {
    if (name === 'c') {
      this.#type = attribute('t') ?? 'n'
      this.#isDate = this.#type === 'n' && this.#dates.has(Number(attribute('s') ?? '-1'))
      this.#value = ''
    } else if (name === 'v' || name === 't') this.#collects = true
  }

  text(text: string): void {
    if (this.#collects) this.#value += text
  }

  close(name: string): void {
    if (name === 'v' || name === 't') this.#collects = false
    else if (name === 'c') {
      this.#text.add(this.#shown())
      this.#text.separate('\t')
    } else if (name === 'row') this.#text.separate('\n')
  }

  #shown(): string {
    if (this.#type === 's') return this.#strings[Number(this.#value)] ?? ''
    if (this.#type === 'b') return this.#value === '1' ? 'TRUE' : 'FALSE'
    if (this.#type === 'e') return ''
    return this.#isDate ? sheetDate(this.#value) : this.#value
  }
}
