import { AttributeCursor, plainTagEnd } from '../html/attribute-cursor.ts'
import { isLetter, isSpace, lowerCase } from '../html/characters.ts'
import { codeUnitsOf } from '../html/code-units.ts'
import { START } from '../html/name-trie.ts'
import { commentEnd } from '../html/raw-text.ts'
import { textIn, verbatim } from './decode-markup.ts'
import { HTML_TAG_TRIE, type HtmlTag, htmlTagNamed, knownTag, svgName } from './html-tags.ts'
import { CharacterNode, ElementNode, MAX_DEPTH, type ParentNode, RootNode } from './nodes.ts'

/**
 * Builds the tree that htmlparser2 would build, in a fraction of its time: attributes and texts are located, and cut out when they are first read.
 * @param html without carriage returns
 */
export function buildHtmlTree(html: string): RootNode {
  return new HtmlReader(html).read()
}

// Constants of the module itself: the optimiser sees through them, but not through imported ones.
const BANG = 0x21
const SLASH = 0x2f
const LT = 0x3c
const GT = 0x3e
const QUESTION = 0x3f

const TRIE = HTML_TAG_TRIE
const FIRST = START
const IMAGE = htmlTagNamed('image')
const IMG = htmlTagNamed('img')

class HtmlReader {
  readonly #html: string
  /** Lent: it holds the next page as soon as this one is read, so no node may keep it. */
  readonly #units: Uint16Array
  readonly #root: RootNode
  /** The innermost open element. */
  #parent: ParentNode
  /** The newest one. */
  #last: ParentNode
  /** How many elements are open. */
  #depth = 0
  /** The open elements that change the rules, the innermost last. */
  readonly #contexts: Array<{ readonly kind: HtmlTag['opens']; readonly depth: number }> = []
  /** The text node that following text is added to. */
  #text: CharacterNode | undefined
  /** Where the name of the last tag ended. */
  #nameEnd = 0
  #isSelfClosing = false

  constructor(html: string) {
    this.#html = html
    this.#units = codeUnitsOf(html)
    this.#root = new RootNode(html)
    this.#parent = this.#root
    this.#last = this.#root
  }

  read(): RootNode {
    const units = this.#units
    const { length } = this.#html
    let textStart = 0
    let pos = 0
    while (pos < length) {
      if (units[pos] !== LT || !this.#isMarkup(pos)) pos++
      else {
        if (pos > textStart) this.#addText(textStart, pos)
        pos = this.#readMarkup(pos)
        textStart = pos
      }
    }
    if (length > textStart) this.#addText(textStart, length)
    return this.#root
  }

  /** Whether the `<` at `lt` begins something. */
  #isMarkup(lt: number): boolean {
    const c = this.#units[lt + 1] ?? 0
    return isLetter(c) || c === BANG || c === QUESTION || (c === SLASH && lt + 2 < this.#html.length)
  }

  /** Returns the position after the markup that the `<` at `lt` begins. */
  #readMarkup(lt: number): number {
    const units = this.#units
    const c = units[lt + 1] ?? 0
    if (c === SLASH) {
      const next = units[lt + 2] ?? 0
      if (isLetter(next)) return this.#readEndTag(lt + 2)
      return next === GT ? lt + 3 : this.#bogusComment(lt + 2)
    }
    if (c === BANG) return this.#readDeclaration(lt + 2)
    return c === QUESTION ? this.#bogusComment(lt + 1) : this.#readStartTag(lt + 1)
  }

