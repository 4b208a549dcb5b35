import { Attributes, attributeNamed } from './attributes.ts'
import { CharacterReference, decodeTitle } from './character-references.ts'
import { collapseSpace, cutChars, isLetter, isSpace } from './characters.ts'
import { codeUnitsOf } from './code-units.ts'
import type { HtmlScan, ScanOptions } from './html-scan.ts'
import { LinkCollector } from './link-collector.ts'
import { START } from './name-trie.ts'
import { OpenContexts } from './open-contexts.ts'
import { PageGatherer } from './page-gatherer.ts'
import { bogusCommentEnd, commentEnd, rawTextEnd, scriptEnd } from './raw-text.ts'
import { TAG_BITS, TAG_TRIE, type Tag, tagNamed } from './tags.ts'
import { type Break, TextWriter } from './text-writer.ts'

/**
 * Reads a page in one pass: no tree, no recursion, time linear in its length, memory limited to the caps and one copy of
 * the page. Accepts any text and never throws.
 * @example
 * const scan = scanHtml('<title>Example</title><p>Some text <a href="/next">next</a>')
 * scan.title // → 'Example'
 * scan.links.map(({ href }) => href) // → ['/next']
 */
export function scanHtml(html: string, options: ScanOptions = {}): HtmlScan {
  return new HtmlScanner(html, options).scan()
}

// Constants of the module itself: the optimiser sees through them, but not through imported ones.
const LF = 0x0a
const CR = 0x0d
const BANG = 0x21
const AMP = 0x26
const DASH = 0x2d
const SLASH = 0x2f
const LT = 0x3c
const GT = 0x3e
const QUESTION = 0x3f

const { breaks: BREAK_BITS, breakout: BREAKOUT, cellEdge: CELL_EDGE } = TAG_BITS
const { entered: ENTERED, left: LEFT, rawText: RAW_TEXT, telling: TELLING } = TAG_BITS

const TRIE = TAG_TRIE
const FIRST = START
const A = tagNamed('a')
const ANNOTATION_XML = tagNamed('annotation-xml')
const FONT = tagNamed('font')
const LISTING = tagNamed('listing')
const MATH = tagNamed('math')
const PLAINTEXT = tagNamed('plaintext')
const PRE = tagNamed('pre')
const SCRIPT = tagNamed('script')
const SVG = tagNamed('svg')
const TABLE = tagNamed('table')
const TEMPLATE = tagNamed('template')
const TEXTAREA = tagNamed('textarea')
const TITLE = tagNamed('title')
const XMP = tagNamed('xmp')

const COLOR = attributeNamed('color')
const ENCODING = attributeNamed('encoding')
const FACE = attributeNamed('face')
const SIZE = attributeNamed('size')

class HtmlScanner {
  readonly #html: string
  readonly #units: Uint16Array
  readonly #maxTitleChars: number
  readonly #reference = new CharacterReference()
  readonly #attributes: Attributes
  readonly #text: TextWriter
  readonly #links: LinkCollector
  readonly #gatherer: PageGatherer
  readonly #contexts = new OpenContexts()
  #title: string | undefined
  #pos = 0
  /** Open tables. */
  #tables = 0
  /** How many tables and how many contexts were open when the open link was. */
  #linkTables = 0
  #linkDepth = 0

  constructor(html: string, options: ScanOptions) {
    const {
      maxLinks = 200_000,
      maxTextChars = 1_000_000,
      maxTitleChars = 1_000,
      maxAnchorChars = 500,
    } = options
    this.#html = html
    const units = codeUnitsOf(html)
    this.#units = units
    this.#maxTitleChars = maxTitleChars
    this.#attributes = new Attributes(html, units, this.#reference)
    this.#text = new TextWriter(html, units, this.#reference, maxTextChars, maxAnchorChars)
    this.#links = new LinkCollector(this.#text, maxLinks, maxAnchorChars)
    this.#gatherer = new PageGatherer(this.#attributes, this.#links, options)
  }

  scan(): HtmlScan {
    const units = this.#units
    const length = this.#html.length
    while (this.#pos < length) {
      this.#pos = units[this.#pos] === LT ? this.#readMarkup(this.#pos) : this.#readText(this.#pos)
    }
    this.#links.close()
    return this.#result()
  }

