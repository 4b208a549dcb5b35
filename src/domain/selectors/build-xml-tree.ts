import { type XmlHandler, XmlTokenizer, xmlAttributes } from '../content/xml-tokenizer.ts'
import { CharacterNode, ElementNode, MAX_DEPTH, type ParentNode, RootNode } from './nodes.ts'

/** Builds the tree of an XML document. No token is too long: the whole document is in memory already. */
export function buildXmlTree(xml: string): RootNode {
  const builder = new XmlTreeBuilder(xml)
  const tokenizer = new XmlTokenizer(builder, { maxTokenChars: Number.POSITIVE_INFINITY })
  tokenizer.push(xml)
  tokenizer.end()
  return builder.root
}

/** An end tag closes the innermost element of its name and the elements inside that one; without such an element it is ignored. */
class XmlTreeBuilder implements XmlHandler {
  readonly root: RootNode
  /** The innermost open element. */
  #parent: ParentNode
  /** The newest element. */
  #last: ParentNode
  /** How many elements are open. */
  #depth = 0
  /** The last token was the start tag of an element at `MAX_DEPTH`, which was not opened: its end tag closes nothing. */
  #isUnopened = false
  /** The text node that following text is added to. */
  #text: CharacterNode | undefined

  constructor(xml: string) {
    this.root = new RootNode(xml)
    this.#parent = this.root
    this.#last = this.root
  }

  open(name: string, attributes: string): void {
    const values = attributes === '' ? NO_ATTRIBUTES : xmlAttributes(attributes)
    const element = new ElementNode(this.#parent, ++this.root.size, name, values)
    this.#parent.append(element)
    this.#last.following = element
    this.#last = element
    this.#text = undefined
    this.#isUnopened = this.#depth >= MAX_DEPTH
    if (this.#isUnopened) return
    this.#parent = element
    this.#depth++
  }

  close(name: string): void {
    const isUnopened = this.#isUnopened
    this.#isUnopened = false
    if (isUnopened) return
    let depth = this.#depth
    for (let node = this.#parent; node.parent !== null; node = node.parent) {
      depth--
      if (node.name !== name) continue
      this.#parent = node.parent
      this.#depth = depth
      this.#text = undefined
      return
    }
  }

  text(text: string): void {
    if (this.#text !== undefined) this.#text.extend(text)
    else this.#text = this.#append(3, text)
  }

  comment(text: string): void {
    this.#append(8, text)
    this.#text = undefined
  }

  instruction(text: string): void {
    this.#append(7, text)
    this.#text = undefined
  }

  #append(nodeType: 3 | 7 | 8, data: string): CharacterNode {
    this.#isUnopened = false
    const node = new CharacterNode(this.#parent, ++this.root.size, nodeType, data)
    this.#parent.append(node)
    return node
  }
}

const NO_ATTRIBUTES: ReadonlyMap<string, string> = new Map()
