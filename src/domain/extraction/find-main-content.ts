import { ElementNode, type ParentNode, type RootNode, type TreeNode } from '../selectors/nodes.ts'
import { nextBelow } from '../selectors/walk.ts'
import { isMarkedAsMain } from './boilerplate-marks.ts'
import { BLOCKS, CONTAINERS, HEADINGS } from './element-kinds.ts'
import { MeasuredTree } from './measured-tree.ts'

/** The part of a page that is its content, without navigation, banners, notices, sidebars and footers. */
export interface MainContent {
  /** The innermost element around it. */
  readonly top: ParentNode
  /** Whether a node below `top` is left out, with all inside it. */
  isDropped(node: TreeNode): boolean
}

/**
 * Finds the main content of a page. Text decides, names of elements and classes help: boilerplate is what is marked as such
 * and has little prose, or has mostly links and is at the edge. A page of links only, such as an index, keeps them.
 */
export function findMainContent(root: RootNode): MainContent {
  const tree = new MeasuredTree(root)
  dropMarked(tree)
  const top = findTop(tree)
  dropEdges(tree, top)
  const { dropped } = tree
  return { top, isDropped: (node) => dropped[node.order] !== 0 }
}

/** Elements that are boilerplate by their names. */
function dropMarked(tree: MeasuredTree): void {
  const all = tree.proseIn(tree.root)
  const allText = tree.textIn(tree.root)
  for (const [element, mark] of tree.marks) {
    if (isInside(tree, element)) continue
    const prose = tree.proseIn(element)
    const text = tree.textIn(element)
    if (
      mark === 'strong' ? isMost(prose, all) || isMost(text, allText) : isContent(tree, element, prose, all)
    )
      continue
    tree.drop(element)
  }
}

function isMost(part: number, all: number): boolean {
  return part > all / 2
}

/** A weakly marked element is content when it has prose and few links: a box next to the text, a header with the lead. */
function isContent(tree: MeasuredTree, element: ElementNode, prose: number, all: number): boolean {
  if (isMost(prose, all) && prose >= MIN_PROSE) return true
  if (element.name === 'header' && hasHeading(element, 'h1')) return tree.linkDensity(element) < MOSTLY_LINKS
  return prose >= MIN_PROSE && tree.linkDensity(element) < SOME_LINKS && !isAtPageEdge(element)
}

/** Footers and headers of the page, rather than of one of its sections. */
function isAtPageEdge({ name, parent }: ElementNode): boolean {
  return (name === 'footer' || name === 'header') && (parent === null || !SECTIONS.has(parent.name))
}

const SECTIONS = new Set(['article', 'section', 'main'])
const MIN_PROSE = 120
const SOME_LINKS = 0.35
const MOSTLY_LINKS = 0.5

function isInside(tree: MeasuredTree, node: TreeNode): boolean {
  for (let at = node.parent; at !== null; at = at.parent) if (tree.dropped[at.order] !== 0) return true
  return false
}

function hasHeading(element: ElementNode, name: string): boolean {
  for (let node = nextBelow(element, element); node !== null; node = nextBelow(node, element))
    if (node.nodeType === 1 && node.name === name) return true
  return false
}

/** The element around the content: a marked one, or the innermost that has nearly all prose and no heading next to it. */
function findTop(tree: MeasuredTree): ParentNode {
  const marked = findMarkedMain(tree)
  let top: ParentNode = marked ?? tree.root
  for (;;) {
    const inner = dominantChild(tree, top)
    if (inner === undefined) return top
    top = inner
  }
}

/** `undefined`: no element says that it is the main content, or it has less than half of the text. */
function findMarkedMain(tree: MeasuredTree): ElementNode | undefined {
  let best: ElementNode | undefined
  for (const node of tree.nodes) {
    if (!(node instanceof ElementNode) || !CONTAINERS.has(node.name) || !isMarkedAsMain(node)) continue
    if (best === undefined || tree.textIn(node) > tree.textIn(best)) best = node
  }
  if (best === undefined || isInside(tree, best)) return undefined
  const worth = tree.proseIn(tree.root) > 0 ? tree.proseIn(best) / tree.proseIn(tree.root) : 1
  return worth >= 0.4 ? best : undefined
}

function dominantChild(tree: MeasuredTree, top: ParentNode): ElementNode | undefined {
  const prose = tree.proseIn(top)
  let best: ElementNode | undefined
  for (let child = top.firstChild; child !== null; child = child.next) {
    if (child instanceof ElementNode && CONTAINERS.has(child.name) && child.name !== 'p')
      if (tree.dropped[child.order] === 0 && (best === undefined || worth(tree, child) > worth(tree, best)))
        best = child
  }
  if (best === undefined || tree.textIn(best) === 0) return undefined
  if (LISTS.has(best.name)) return undefined
  // A page without prose: continue while nothing is lost.
  if (prose < MIN_PROSE) return tree.textIn(best) >= tree.textIn(top) * 0.999 ? best : undefined
  if (tree.proseIn(best) < prose * 0.8) return undefined
  for (let child = top.firstChild; child !== null; child = child.next)
    if (child !== best && tree.dropped[child.order] === 0 && belongs(tree, child, prose)) return undefined
  return best
}

const LISTS = new Set(['ul', 'ol', 'dl', 'menu'])

function worth(tree: MeasuredTree, node: TreeNode): number {
  return tree.proseIn(node) + tree.textIn(node) / 1000
}

/** Whether a sibling of the best child is content as well. */
function belongs(tree: MeasuredTree, node: TreeNode, prose: number): boolean {
  if (!(node instanceof ElementNode)) return tree.textIn(node) >= 40
  if (HEADINGS.has(node.name)) return tree.linkDensity(node) < 0.9
  const own = tree.proseIn(node)
  if (own === 0) return false
  if (node.name === 'p' || node.name === 'pre' || node.name === 'blockquote')
    return tree.linkDensity(node) < SOME_LINKS
  return (own >= MIN_PROSE || own >= prose * 0.15) && tree.linkDensity(node) < MOSTLY_LINKS
}

/**
 * Links before the first and after the last prose of the content: crumbs, languages, previous and next. A page that has
 * mostly links keeps them.
 */
function dropEdges(tree: MeasuredTree, top: ParentNode): void {
  if (tree.proseIn(top) < MIN_PROSE || tree.proseIn(top) * 2 < tree.linksIn(top)) return
  for (const child of edgeBlocks(tree, top, 'start')) tree.drop(child)
  for (const child of edgeBlocks(tree, top, 'end')) tree.drop(child)
}

/** Blocks of links at one end, until a block that is content. Descends into the first and last containers. */
function edgeBlocks(tree: MeasuredTree, top: ParentNode, end: 'start' | 'end'): TreeNode[] {
  const found: TreeNode[] = []
  let child = end === 'start' ? top.firstChild : top.lastChild
  while (child !== null) {
    if (tree.dropped[child.order] === 0 && tree.textIn(child) > 0) {
      if (isLinkBlock(tree, child)) found.push(child)
      else if (
        child instanceof ElementNode &&
        CONTAINERS.has(child.name) &&
        BLOCKS.has(child.name) &&
        child.name !== 'p'
      )
        return [...found, ...edgeBlocks(tree, child, end)]
      else return found
    }
    child = end === 'start' ? child.next : child.prev
  }
  return found
}

function isLinkBlock(tree: MeasuredTree, node: TreeNode): boolean {
  if (!(node instanceof ElementNode) || HEADINGS.has(node.name)) return false
  return tree.proseIn(node) === 0 && tree.linkDensity(node) >= (node.name === 'p' ? 0.8 : MOSTLY_LINKS)
}