  #readStartTag(nameStart: number): number {
    const tag = this.#readName(nameStart)
    const nameEnd = this.#nameEnd
    const isBare = this.#units[nameEnd] === GT
    const pos = isBare ? nameEnd + 1 : this.#skipAttributes(nameEnd)
    // A tag that the end of the page cuts off is dropped.
    if (pos === -1) return this.#html.length
    const holds = this.#isForeign ? undefined : tag.holds
    this.#open(this.#inContext(tag), isBare ? 0 : nameEnd, !isBare && this.#isSelfClosing)
    if (holds === undefined) return pos
    const end = holds === 'all' ? this.#html.length : this.#textEnd(tag.name, pos)
    if (end > pos) this.#addText(pos, end)
    return end
  }

  #readEndTag(nameStart: number): number {
    const tag = this.#readName(nameStart)
    const gt = this.#units[this.#nameEnd] === GT ? this.#nameEnd : this.#html.indexOf('>', this.#nameEnd)
    if (gt === -1) return this.#html.length
    this.#end(this.#inContext(tag))
    return gt + 1
  }

  #readName(start: number): HtmlTag {
    const units = this.#units
    let pos = start
    let c = units[pos] ?? 0
    let state = FIRST
    do {
      state = TRIE.step(state, c)
      c = units[++pos] ?? 0
    } while (c > GT || (c !== GT && c !== SLASH && !isSpace(c) && pos < this.#html.length))
    this.#nameEnd = pos
    return knownTag(TRIE.valueAt(state)) ?? htmlTagNamed(lowerCase(this.#html.slice(start, pos)))
  }

  /** Returns the position after the tag; -1 if the page ends first. */
  #skipAttributes(start: number): number {
    const gt = plainTagEnd(this.#units, start)
    if (gt !== -1) {
      let last = gt - 1
      while (isSpace(this.#units[last] ?? 0)) last--
      this.#isSelfClosing = this.#units[last] === SLASH
      return gt + 1
    }
    const cursor = new AttributeCursor(this.#html, start)
    while (cursor.next());
    this.#isSelfClosing = cursor.isSelfClosing
    return cursor.end
  }

  /** The position of the end tag of an element whose content is not markup. */
  #textEnd(name: string, from: number): number {
    const endTag = endTagOf(name)
    endTag.lastIndex = from
    return endTag.test(this.#html) ? endTag.lastIndex - name.length - '</ '.length : this.#html.length
  }

  /** What `<!` begins: a comment, a CDATA section, a doctype, or something bogus. */
  #readDeclaration(start: number): number {
    const html = this.#html
    if (html.startsWith('--', start)) {
      const end = commentEnd(html, start + 2)
      this.#append(8, html.slice(start + 2, end).replace(COMMENT_END, ''))
      return end
    }
    if (html.startsWith('[CDATA[', start)) return this.#readCdata(start)
    if (lowerCase(html.slice(start, start + 7)) !== 'doctype') return this.#bogusComment(start)
    const gt = html.indexOf('>', start)
    if (gt === -1) return html.length
    this.#append(7, `!${html.slice(start, gt)}`)
    return gt + 1
  }

  /** A comment outside of `<svg>` and `<math>`; without an end a comment everywhere. */
  #readCdata(start: number): number {
    const html = this.#html
    const close = html.indexOf(']]>', start)
    if (close !== -1 && this.#isForeign) this.#addVerbatim(html.slice(start + '[CDATA['.length, close))
    else this.#append(8, html.slice(start, close === -1 ? html.length : close + ']]'.length))
    return close === -1 ? html.length : close + ']]>'.length
  }

  #bogusComment(start: number): number {
    const gt = this.#html.indexOf('>', start)
    const end = gt === -1 ? this.#html.length : gt
    this.#append(8, this.#html.slice(start, end))
    return end + 1
  }

  #open(tag: HtmlTag, attributesAt: number, isSelfClosing: boolean): void {
    // A form in a form is none.
    if (tag.name === 'form' && this.#isOpen('form')) return
    const isFull = this.#depth >= MAX_DEPTH
    if (tag.ends !== undefined) while (tag.ends.has(this.#parent.name)) this.#close()
    const element = this.#appendElement(tag.name, attributesAt)
    if (tag.isVoid || isFull) return
    this.#parent = element
    this.#depth++
    if (tag.opens !== undefined) this.#contexts.push({ kind: tag.opens, depth: this.#depth })
    if (isSelfClosing && this.#isForeign) this.#close()
  }

  #end({ name, isVoid }: HtmlTag): void {
    if (!isVoid && this.#isOpen(name)) {
      while (this.#parent.name !== name) this.#close()
      this.#close()
    } else if (name === 'p' || name === 'br') this.#appendElement(name, 0)
  }

  #close(): void {
    if (this.#parent.parent === null) return
    if (this.#contexts.at(-1)?.depth === this.#depth) this.#contexts.pop()
    this.#parent = this.#parent.parent
    this.#depth--
    this.#text = undefined
  }

  #isOpen(name: string): boolean {
    for (let node: ParentNode | null = this.#parent; node !== null; node = node.parent)
      if (node.name === name) return true
    return false
  }

  get #isForeign(): boolean {
    const kind = this.#contexts.at(-1)?.kind
    return kind === 'svg' || kind === 'math'
  }

  /** Some names mean something else inside an image, or outside of one. */
  #inContext(tag: HtmlTag): HtmlTag {
    if (this.#contexts.length > 0) {
      const name = svgName(tag.name)
      const isSvg = this.#contexts.at(-1)?.kind === 'svg'
      if (name !== undefined && (isSvg || this.#isOpen(name))) return htmlTagNamed(name)
      if (this.#isForeign) return tag
    }
    return tag === IMAGE ? IMG : tag
  }

  #addText(start: number, end: number): void {
    if (this.#text === undefined) {
      this.#text = new CharacterNode(this.#parent, ++this.#root.size, 3, this.#html, start, end)
      this.#parent.append(this.#text)
    } else this.#text.extend(textIn(this.#html, start, end, this.#parent.name))
  }

  #addVerbatim(text: string): void {
    if (this.#text === undefined) this.#text = this.#append(3, verbatim(text))
    else this.#text.extend(verbatim(text))
  }

  #append(nodeType: 3 | 7 | 8, data: string): CharacterNode {
    const node = new CharacterNode(this.#parent, ++this.#root.size, nodeType, data)
    this.#parent.append(node)
    this.#text = undefined
    return node
  }

  #appendElement(name: string, attributesAt: number): ElementNode {
    const element = new ElementNode(this.#parent, ++this.#root.size, name, this.#html, attributesAt)
    this.#parent.append(element)
    this.#last.following = element
    this.#last = element
    this.#text = undefined
    return element
  }
}

/** How a comment ends: `<!-->` and `<!--->` are whole ones; of what the page cuts off, as much as there is. */
const COMMENT_END = /(?:(?:^-?|--!?)>|--!?|-)$/

const endTags = new Map<string, RegExp>()

/** `name` is one of the few that hold text. */
function endTagOf(name: string): RegExp {
  let pattern = endTags.get(name)
  if (pattern === undefined) {
    pattern = new RegExp(`</${name}[\\t\\n\\f\\r />]`, 'gi')
    endTags.set(name, pattern)
  }
  return pattern
}
