import { ElementNode, type ParentNode, type RootNode, type TreeNode } from '../selectors/nodes.ts'
import { nextBelow, nextPast } from '../selectors/walk.ts'
import { type BoilerplateMark, boilerplateMark } from './boilerplate-marks.ts'
import { BLOCKS, INVISIBLE, JUDGED, PREFORMATTED } from './element-kinds.ts'

/**
 * A tree with the amounts of text in each node. Amounts are characters of visible text, without white space around them. They are
 * stored by the order of nodes: no node gets a field, and large pages need no recursion. Their memory is reused: only `dropped` is valid after
 * another tree was measured.
 */
export class MeasuredTree {
  /** Visible nodes in document order, without the root; text nodes only if they have more than white space. */
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
    const room = roomFor(size)
    this.text = room.text
    this.links = room.links
    this.prose = room.prose
    this.dropped = new Uint8Array(size)
    this.#measureBlocks(room)
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
  #measureBlocks({ block, state, ownText, ownLinks, sentences }: Room): void {
    for (let node = nextBelow(this.root, this.root); node !== null; ) {
      const { order } = node
      const around = node.parent?.order ?? 0
      let inherited = state[around] ?? 0
      if (node instanceof ElementNode) {
        const kind = KINDS.get(node.name) ?? 0
        if ((kind & IS_INVISIBLE) !== 0 || ((kind & IS_JUDGED) !== 0 && this.#isNever(node))) {
          this.dropped[order] = 1
          node = nextPast(node, this.root)
          continue
        }
        if (node.name === 'a' && node.hasAttribute('href')) inherited |= IN_LINK
        else if ((kind & IS_PREFORMATTED) !== 0) inherited |= IN_PRE
        block[order] = (kind & IS_BLOCK) !== 0 ? order : (block[around] ?? 0)
        this.nodes.push(node)
      } else if (node.nodeType === 3 && !node.isBlank) {
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

  /** Whether readers do not see the element. Keeps what else its names tell. */
  #isNever(element: ElementNode): boolean {
    const mark = boilerplateMark(element)
    if (mark !== undefined) this.marks.set(element, mark)
    return mark === 'never'
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

/** Numbers of the nodes of one tree, by their order. */
interface Room {
  readonly text: Float64Array
  readonly links: Float64Array
  readonly prose: Float64Array
  /** The block that a node belongs to, by its order. */
  readonly block: Int32Array
  /** `IN_LINK` and `IN_PRE`. */
  readonly state: Uint8Array
  /** Of blocks: text, text in links, and whether there is the end of a sentence. */
  readonly ownText: Float64Array
  readonly ownLinks: Float64Array
  readonly sentences: Uint8Array
}

/** With zeros for `size` nodes. Trees are measured one after the other, so all share it: new arrays for each would take a tenth of the time. */
function roomFor(size: number): Room {
  let room = shared
  if (size > room.block.length) {
    room = newRoom(Math.max(size, room.block.length * 2))
    if (room.block.length <= MAX_SHARED_NODES) shared = room
  } else for (const numbers of Object.values(room) as Float64Array[]) numbers.fill(0, 0, size)
  return room
}

function newRoom(size: number): Room {
  return {
    text: new Float64Array(size),
    links: new Float64Array(size),
    prose: new Float64Array(size),
    block: new Int32Array(size),
    state: new Uint8Array(size),
    ownText: new Float64Array(size),
    ownLinks: new Float64Array(size),
    sentences: new Uint8Array(size),
  }
}

/** A larger one, made for a giant page, is not kept. */
const MAX_SHARED_NODES = 131_072
let shared = newRoom(8_192)

const IS_INVISIBLE = 1
const IS_BLOCK = 2
const IS_JUDGED = 4
const IS_PREFORMATTED = 8
/** All kinds of an element by its name, in one lookup. */
const KINDS: ReadonlyMap<string, number> = kindsOf([
  [INVISIBLE, IS_INVISIBLE],
  [BLOCKS, IS_BLOCK],
  [JUDGED, IS_JUDGED],
  [PREFORMATTED, IS_PREFORMATTED],
])

function kindsOf(lists: readonly (readonly [ReadonlySet<string>, number])[]): Map<string, number> {
  const kinds = new Map<string, number>()
  for (const [names, bit] of lists) for (const name of names) kinds.set(name, (kinds.get(name) ?? 0) | bit)
  return kinds
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
