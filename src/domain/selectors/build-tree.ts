import { buildHtmlTree } from './build-html-tree.ts'
import { buildXmlTree } from './build-xml-tree.ts'
import type { MarkupKind, RootNode } from './nodes.ts'

/** Takes anything for markup and never throws. */
export function buildTree(text: string, kind: MarkupKind): RootNode {
  const lines = text.includes('\r') ? text.replace(/\r\n?/g, '\n') : text
  return kind === 'html' ? buildHtmlTree(lines) : buildXmlTree(lines)
}
