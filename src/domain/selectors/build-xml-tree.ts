import { type Handler, Parser } from 'htmlparser2'
import { CharacterNode, ElementNode, MAX_DEPTH, type ParentNode, RootNode } from './nodes.ts'

/** The tree of an XML document, by htmlparser2: feeds and sitemaps are few, and need not be read fast. */
export function buildXmlTree(xml: string): RootNode {
  const builder = new TreeBuilder()
  new BoundedParser(builder).end(xml)
  return builder.root
}

class TreeBuilder implements Partial<Handler> {
  readonly root = new RootNode()
  /** How many elements are open. */
  depth = 0
  #parent: ParentNode = this.root
  /** The newest element. */
  #last: ParentNode = this.root
  /** The text node that following text is added to. */
  #text: CharacterNode | undefined

  onopentag(name: string, attributes: Record<string, string>): void {
    const element = new ElementNode(this.#parent, ++this.root.size, name, new Map(Object.entries(attributes)))
    this.#parent.append(element)
    this.#last.following = element
    this.#last = element
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

  ontext(text: string): void {
    if (this.#text !== undefined) this.#text.extend(text)
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
}

/**
 * htmlparser2, held to `MAX_DEPTH`. Its list of open elements costs time by its length for every tag, so that 100,000 open ones would cost
 * seconds: at the limit an element is taken for one without content.
 */
class BoundedParser extends Parser {
  readonly #builder: TreeBuilder
  #isFull = false

  constructor(builder: TreeBuilder) {
    super(builder, { xmlMode: true, decodeEntities: true })
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

  protected override isVoidElement(name: string): boolean {
    return this.#isFull || super.isVoidElement(name)
  }
}
