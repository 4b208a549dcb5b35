import { ElementNode, type TreeNode } from '../selectors/nodes.ts'
import { nextPast } from '../selectors/walk.ts'
import { contentText } from './content-text.ts'
import { HEADINGS } from './element-kinds.ts'
import type { MainContent } from './find-main-content.ts'

/**
 * The headings of a content, and the terms that it defines: of a `<dt>` that a link can lead to, the text before the parameters; and
 * paragraphs that are bold as a whole. In order, each in one line; the first ones of a page with very many.
 */
export function contentHeadings({ top, isDropped }: MainContent): string[] {
  const headings: string[] = []
  let node: TreeNode | null = top.firstChild
  while (node !== null && headings.length < MAX_HEADINGS) {
    let inside: TreeNode | null = null
    if (node instanceof ElementNode && !isDropped(node)) {
      const isTerm = node.name === 'dt' && hasTarget(node)
      if (isTerm || HEADINGS.has(node.name) || (node.name === 'p' && isBold(node))) {
        const text = contentText({ top: node, isDropped }).replace(/\s+/g, ' ')
        const line = (isTerm ? text.split('(', 1).join() : text).slice(0, MAX_CHARS).trim()
        if (line !== '') headings.push(line)
      } else inside = node.firstChild
    }
    node = inside ?? nextPast(node, top)
  }
  return headings
}

/** Whether a link can lead to it, or to something directly in it. */
function hasTarget(element: ElementNode): boolean {
  if (element.hasAttribute('id')) return true
  for (let child = element.firstChild; child !== null; child = child.next)
    if (child instanceof ElementNode && (child.hasAttribute('id') || child.hasAttribute('name'))) return true
  return false
}

/** Whether all its text is in one bold element. */
function isBold(element: ElementNode): boolean {
  let bold: ElementNode | undefined
  for (let child = element.firstChild; child !== null; child = child.next) {
    if (child instanceof ElementNode) {
      if (!BOLD.has(child.name)) {
        if (child.firstChild !== null) return false
      } else if (bold !== undefined) return false
      else bold = child
    } else if (child.nodeType === 3 && !child.isBlank && child.data.trim() !== '') return false
  }
  return bold !== undefined
}

const BOLD: ReadonlySet<string> = new Set(['b', 'strong'])
const MAX_HEADINGS = 600
const MAX_CHARS = 200
