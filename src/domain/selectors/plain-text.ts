import type { TreeNode } from './nodes.ts'
import { nextBelow } from './walk.ts'

/** All text in a node as it stands in the source, scripts included: the string value of XPath. */
export function plainText(top: TreeNode): string {
  if (top.nodeType === 3) return top.data
  let text = ''
  for (let node = nextBelow(top, top); node !== null; node = nextBelow(node, top)) {
    if (node.nodeType === 3) text += node.data
  }
  return text
}
