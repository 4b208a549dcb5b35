import { collapseSpace, cutChars, isHighSurrogate, isSpace } from './characters.ts'
import type { HtmlLink, LinkKind } from './html-scan.ts'
import type { TextWriter } from './text-writer.ts'

const NO_TOKENS: readonly string[] = Object.freeze([])

/** Gathers the links of a page. At most one is open for text; its anchor is a part of the page's text. */
export class LinkCollector {
  /** Links over the limit: they are counted, not kept. */
  dropped = 0
  readonly #text: TextWriter
  readonly #maxLinks: number
  readonly #maxAnchorChars: number
  readonly #links: Array<{ kind: LinkKind; href: string; anchor: string; rel: readonly string[] }> = []
  /** For each link, start and end of its anchor text in the text; equal if it has none. */
  readonly #starts: number[] = []
  readonly #ends: number[] = []
  /** For each link, from where on its anchor has no white space but single spaces. */
  readonly #evenFrom: number[] = []
  #open = -1
  /** The `rel` seen last, and its words: pages repeat themselves. */
  #rel: string | undefined
  #relTokens = NO_TOKENS

  constructor(text: TextWriter, maxLinks: number, maxAnchorChars: number) {
    this.#text = text
    this.#maxLinks = maxLinks
    this.#maxAnchorChars = maxAnchorChars
  }

  /** Whether an alternative text is of use: text, should there be any but white space, goes before it. */
  get wantsAlt(): boolean {
    return this.#open !== -1 && this.#links[this.#open]?.anchor === ''
  }

  get isOpen(): boolean {
    return this.#open !== -1
  }

  /** A link on its own. False when there are too many. */
  add(kind: LinkKind, href: string, rel: string | undefined, anchor: string): boolean {
    if (this.#links.length >= this.#maxLinks) {
      this.dropped++
      return false
    }
    this.#links.push({ kind, href, anchor: cutChars(anchor, this.#maxAnchorChars), rel: this.relTokens(rel) })
    this.#starts.push(0)
    this.#ends.push(0)
    this.#evenFrom.push(0)
    return true
  }

  /** An `<a href>`: the text that follows is its anchor, until `close`. False when there are too many links. */
  open(href: string, rel: string | undefined): boolean {
    if (!this.add('a', href, rel, '')) return false
    this.#open = this.#links.length - 1
    this.#starts[this.#open] = this.#text.openAnchor()
    return true
  }

  close(): void {
    if (this.#open === -1) return
    this.#ends[this.#open] = this.#text.closeAnchor()
    this.#evenFrom[this.#open] = this.#text.evenFrom
    this.#open = -1
  }

  /** The alternative text of an image in the open link; used when no text comes. */
  addAlt(alt: string): void {
    const link = this.#links[this.#open]
    if (link !== undefined) link.anchor = cutChars(collapseSpace(alt), this.#maxAnchorChars)
  }

  /** The words of a `rel` attribute, lower case. */
  relTokens(rel: string | undefined): readonly string[] {
    if (rel !== this.#rel) {
      this.#rel = rel
      this.#relTokens = rel === undefined ? NO_TOKENS : tokens(rel)
    }
    return this.#relTokens
  }

  /** `all`: everything that the text writer wrote. */
  finish(all: string): readonly HtmlLink[] {
    for (let i = 0; i < this.#links.length; i++) {
      const link = this.#links[i]
      const start = this.#starts[i] ?? 0
      const end = this.#ends[i] ?? 0
      if (link !== undefined && end > start)
        link.anchor = anchorText(all, start, end, this.#evenFrom[i] ?? 0, this.#maxAnchorChars) || link.anchor
    }
    return this.#links
  }
}

function anchorText(all: string, from: number, to: number, evenFrom: number, maxChars: number): string {
  let start = from
  while (start < to && isSpace(all.charCodeAt(start))) start++
  let end = Math.min(to, start + maxChars)
  while (end > start && (isSpace(all.charCodeAt(end - 1)) || isHighSurrogate(all.charCodeAt(end - 1)))) end--
  const text = all.slice(start, end)
  return start >= evenFrom ? text : collapseSpace(text)
}

function tokens(rel: string): readonly string[] {
  return rel
    .toLowerCase()
    .split(/[\t\n\f\r ]+/)
    .filter((token) => token !== '')
}
