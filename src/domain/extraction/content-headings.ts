import { ElementNode, type TreeNode } from '../selectors/nodes.ts'
import { nextPast } from '../selectors/walk.ts'
import { contentText } from './content-text.ts'
import type { MainContent } from './find-main-content.ts'

/** The headings of a content (h1 to h3), in order, each in one line; the first ones of a page with very many. */
export function contentHeadings({ top, isDropped }: MainContent): string[] {
  const headings: string[] = []
  let node: TreeNode | null = top.firstChild
  while (node !== null && headings.length < MAX_HEADINGS) {
    let inside: TreeNode | null = null
    if (node instanceof ElementNode && !isDropped(node)) {
      if (HEADINGS.has(node.name)) {
        const text = contentText({ top: node, isDropped }).replace(/\s+/g, ' ').trim().slice(0, MAX_CHARS)
        if (text !== '') headings.push(text)
      } else inside = node.firstChild
    }
    node = inside ?? nextPast(node, top)
  }
  return headings
}

const HEADINGS: ReadonlySet<string> = new Set(['h1', 'h2', 'h3'])
const MAX_HEADINGS = 100
const MAX_CHARS = 200
