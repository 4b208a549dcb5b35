import { ElementNode, type ParentNode, type RootNode, type TreeNode } from '../selectors/nodes.ts'
import { nextBelow, nextPast } from '../selectors/walk.ts'
import { type BoilerplateMark, boilerplateMark } from './boilerplate-marks.ts'
import { BLOCKS, INVISIBLE, JUDGED, PREFORMATTED } from './element-kinds.ts'

/**
 * A tree with the amounts of text in each node. Amounts are characters of visible text, without white space around them. They are
 * stored by the order of nodes: no node gets a field, and large pages need no recursion.
 */
export class MeasuredTree {
  /** Visible nodes in document order, without the root. */
  readonly nodes: TreeNode[] = []
  /** Text, text in links, and prose: text outside links in blocks that read like sentences. */
  readonly text: Float64Array
  readonly links: Float64Array
  readonly prose: Float64Array
  /** 1: the node is not part of the main content. Also set for invisible nodes. */
  readonly dropped: Uint8Array
  readonly marks = new Map<ElementNode, BoilerplateMark>()
  readonly root: RootNode

  constructor(root: RootNode) {
    this.root = root
    const size = root.size + 1
    this.text = new Float64Array(size)
    this.links = new Float64Array(size)
    this.prose = new Float64Array(size)
    this.dropped = new Uint8Array(size)
    this.#measureBlocks(size)
    this.#addUp()
  }

  /** The part of the text that is in links, from 0 to 1. */
  linkDensity(node: TreeNode): number {
    const text = this.text[node.order] ?? 0
    return text === 0 ? 0 : (this.links[node.order] ?? 0) / text
  }

  linksIn(node: TreeNode): number {
    return this.links[node.order] ?? 0
  }

  proseIn(node: TreeNode): number {
    return this.prose[node.order] ?? 0
  }

  textIn(node: TreeNode): number {
    return this.text[node.order] ?? 0
  }

  /** Takes a node and all inside it out of the main content, and its amounts out of the nodes around it. */
  drop(node: TreeNode): void {
    if (this.dropped[node.order] !== 0) return
    this.dropped[node.order] = 1
    const text = this.text[node.order] ?? 0
    const links = this.links[node.order] ?? 0
    const prose = this.prose[node.order] ?? 0
    for (let at: ParentNode | null = node.parent; at !== null; at = at.parent) {
      this.text[at.order] = (this.text[at.order] ?? 0) - text
      this.links[at.order] = (this.links[at.order] ?? 0) - links
      this.prose[at.order] = (this.prose[at.order] ?? 0) - prose
    }
  }

  /** Text is added to its block; a second look decides which blocks are prose. */
  #measureBlocks(size: number): void {
    const block = new Int32Array(size)
    const state = new Uint8Array(size)
    const ownText = new Float64Array(size)
    const ownLinks = new Float64Array(size)
    const sentences = new Uint8Array(size)
    for (let node = nextBelow(this.root, this.root); node !== null; ) {
      const { order } = node
      const around = node.parent?.order ?? 0
      let inherited = state[around] ?? 0
      if (node instanceof ElementNode) {
        const { name } = node
        const mark = this.#markOf(node)
        if (mark === 'never') {
          this.dropped[order] = 1
          node = nextPast(node, this.root)
          continue
        }
        if (name === 'a' && node.attribute('href') !== undefined) inherited |= IN_LINK
        else if (PREFORMATTED.has(name)) inherited |= IN_PRE
        block[order] = BLOCKS.has(name) ? order : (block[around] ?? 0)
        this.nodes.push(node)
      } else if (node.nodeType === 3) {
        const own = block[around] ?? 0
        const { data } = node
        const length = amountOf(data)
        if (length > 0) {
          ownText[own] = (ownText[own] ?? 0) + length
          if ((inherited & IN_LINK) !== 0) ownLinks[own] = (ownLinks[own] ?? 0) + length
          if (sentences[own] === 0 && STOP.test(data)) sentences[own] = 1
          this.text[order] = length
          if ((inherited & IN_LINK) !== 0) this.links[order] = length
        }
        block[order] = own
        this.nodes.push(node)
      }
      state[order] = inherited
      node = nextBelow(node, this.root)
    }
    for (const { order, nodeType } of this.nodes) {
      const own = block[order] ?? 0
      if (nodeType !== 3 || (this.text[order] ?? 0) === 0) continue
      const plain = (ownText[own] ?? 0) - (ownLinks[own] ?? 0)
      const isProse =
        ((state[order] ?? 0) & IN_PRE) !== 0 ||
        plain >= LONG_TEXT ||
        (plain >= SHORT_SENTENCE && (sentences[own] ?? 0) > 0 && plain * 2 > (ownText[own] ?? 0))
      if (isProse) this.prose[order] = (this.text[order] ?? 0) - (this.links[order] ?? 0)
    }
  }

  #markOf(element: ElementNode): BoilerplateMark {
    if (INVISIBLE.has(element.name)) return 'never'
    if (!JUDGED.has(element.name)) return undefined
    const mark = boilerplateMark(element)
    if (mark !== undefined) this.marks.set(element, mark)
    return mark
  }

  #addUp(): void {
    for (let i = this.nodes.length - 1; i >= 0; i--) {
      const node = this.nodes[i]
      if (node === undefined) continue
      const around = node.parent?.order ?? 0
      this.text[around] = (this.text[around] ?? 0) + (this.text[node.order] ?? 0)
      this.links[around] = (this.links[around] ?? 0) + (this.links[node.order] ?? 0)
      this.prose[around] = (this.prose[around] ?? 0) + (this.prose[node.order] ?? 0)
    }
  }
}

const IN_LINK = 1
const IN_PRE = 2
/** Characters without white space of a block that is prose without a full stop, and with one. */
const LONG_TEXT = 100
const SHORT_SENTENCE = 30

/** About the characters of a text; those of scripts without spaces count more, as one is almost a word. */
function amountOf(text: string): number {
  const { length } = text.trim()
  return length > 0 && WIDE.test(text) ? length * 2.5 : length
}

const WIDE = /[\u2e80-\ufaff]/
/** Ends of sentences, and commas. */
const STOP = /[.,;!?\u3001\u3002\uff0c\uff01\uff1f\u060c\u061f\u0964]/
