import { type AttributeNode, compareOrder, ElementNode, type TreeNode } from './nodes.ts'

/** The node after `node` in document order, below `top`; `null` at the end. Needs no stack, however deep the tree is. */
export function nextBelow(node: TreeNode, top: TreeNode): TreeNode | null {
  return node.firstChild ?? nextPast(node, top)
}

/** The same, leaving out what is inside `node`. */
export function nextPast(node: TreeNode, top: TreeNode): TreeNode | null {
  for (let at: TreeNode = node; at !== top; ) {
    if (at.next !== null) return at.next
    if (at.parent === null) return null
    at = at.parent
  }
  return null
}

/** The number of the first node after everything in `node`; `Infinity`: there is none. */
export function orderAfter(node: TreeNode): number {
  for (let at: TreeNode | null = node; at !== null; at = at.parent) if (at.next !== null) return at.next.order
  return Number.POSITIVE_INFINITY
}

/** The element before `node` with the same parent. */
export function prevElement(node: TreeNode): ElementNode | null {
  let sibling = node.prev
  while (sibling !== null && !(sibling instanceof ElementNode)) sibling = sibling.prev
  return sibling
}

/** Sorts nodes in document order without duplicates. A sorted list, the usual case, is returned unchanged. */
export function inOrder<Item extends TreeNode | AttributeNode>(nodes: readonly Item[]): readonly Item[] {
  let last: Item | undefined
  for (const node of nodes) {
    if (last !== undefined && compareOrder(last, node) >= 0) return [...new Set(nodes)].sort(compareOrder)
    last = node
  }
  return nodes
}
