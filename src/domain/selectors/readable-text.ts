import { collapseSpace } from '../html/characters.ts'
import { START } from '../html/name-trie.ts'
import { TAG_BITS, TAG_TRIE } from '../html/tags.ts'
import { ElementNode, type MarkupKind, type TreeNode } from './nodes.ts'
import { nextBelow, nextPast } from './walk.ts'

/**
 * The text in a node as a reader sees it, in one line: white space collapsed, a space where a block, a cell or a line
 * ends. Scripts, styles, images and the title inside it are not text, unless they are selected themselves.
 * In XML every element is a block.
 */
export function readableText(top: TreeNode, kind: MarkupKind): string {
  if (!(top instanceof ElementNode) && top.nodeType !== 9) return collapseSpace(top.data)
  let text = ''
  let node = top.firstChild
  while (node !== null) {
    const inside: TreeNode | null = isHidden(node, kind) ? null : node.firstChild
    if (node.nodeType === 3) text += node.data
    else if (breaks(node, kind)) text += ' '
    const next: TreeNode | null = inside ?? nextPast(node, top)
    if (inside === null) text += breaksBetween(node, next, kind)
    node = next
  }
  return collapseSpace(text)
}

const HIDDEN = new Set(['iframe', 'noembed', 'noframes', 'script', 'style', 'svg', 'template', 'title'])

function isHidden(node: TreeNode, kind: MarkupKind): boolean {
  return kind === 'html' && node instanceof ElementNode && HIDDEN.has(node.name)
}

/** The ends of the elements around `node` that end before `next`. */
function breaksBetween(node: TreeNode, next: TreeNode | null, kind: MarkupKind): string {
  const around = next?.parent ?? null
  for (let at = node.parent; at !== null && at !== around; at = at.parent) if (breaks(at, kind)) return ' '
  return ''
}

/** The scanner's own list, so that both read a page the same way. */
function breaks(node: TreeNode, kind: MarkupKind): boolean {
  if (!(node instanceof ElementNode)) return false
  if (kind === 'xml') return true
  let state = START
  for (let i = 0; i < node.name.length; i++) state = TAG_TRIE.step(state, node.name.charCodeAt(i))
  return (TAG_TRIE.valueAt(state) & TAG_BITS.breaks) !== 0
}

/** All text in a node as in the source, scripts included: the string value of XPath. */
export function plainText(top: TreeNode): string {
  if (top.nodeType === 3) return top.data
  let text = ''
  for (let node = nextBelow(top, top); node !== null; node = nextBelow(node, top)) {
    if (node.nodeType === 3) text += node.data
  }
  return text
}
