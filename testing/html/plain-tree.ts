import { ElementNode, type TreeNode } from '../../src/domain/selectors/nodes.ts'

/** An element with its attributes and children, a text, or a comment (8), a doctype or an instruction (7). */
export type PlainNode =
  | { name: string; attributes: Record<string, string | undefined>; children: PlainNode[] }
  | { text: string }
  | { type: 7 | 8; data: string }

/** The nodes below `parent` as plain objects, for comparison with other parsers. Recursion is fine for what tests make. */
export function plainBelow(parent: TreeNode): PlainNode[] {
  const children: PlainNode[] = []
  for (let node = parent.firstChild; node !== null; node = node.next) {
    if (node instanceof ElementNode) {
      const { name, attributeNames } = node
      const attributes = attributeNames.map((key) => [key, (node as ElementNode).attribute(key)])
      children.push({ name, attributes: Object.fromEntries(attributes), children: plainBelow(node) })
    } else if (node.nodeType === 3) children.push({ text: node.data })
    else if (node.nodeType !== 9) children.push({ type: node.nodeType, data: node.data })
  }
  return children
}
