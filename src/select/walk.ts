import type { TreeNode } from './nodes.ts'

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
