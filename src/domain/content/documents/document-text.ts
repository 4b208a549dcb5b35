import type { DocumentContent, DocumentLimits, DocumentLink } from './document-reader.ts'

/** What separates two pieces of text. A stronger one replaces a weaker one. */
export type Separator = ' ' | '\t' | '\n'

const STRENGTH: Readonly<Record<Separator | '', number>> = { '': 0, ' ': 1, '\t': 2, '\n': 3 }
const MAX_ANCHOR_CHARS = 1_000

/** Collects the text and the links of a document up to their limits. */
export class DocumentText {
  readonly #limits: DocumentLimits
  readonly #parts: string[] = []
  readonly #links: DocumentLink[] = []
  #chars = 0
  #pending: Separator | '' = ''
  #truncated = false
  #linksDropped = 0
  #openHref: string | undefined
  #anchor = ''

  constructor(limits: DocumentLimits) {
    this.#limits = limits
  }

  /** No more text is kept. */
  get isFull(): boolean {
    return this.#chars >= this.#limits.maxTextChars
  }

  add(text: string): void {
    if (text === '') return
    if (this.#openHref !== undefined && this.#anchor.length < MAX_ANCHOR_CHARS)
      this.#anchor += this.#pending + text
    const separator = this.#chars === 0 ? '' : this.#pending
    this.#pending = ''
    const room = this.#limits.maxTextChars - this.#chars
    const whole = separator + text
    if (whole.length > room) this.#truncated = true
    if (room <= 0) return
    const kept = whole.length > room ? whole.slice(0, room) : whole
    this.#parts.push(kept)
    this.#chars += kept.length
  }

  /** Text was left out before it came here. */
  markTruncated(): void {
    this.#truncated = true
  }

  /** Separates the text before from the text after; at the start, at the end and next to a stronger separator it has no effect. */
  separate(separator: Separator): void {
    if (STRENGTH[separator] > STRENGTH[this.#pending]) this.#pending = separator
  }

  /** Text up to `closeLink` is the anchor text of this link. */
  openLink(href: string): void {
    this.closeLink()
    this.#openHref = href
  }

  closeLink(): void {
    if (this.#openHref !== undefined) this.link(this.#openHref, this.#anchor)
    this.#openHref = undefined
    this.#anchor = ''
  }

  link(href: string, anchor = ''): void {
    if (href === '' || href.startsWith('#')) return
    if (this.#links.length >= this.#limits.maxLinks) this.#linksDropped++
    else this.#links.push({ href, anchor: anchor.replace(/\s+/g, ' ').trim().slice(0, MAX_ANCHOR_CHARS) })
  }

  content(): Required<Pick<DocumentContent, 'text' | 'links' | 'linksDropped' | 'truncated'>> {
    this.closeLink()
    return {
      text: this.#parts.join('').trimEnd(),
      links: this.#links,
      linksDropped: this.#linksDropped,
      truncated: this.#truncated,
    }
  }
}