  #result(): HtmlScan {
    const { all, textLength } = this.#text.finish()
    const { base, lang, contentLanguage, metas, refresh, canonical, alternates, feeds } = this.#gatherer.facts
    return {
      title: this.#title ?? '',
      text: all.slice(0, textLength),
      textTruncated: this.#text.truncated,
      links: this.#links.finish(all),
      linksDropped: this.#links.dropped,
      base,
      lang,
      contentLanguage,
      metas,
      refresh,
      canonical,
      alternates,
      feeds,
    }
  }

  /** Reads up to the next `<`, and returns its position. */
  #readText(start: number): number {
    const { textHidden, foreign } = this.#contexts
    if (!textHidden) return this.#text.writeToTag(start, foreign ? 'rcdata' : 'markup')
    const lt = this.#html.indexOf('<', start)
    return lt === -1 ? this.#html.length : lt
  }

  /** Text that looks like markup. */
  #writeText(start: number, end: number): void {
    if (!this.#contexts.textHidden) this.#text.write(start, end, 'markup')
  }

  /** Reads what the `<` at `lt` begins, and returns the position after it. */
  #readMarkup(lt: number): number {
    const html = this.#html
    const c = this.#units[lt + 1] ?? 0
    if (isLetter(c)) return this.#readTag(lt + 1, false)
    if (c === SLASH) {
      if (isLetter(this.#units[lt + 2] ?? 0)) return this.#readTag(lt + 2, true)
      if (lt + 2 < html.length) return bogusCommentEnd(html, lt + 2)
      this.#writeText(lt, lt + 2)
      return lt + 2
    }
    if (c === BANG) return this.#readDeclaration(lt)
    if (c === QUESTION) return bogusCommentEnd(html, lt + 2)
    this.#writeText(lt, lt + 1)
    return lt + 1
  }

  /** A comment, a CDATA section, or what ends at the next `>`: a doctype or something bogus. */
  #readDeclaration(lt: number): number {
    const html = this.#html
    if (html.charCodeAt(lt + 2) === DASH && html.charCodeAt(lt + 3) === DASH) return commentEnd(html, lt + 4)
    if (!this.#contexts.allowsCdata || !html.startsWith('[CDATA[', lt + 2))
      return bogusCommentEnd(html, lt + 2)
    const start = lt + '<![CDATA['.length
    const close = html.indexOf(']]>', start)
    if (!this.#contexts.textHidden) this.#text.write(start, close === -1 ? html.length : close, 'raw')
    return close === -1 ? html.length : close + ']]>'.length
  }

  #readTag(nameStart: number, isEnd: boolean): number {
    const units = this.#units
    const { length } = this.#html
    let nameEnd = nameStart
    let c = units[nameEnd] ?? 0
    let state = FIRST
    do {
      state = TRIE.step(state, c)
      c = units[++nameEnd] ?? 0
    } while (c > GT || (c !== GT && c !== SLASH && !isSpace(c) && nameEnd < length))
    const tag = TRIE.valueAt(state)

    let pos = nameEnd + 1
    if (c === GT) this.#attributes.clear()
    else if (!isEnd && this.#gatherer.needsAttributes(tag)) pos = this.#attributes.read(nameEnd)
    else pos = this.#attributes.skip(nameEnd)
    // A tag that the end of the input cuts off is dropped.
    if (pos === -1) return length
    if (tag === 0) return pos
    // Some tags take more than themselves from the input.
    this.#pos = pos
    if (isEnd) this.#endTag(tag)
    else this.#startTag(tag)
    return this.#pos
  }

  #startTag(tag: Tag): void {
    if (this.#contexts.foreign) {
      if (!this.#isBreakout(tag)) {
        this.#startForeign(tag)
        return
      }
      this.#contexts.breakOut()
    }
    this.#break(tag)
    if ((tag & TELLING) !== 0 && !this.#contexts.inert) {
      if (tag === A) this.#openLink()
      else this.#gatherer.gather(tag)
    }
    if ((tag & ENTERED) !== 0) this.#enter(tag)
  }

  #isBreakout(tag: Tag): boolean {
    if (tag !== FONT) return (tag & BREAKOUT) !== 0
    return this.#attributes.has(COLOR) || this.#attributes.has(FACE) || this.#attributes.has(SIZE)
  }

  /** A start tag inside `<svg>` or `<math>`: only links, and what changes the context, count. */
  #startForeign(tag: Tag): void {
    const { selfClosing } = this.#attributes
    if (tag === A && !this.#contexts.inert) {
      this.#openLink()
      if (selfClosing) this.#links.close()
    } else if (!selfClosing && this.#opensContext(tag)) this.#contexts.open(tag)
  }

  #opensContext(tag: Tag): boolean {
    if (tag !== ANNOTATION_XML) return this.#contexts.isOpenedInForeign(tag)
    const encoding = this.#attributes.value(ENCODING)?.toLowerCase()
    return encoding === 'text/html' || encoding === 'application/xhtml+xml'
  }

  /** What a start tag changes for what follows. */
  #enter(tag: Tag): void {
    if ((tag & RAW_TEXT) !== 0) this.#readRawText(tag)
    else if ((tag & CELL_EDGE) !== 0) {
      this.#closeLinkOfCell()
      if (tag === TABLE) this.#tables++
    } else if (tag === PRE || tag === LISTING) {
      this.#text.preformatted++
      this.#pos = this.#afterNewline(this.#pos)
    } else if (tag === PLAINTEXT) {
      this.#writeVerbatim(this.#pos, this.#html.length, 'raw')
      this.#pos = this.#html.length
    } else if (tag === TEMPLATE || ((tag === SVG || tag === MATH) && !this.#attributes.selfClosing)) {
      this.#contexts.open(tag)
    }
  }

  #readRawText(tag: Tag): void {
    const html = this.#html
    const start = this.#pos
    this.#pos = tag === SCRIPT ? scriptEnd(html, start) : rawTextEnd(html, start, tag)
    if (tag === TITLE) this.#readTitle(start, this.#pos)
    else if (tag === TEXTAREA) this.#writeVerbatim(this.#afterNewline(start), this.#pos, 'rcdata')
    else if (tag === XMP) this.#writeVerbatim(start, this.#pos, 'raw')
  }

  #readTitle(start: number, end: number): void {
    if (this.#title !== undefined || this.#contexts.inert) return
    // Ten times the cap leaves room for references and white space; longer titles are cut.
    const enough = Math.min(end, start + this.#maxTitleChars * 10)
    const title = collapseSpace(decodeTitle(this.#html, start, enough, this.#reference))
    this.#title = cutChars(title, this.#maxTitleChars)
  }

  #writeVerbatim(start: number, end: number, mode: 'raw' | 'rcdata'): void {
    if (this.#contexts.textHidden) return
    this.#text.preformatted++
    this.#text.write(start, end, mode)
    this.#text.preformatted--
  }

  /** The newline right after `<pre>` and `<textarea>`, however it is written, is not part of the content. */
  #afterNewline(pos: number): number {
    const html = this.#html
    const c = html.charCodeAt(pos)
    if (c === LF) return pos + 1
    if (c === CR) return html.charCodeAt(pos + 1) === LF ? pos + 2 : pos + 1
    const length = c === AMP ? this.#reference.read(html, pos, html.length, false) : 0
    return length > 0 && this.#reference.codePoint === LF ? pos + length : pos
  }

  #endTag(tag: Tag): void {
    if (this.#contexts.foreign && this.#endsForeign(tag)) this.#contexts.breakOut()
    if ((tag & LEFT) !== 0) this.#leave(tag)
    this.#break(tag)
  }

  /**
   * Whether an end tag inside `<svg>` or `<math>` can only be that of an HTML element around it, which ends both. A
   * browser looks whether such an element is open; a page that writes `</div>` in an image has one open.
   */
  #endsForeign(tag: Tag): boolean {
    if (tag === A) return this.#links.isOpen && this.#linkDepth < this.#contexts.depth
    return (tag & (BREAKOUT | BREAK_BITS)) !== 0
  }

  #leave(tag: Tag): void {
    if (tag === A) this.#links.close()
    else if ((tag & CELL_EDGE) !== 0) {
      this.#closeLinkOfCell()
      if (tag === TABLE && this.#tables > 0) this.#tables--
    } else if (tag === PRE || tag === LISTING) {
      if (this.#text.preformatted > 0) this.#text.preformatted--
    } else this.#contexts.close(tag)
  }

  #break(tag: Tag): void {
    if ((tag & BREAK_BITS) !== 0 && !this.#contexts.textHidden) this.#text.break((tag & BREAK_BITS) as Break)
  }

  #openLink(): void {
    if (!this.#gatherer.gatherAnchor(this.#contexts.foreign)) return
    this.#linkTables = this.#tables
    this.#linkDepth = this.#contexts.depth
  }

  /** A link around a whole table stays open; one inside a cell ends with it. */
  #closeLinkOfCell(): void {
    if (this.#tables > 0 && this.#tables === this.#linkTables) this.#links.close()
  }
}
