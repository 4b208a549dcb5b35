import { isSpace } from '../html/characters.ts'
import { allAttributes, attributeIn, attributesIn, isAttributeIn, textIn } from './decode-markup.ts'
import { countXPathStep } from './xpath-steps.ts'

/** The syntax of a document. */
export type MarkupKind = 'html' | 'xml'

export type ParentNode = RootNode | ElementNode
export type TreeNode = ParentNode | CharacterNode

/** Deeper than real pages go. What is nested deeper is kept, side by side, so that no walk runs out of stack or time. */
export const MAX_DEPTH = 256

/**
 * What all nodes share. Children are a chain, not an array, and a node has a number in document order: a tree is small, and sorting and
 * comparing nodes is cheap. One class for leaves and parents: a third constructor would cost more than the two fields that leaves do not need.
 * The getters are the names of the DOM, which only the XPath evaluator reads; they count its steps.
 */
abstract class LinkedNode {
  readonly parent: ParentNode | null
  readonly prev: TreeNode | null
  next: TreeNode | null = null
  /** Counts up from the root, 0, as the nodes start in the text. */
  readonly order: number
  firstChild: TreeNode | null = null
  lastChild: TreeNode | null = null

  /** Does not put the node into its parent: `append` does. */
  constructor(parent: ParentNode | null, order: number) {
    this.parent = parent
    this.prev = parent?.lastChild ?? null
    this.order = order
  }

  append(child: TreeNode): void {
    if (this.lastChild === null) this.firstChild = child
    else this.lastChild.next = child
    this.lastChild = child
  }

  get parentNode(): ParentNode | null {
    countXPathStep()
    return this.parent
  }

  get previousSibling(): TreeNode | null {
    countXPathStep()
    return this.prev
  }

  get nextSibling(): TreeNode | null {
    countXPathStep()
    return this.next
  }

  get ownerDocument(): RootNode {
    let top: LinkedNode = this
    while (top.parent !== null) top = top.parent
    return top as RootNode
  }

  compareDocumentPosition(other: TreeNode | AttributeNode): number {
    countXPathStep()
    return position(this, other)
  }
}

/** The document: parent of the outermost element, and of the nodes next to it. */
export class RootNode extends LinkedNode {
  readonly nodeType = 9
  readonly nodeName = '#document'
  /** No element has this one. */
  readonly name = ''
  /** How many nodes are below it. */
  size = 0
  /** The first element. */
  following: ElementNode | null = null
  /** The markup. */
  readonly source: string

  constructor(source: string) {
    super(null, 0)
    this.source = source
  }

  get documentElement(): ElementNode | null {
    let child = this.firstChild
    while (child !== null && !(child instanceof ElementNode)) child = child.next
    return child
  }
}

export class ElementNode extends LinkedNode {
  /** The next element of the document, inside this one or after it. */
  following: ElementNode | null = null
  /** As written; lower case in HTML, but for the elements of SVG that have capitals. A prefix is part of it. */
  readonly name: string
  /** Its attributes, or the page that contains them, from `#attributesAt` on: those of most elements are never read. */
  #written: string | ReadonlyMap<string, string>
  readonly #attributesAt: number
  #attributeNodes: AttributeList | undefined

  /**
   * @param written the attributes, or the page that the tag is part of
   * @param attributesAt after the name of the tag in the page; 0: it has no attributes
   */
  constructor(
    parent: ParentNode,
    order: number,
    name: string,
    written: string | ReadonlyMap<string, string>,
    attributesAt = 0,
  ) {
    super(parent, order)
    this.name = name
    this.#written = written
    this.#attributesAt = attributesAt
  }

  /** Whether its tag is nothing but its name. */
  get isBare(): boolean {
    return typeof this.#written === 'string' ? this.#attributesAt === 0 : this.#written.size === 0
  }

