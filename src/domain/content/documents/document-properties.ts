import { withoutUndefined } from '../../../base/without-undefined.ts'
import { parseWebDate } from '../web-date.ts'
import type { DocumentContent } from './document-reader.ts'
import type { PackageXmlHandler } from './package-xml.ts'

type Properties = Pick<DocumentContent, 'title' | 'description' | 'language' | 'metadata'>

/** Names of properties in the files of OOXML, OpenDocument and EPUB, which all are those of Dublin Core or close to them. */
const PROPERTY_OF: ReadonlyMap<string, string> = new Map([
  ['title', 'title'],
  ['description', 'description'],
  ['language', 'language'],
  ['initial-creator', 'author'],
  ['creator', 'author'],
  ['keyword', 'keywords'],
  ['keywords', 'keywords'],
  ['subject', 'subject'],
  ['publisher', 'publisher'],
  ['creation-date', 'published'],
  ['created', 'published'],
  ['date', 'modified'],
  ['modified', 'modified'],
])

/** Several of them are joined: a book has authors, a text has keywords. */
const REPEATED: ReadonlySet<string> = new Set(['author', 'keywords', 'subject'])
const MAX_VALUE_CHARS = 4_096

/** Collects the properties of a document: from `docProps/core.xml`, `meta.xml` or the metadata of an EPUB. */
export class DocumentProperties implements PackageXmlHandler {
  readonly #exceptions: Readonly<Record<string, string>>
  readonly #values = new Map<string, string>()
  #open: string | undefined
  #text = ''

  /** @param exceptions properties of elements that mean something else in this format, by the name of the element */
  constructor(exceptions: Readonly<Record<string, string>> = {}) {
    this.#exceptions = exceptions
  }

  open(name: string): void {
    this.#open = this.#exceptions[name] ?? PROPERTY_OF.get(name)
    this.#text = ''
  }

  text(text: string): void {
    if (this.#open !== undefined && this.#text.length < MAX_VALUE_CHARS) this.#text += text
  }

  close(): void {
    if (this.#open !== undefined) this.set(this.#open, this.#text)
    this.#open = undefined
  }

  set(property: string, text: string): void {
    const value = text.replace(/\s+/g, ' ').trim().slice(0, MAX_VALUE_CHARS)
    const before = this.#values.get(property)
    if (value === '' || before === value) return
    if (before === undefined) this.#values.set(property, dated(property, value))
    else if (REPEATED.has(property) && before.length < MAX_VALUE_CHARS)
      this.#values.set(property, `${before}, ${value}`)
  }

  properties(): Properties {
    const { title, description, language, ...metadata } = Object.fromEntries(this.#values)
    return { ...withoutUndefined({ title, description, language }), metadata }
  }
}

/** Dates as in all other metadata: ISO 8601 in UTC. One that cannot be read stays as it is. */
function dated(property: string, value: string): string {
  if (property !== 'published' && property !== 'modified') return value
  const time = parseWebDate(value)
  return time === undefined ? value : new Date(time).toISOString()
}
