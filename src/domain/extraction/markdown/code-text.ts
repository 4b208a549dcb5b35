import { ElementNode, type TreeNode } from '../../selectors/nodes.ts'
import { nextPast } from '../../selectors/walk.ts'

/** The text of preformatted content, without line numbers and without empty lines at its ends. */
export function codeText(pre: ElementNode, isDropped: (node: TreeNode) => boolean): string {
  let text = ''
  let node: TreeNode | null = pre.firstChild
  while (node !== null) {
    const isHidden: boolean = isDropped(node) || isLineNumber(node)
    if (!isHidden && node.nodeType === 3) text += node.data
    else if (!isHidden && node instanceof ElementNode && node.name === 'br') text += '\n'
    node = (isHidden ? null : node.firstChild) ?? nextPast(node, pre)
  }
  return text.replace(/^(?:[ \t]*\n)+/, '').trimEnd()
}

function isLineNumber(node: TreeNode): boolean {
  return (
    node instanceof ElementNode &&
    /(?:^|\s)(?:linenos?|line-numbers?|gutter)(?:\s|$)/.test(node.attribute('class') ?? '')
  )
}