  get attributeNames(): string[] {
    return [...this.#attributes.keys()]
  }

  attribute(name: string): string | undefined {
    const written = this.#written
    if (typeof written !== 'string') return written.get(name)
    return this.#attributesAt === 0 ? undefined : attributeIn(written, this.#attributesAt, name)
  }

  hasAttribute(name: string): boolean {
    const written = this.#written
    if (typeof written !== 'string') return written.has(name)
    return this.#attributesAt !== 0 && isAttributeIn(written, this.#attributesAt, name)
  }

  /** The values of several attributes in the order of `names`, found in one pass. */
  attributesNamed(names: readonly string[]): (string | undefined)[] {
    const written = this.#written
    if (typeof written !== 'string') return names.map((name) => written.get(name))
    return this.#attributesAt === 0 ? [] : attributesIn(written, this.#attributesAt, names)
  }

  attributeNode(name: string): AttributeNode | undefined {
    return this.attributes.named(name)
  }

  /** The same nodes each time, as results are compared by identity. */
  get attributes(): AttributeList {
    this.#attributeNodes ??= new AttributeList(
      [...this.#attributes].map(([name, value], index) => new AttributeNode(this, index, name, value)),
    )
    return this.#attributeNodes
  }

  get #attributes(): ReadonlyMap<string, string> {
    if (typeof this.#written === 'string')
      this.#written = this.#attributesAt === 0 ? NONE : allAttributes(this.#written, this.#attributesAt)
    return this.#written
  }

  get nodeType(): 1 {
    return 1
  }

  get nodeName(): string {
    return this.name
  }

  get prefix(): string | null {
    return prefixOf(this.name)
  }

  get localName(): string {
    return localNameOf(this.name)
  }

  /** The prefix stands for the namespace: names in expressions mean what they say in the document. */
  get namespaceURI(): string | null {
    return prefixOf(this.name)
  }
}

const NONE: ReadonlyMap<string, string> = new Map()

/** Text, a comment or a processing instruction. */
export class CharacterNode extends LinkedNode {
  /** 3: text, CDATA sections too. 7: a processing instruction or declaration. 8: a comment. */
  readonly nodeType: 3 | 7 | 8
  /** Its text; or, if `#end` is set, the source of the page that contains it: most texts are never read. */
  #written: string
  readonly #start: number
  #end: number | undefined

  /**
   * @param written what it says, or the page that it is part of
   * @param start where it stands in the page
   * @param end absent: `written` is what it says
   */
  constructor(
    parent: ParentNode,
    order: number,
    nodeType: 3 | 7 | 8,
    written: string,
    start = 0,
    end?: number,
  ) {
    super(parent, order)
    this.nodeType = nodeType
    this.#written = written
    this.#start = start
    this.#end = end
  }

  get data(): string {
    if (this.#end !== undefined) {
      this.#written = textIn(this.#written, this.#start, this.#end, this.parent?.name ?? '')
      this.#end = undefined
    }
    return this.#written
  }

  /** Whether its source is nothing but white space, which can be told without reading its text. */
  get isBlank(): boolean {
    if (this.#end === undefined) return false
    for (let i = this.#start; i < this.#end; i++) if (!isSpace(this.#written.charCodeAt(i))) return false
    return true
  }

  /** Appends `text`. */
  extend(text: string): void {
    this.#written = this.data + text
  }

  get nodeName(): string {
    if (this.nodeType === 7) return /^[?!]?([^\s?]*)/.exec(this.data)?.[1] ?? ''
    return this.nodeType === 3 ? '#text' : '#comment'
  }

  get nodeValue(): string {
    countXPathStep()
    return this.data
  }
}

export class AttributeNode {
  readonly ownerElement: ElementNode
  /** Its place among the attributes of the element. */
  readonly index: number
  readonly name: string
  readonly value: string

  constructor(ownerElement: ElementNode, index: number, name: string, value: string) {
    this.ownerElement = ownerElement
    this.index = index
    this.name = name
    this.value = value
  }

  get nodeType(): 2 {
    countXPathStep()
    return 2
  }

  get order(): number {
    return this.ownerElement.order
  }

  get parentNode(): null {
    return null
  }

  get firstChild(): null {
    return null
  }

  get nextSibling(): null {
    return null
  }

  get previousSibling(): null {
    return null
  }

  get ownerDocument(): RootNode {
    return this.ownerElement.ownerDocument
  }

  get nodeName(): string {
    return this.name
  }

  get nodeValue(): string {
    return this.value
  }

  get prefix(): string | null {
    return prefixOf(this.name)
  }

  get localName(): string {
    return localNameOf(this.name)
  }

  get namespaceURI(): string | null {
    return prefixOf(this.name)
  }

  compareDocumentPosition(other: TreeNode | AttributeNode): number {
    return position(this, other)
  }
}

/** The attributes of an element as the DOM lists them. */
export class AttributeList {
  readonly #nodes: readonly AttributeNode[]

  constructor(nodes: readonly AttributeNode[]) {
    this.#nodes = nodes
  }

  get length(): number {
    return this.#nodes.length
  }

  named(name: string): AttributeNode | undefined {
    return this.#nodes.find((node) => node.name === name)
  }

  item(index: number): AttributeNode | null {
    return this.#nodes[index] ?? null
  }
}

/** A node in document order; attributes have a place among themselves, too. */
interface Ordered {
  readonly order: number
  readonly index?: number
}

/** Negative when `a` comes first; an element comes before its attributes. */
export function compareOrder(a: Ordered, b: Ordered): number {
  return a.order - b.order || (a.index ?? -1) - (b.index ?? -1)
}

const PRECEDING = 2
const FOLLOWING = 4

function position(node: Ordered, other: Ordered): number {
  const order = compareOrder(node, other)
  if (order === 0) return 0
  return order > 0 ? PRECEDING : FOLLOWING
}

function prefixOf(name: string): string | null {
  const colon = name.indexOf(':')
  return colon === -1 ? null : name.slice(0, colon)
}

function localNameOf(name: string): string {
  return name.slice(name.indexOf(':') + 1)
}
