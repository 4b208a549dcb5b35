import { type Handler, Parser, type ParserOptions } from 'htmlparser2'
import { CharacterReference, decodeAttribute, decodeTitle } from '../html/character-references.ts'
import { CharacterNode, ElementNode, type MarkupKind, type ParentNode, RootNode } from './nodes.ts'

/** Deeper than real pages go. What is nested deeper is kept, side by side, so that no walk runs out of stack or time. */
export const MAX_DEPTH = 256

/** Takes anything for markup and never throws. */
export function buildTree(text: string, kind: MarkupKind): RootNode {
  const builder = new TreeBuilder(kind)
  new BoundedParser(builder, { ...OPTIONS, ...(kind === 'xml' && XML_OPTIONS) }).end(
    text.includes('\r') ? text.replace(/\r\n?/g, '\n') : text,
  )
  return builder.root
}

/** References are decoded by us, where there are any: looking for them in every text costs htmlparser2 a third of its time. */
const OPTIONS: ParserOptions = { decodeEntities: false }
const XML_OPTIONS: ParserOptions = { xmlMode: true, decodeEntities: true }

/** Elements whose content is not markup and holds no references. */
const RAW_TEXT = new Set(['iframe', 'noembed', 'noframes', 'plaintext', 'script', 'style', 'xmp'])
/** Elements whose content is not markup, but holds references. */
const RCDATA = new Set(['textarea', 'title'])
/** What must be decoded. */
const SPECIAL = /[\0&]/

class TreeBuilder implements Partial<Handler> {
  readonly root = new RootNode()
  /** How many elements are open. */
  depth = 0
  /** In a CDATA section, which holds no references. */
  inCdata = false
  readonly #decodes: boolean
  readonly #reference = new CharacterReference()
  #parent: ParentNode = this.root
  /** The text that goes on when more of it comes. */
  #text: CharacterNode | undefined

  constructor(kind: MarkupKind) {
    this.#decodes = kind === 'html'
  }

  onopentag(name: string, attributes: Record<string, string>): void {
    if (this.#decodes) this.#decodeAttributes(attributes)
    const element = new ElementNode(this.#parent, ++this.root.size, name, attributes)
    this.#parent.append(element)
    this.#parent = element
    this.#text = undefined
    this.depth++
  }

  onclosetag(): void {
    this.#text = undefined
    // The end of the text also closes a tag that it cut off, which was never opened.
    if (this.#parent.parent === null) return
    this.#parent = this.#parent.parent
    this.depth--
  }

  ontext(data: string): void {
    const text = this.#decodes && SPECIAL.test(data) ? this.#decodeText(data) : data
    if (this.#text !== undefined) this.#text.data += text
    else this.#text = this.#append(3, text)
  }

  oncomment(data: string): void {
    this.#append(8, data)
    this.#text = undefined
  }

  onprocessinginstruction(_name: string, data: string): void {
    this.#append(7, data)
    this.#text = undefined
  }

  #append(nodeType: 3 | 7 | 8, data: string): CharacterNode {
    const node = new CharacterNode(this.#parent, ++this.root.size, nodeType, data)
    this.#parent.append(node)
    return node
  }

  #decodeText(data: string): string {
    const around = this.#parent instanceof ElementNode ? this.#parent.name : ''
    // In markup NUL is nothing, elsewhere it is replaced.
    if (this.inCdata || RAW_TEXT.has(around)) return data.replaceAll('\0', '\uFFFD')
    const kept = RCDATA.has(around) ? data : data.replaceAll('\0', '')
    return decodeTitle(kept, 0, kept.length, this.#reference)
  }

  #decodeAttributes(attributes: Record<string, string>): void {
    for (const name in attributes) {
      const { [name]: value = '' } = attributes
      if (SPECIAL.test(value)) attributes[name] = decodeAttribute(value, 0, value.length, this.#reference)
    }
  }
}

/**
 * htmlparser2, told when a CDATA section is read, and held to `MAX_DEPTH`. Its list of open elements costs time by its length for
 * every tag, so that 100,000 open ones would cost seconds: at the limit an element is taken for one without content.
 */
class BoundedParser extends Parser {
  readonly #builder: TreeBuilder
  #isFull = false

  constructor(builder: TreeBuilder, options: ParserOptions) {
    super(builder, options)
    this.#builder = builder
  }

  override onopentagname(start: number, endIndex: number): void {
    this.#isFull = this.#builder.depth >= MAX_DEPTH
    super.onopentagname(start, endIndex)
  }

  override onclosetag(start: number, endIndex: number): void {
    this.#isFull = false
    super.onclosetag(start, endIndex)
  }

  override oncdata(start: number, endIndex: number, offset: number): void {
    this.#builder.inCdata = true
    super.oncdata(start, endIndex, offset)
    this.#builder.inCdata = false
  }

  protected override isVoidElement(name: string): boolean {
    return this.#isFull || super.isVoidElement(name)
  }
}
