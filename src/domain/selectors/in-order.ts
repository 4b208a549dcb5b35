import { type AttributeNode, compareOrder, type TreeNode } from './nodes.ts'

/** In document order, nothing twice. What is in order already, as it mostly is, is given back as it came. */
export function inOrder<Item extends TreeNode | AttributeNode>(nodes: readonly Item[]): readonly Item[] {
  let last: Item | undefined
  for (const node of nodes) {
    if (last !== undefined && compareOrder(last, node) >= 0) return [...new Set(nodes)].sort(compareOrder)
    last = node
  }
  return nodes
}
