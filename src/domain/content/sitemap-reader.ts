import { withoutUndefined } from '../../base/without-undefined.ts'
import { parseWebDate } from './web-date.ts'
import { type XmlHandler, xmlAttribute } from './xml-tokenizer.ts'

/** An entry as the file has it, its links not yet resolved. */
export interface RawSitemapEntry {
  readonly kind: 'page' | 'sitemap'
  readonly href: string
  /** The format allows relative links. @default false */
  readonly mayBeRelative?: boolean
  readonly lastModified?: number
  readonly priority?: number
  readonly changeFrequency?: string
  readonly alternates: ReadonlyArray<{ readonly language: string; readonly href: string }>
}

type Field = 'loc' | 'lastmod' | 'priority' | 'changefreq'
const FIELDS: ReadonlySet<string> = new Set<Field>(['loc', 'lastmod', 'priority', 'changefreq'])
const FREQUENCIES = new Set(['always', 'hourly', 'daily', 'weekly', 'monthly', 'yearly', 'never'])

/** A page in fifty languages has fifty alternates; a page with more than this has a mistake. */
const MAX_ALTERNATES = 200

/** Longer than any URL that can be fetched. */
const MAX_LINE_CHARS = 8_192

/**
 * Collects a urlset or an index from XML events. Case, prefixes and namespaces are ignored, as too many files have them wrong.
 * Elements nested deeper than an entry's own fields (an image's `loc`) are ignored too. A second `loc` in
 * an entry starts another one; without a `loc`, the entry's own text is used.
 */
export class SitemapXml implements XmlHandler {
  format: 'urlset' | 'index' | 'unknown' = 'unknown'
  readonly #add: (entry: RawSitemapEntry) => void
  #kind: RawSitemapEntry['kind'] | undefined
  #sawRoot = false
  /** Open elements below the entry. */
  #depth = 0
  #field: Field | undefined
  #text = ''
  /** The text of the entry itself, outside of all fields. */
  #ownText = ''
  #fields = new Map<Field, string>()
  #alternates: Array<{ language: string; href: string }> = []

  constructor(add: (entry: RawSitemapEntry) => void) {
    this.#add = add
  }

  open(name: string, attributes: string): void {
    const local = localName(name)
    if (!this.#sawRoot) {
      this.#sawRoot = true
      this.format = local === 'urlset' ? 'urlset' : local === 'sitemapindex' ? 'index' : 'unknown'
      return
    }
    if (this.format === 'unknown' || this.#isInsideEmptyLoc(local)) return
    if (local === 'url' || local === 'sitemap') {
      this.#endField()
      this.#commit()
      this.#kind = local === 'url' ? 'page' : 'sitemap'
      return
    }
    if (this.#kind === undefined) return
    this.#depth++
    if (this.#depth !== 1) return
    if (local === 'loc' && this.#fields.has('loc')) this.#startNext()
    if (local === 'link') this.#addAlternate(attributes)
    this.#field = isField(local) ? local : undefined
    this.#text = ''
  }

  text(text: string): void {
    if (this.#kind === undefined) return
    if (this.#depth === 0) this.#ownText += text
    else if (this.#depth === 1 && this.#field !== undefined) this.#text += text
  }

  close(name: string): void {
    const local = localName(name)
    if (local === 'url' || local === 'sitemap') {
      // `<loc><url>…</url></loc>`: the entry continues.
      if (this.#field !== 'loc') this.#commit()
      return
    }
    if (this.#depth === 1) this.#endField()
    this.#depth = Math.max(0, this.#depth - 1)
  }

  /** An entry that was cut after its `loc` counts. */
  end(): void {
    this.#commit()
  }

  /** `<loc><url>…`: the `url` is not an entry, and its text is the `loc`. */
  #isInsideEmptyLoc(name: string): boolean {
    const isWrapper = name === 'url' || name === 'sitemap' || name === 'loc'
    return isWrapper && this.#depth === 1 && this.#field === 'loc' && this.#text.trim() === ''
  }

  #endField(): void {
    const field = this.#field
    this.#field = undefined
    if (field === undefined) return
    const text = this.#text.trim()
    if (text !== '' && !this.#fields.has(field)) this.#fields.set(field, text)
  }

  /** What follows belongs to the next entry of the same kind. */
  #startNext(): void {
    const kind = this.#kind
    this.#commit()
    this.#kind = kind
    this.#depth = 1
  }

  #addAlternate(attributes: string): void {
    const href = xmlAttribute(attributes, 'href')?.trim()
    const language = xmlAttribute(attributes, 'hreflang')?.trim()
    if (href && language && this.#alternates.length < MAX_ALTERNATES)
      this.#alternates.push({ language, href })
  }

  #commit(): void {
    const href = this.#fields.get('loc') ?? this.#ownText.trim()
    if (this.#kind !== undefined && href !== '') {
      const lastModified = parseWebDate(this.#fields.get('lastmod') ?? '')
      const priority = priorityOf(this.#fields.get('priority'))
      const changeFrequency = this.#fields.get('changefreq')?.toLowerCase()
      this.#add({
        kind: this.#kind,
        href,
        alternates: this.#alternates,
        ...withoutUndefined({ lastModified, priority }),
        ...(changeFrequency !== undefined && FREQUENCIES.has(changeFrequency) && { changeFrequency }),
      })
    }
    this.#kind = undefined
    this.#depth = 0
    this.#field = undefined
    this.#ownText = ''
    this.#fields = new Map()
    this.#alternates = []
  }
}

/** Collects a text sitemap: one absolute URL a line. A line without one is passed over. */
export class SitemapLines {
  /** Whether there was a URL at all. */
  isList = false
  readonly #add: (entry: RawSitemapEntry) => void
  /** The line that is not over yet, as far as it could matter. */
  #line = ''

  constructor(add: (entry: RawSitemapEntry) => void) {
    this.#add = add
  }

  push(chunk: string): void {
    const lines = chunk.split(/[\r\n]/)
    for (const [i, line] of lines.entries()) {
      if (i > 0) this.end()
      this.#line += line.slice(0, MAX_LINE_CHARS + 1 - this.#line.length)
    }
  }

  /** Ends the line. */
  end(): void {
    const href = this.#line.trim()
    this.#line = ''
    if (!/^https?:\/\//i.test(href)) return
    this.isList = true
    this.#add({ kind: 'page', href, alternates: [] })
  }
}

function localName(name: string): string {
  return name.slice(name.indexOf(':') + 1).toLowerCase()
}

function isField(name: string): name is Field {
  return FIELDS.has(name)
}

function priorityOf(text: string | undefined): number | undefined {
  const priority = text ? Number(text) : Number.NaN
  return priority >= 0 && priority <= 1 ? priority : undefined
}
