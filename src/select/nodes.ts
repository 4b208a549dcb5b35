/** How a text is read: as browsers read pages, or as feeds and sitemaps are meant. */
export type MarkupKind = 'html' | 'xml'

export type ParentNode = RootNode | ElementNode
export type TreeNode = ParentNode | CharacterNode

/**
 * What all nodes share. Children are a chain, not an array, and a node has a number in document order: a tree is small, and
 * sorting and comparing nodes is cheap. The getters are the names of the DOM, which the XPath evaluator asks for.
 */
abstract class LinkedNode {
  readonly parent: ParentNode | null
  readonly prev: TreeNode | null
  next: TreeNode | null = null
  /** Counts up from the root, 0, as the nodes start in the text. */
  readonly order: number

  /** Does not put the node into its parent: `ParentNode.append` does. */
  constructor(parent: ParentNode | null, order: number) {
    this.parent = parent
    this.prev = parent?.lastChild ?? null
    this.order = order
  }

  get parentNode(): ParentNode | null {
    return this.parent
  }

  get previousSibling(): TreeNode | null {
    return this.prev
  }

  get nextSibling(): TreeNode | null {
    return this.next
  }

  get ownerDocument(): RootNode {
    let top: LinkedNode = this
    while (top.parent !== null) top = top.parent
    return top as RootNode
  }

  compareDocumentPosition(other: TreeNode | AttributeNode): number {
    return position(this, other)
  }
}

abstract class LinkedParent extends LinkedNode {
  firstChild: TreeNode | null = null
  lastChild: TreeNode | null = null

  append(child: TreeNode): void {
    if (this.lastChild === null) this.firstChild = child
    else this.lastChild.next = child
    this.lastChild = child
  }
}

/** The document: parent of the outermost element, and of what stands beside it. */
export class RootNode extends LinkedParent {
  readonly nodeType = 9
  readonly nodeName = '#document'
  /** How many nodes are below it. */
  size = 0

  constructor() {
    super(null, 0)
  }

  get documentElement(): ElementNode | null {
    let child = this.firstChild
    while (child !== null && !(child instanceof ElementNode)) child = child.next
    return child
  }
}

export class ElementNode extends LinkedParent {
  /** As written; lower case in HTML, but for the elements of SVG that have capitals. A prefix is part of it. */
  readonly name: string
  /** Own properties only: a page may name an attribute `constructor`. */
  readonly #attributes: Readonly<Record<string, string>>
  #attributeNodes: AttributeList | undefined

  constructor(parent: ParentNode, order: number, name: string, attributes: Readonly<Record<string, string>>) {
    super(parent, order)
    this.name = name
    this.#attributes = attributes
  }

  get attributeNames(): string[] {
    return Object.keys(this.#attributes)
  }

  attribute(name: string): string | undefined {
    return Object.hasOwn(this.#attributes, name) ? this.#attributes[name] : undefined
  }

  attributeNode(name: string): AttributeNode | undefined {
    return this.attributes.named(name)
  }

  /** The same nodes each time, as results are compared by identity. */
  get attributes(): AttributeList {
    this.#attributeNodes ??= new AttributeList(
      Object.entries(this.#attributes).map(
        ([name, value], index) => new AttributeNode(this, index, name, value),
      ),
    )
    return this.#attributeNodes
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

/** Text, a comment or a processing instruction. */
export class CharacterNode extends LinkedNode {
  /** 3: text, CDATA sections too. 7: a processing instruction or declaration. 8: a comment. */
  readonly nodeType: 3 | 7 | 8
  data: string

  constructor(parent: ParentNode, order: number, nodeType: 3 | 7 | 8, data: string) {
    super(parent, order)
    this.nodeType = nodeType
    this.data = data
  }

  get nodeName(): string {
    if (this.nodeType === 7) return /^[?!]?([^\s?]*)/.exec(this.data)?.[1] ?? ''
    return this.nodeType === 3 ? '#text' : '#comment'
  }

  get nodeValue(): string {
    return this.data
  }

  get firstChild(): null {
    return null
  }
}

export class AttributeNode {
  readonly nodeType = 2
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
