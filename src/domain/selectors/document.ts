import { buildHtmlTree } from './build-html-tree.ts'
import { buildXmlTree } from './build-xml-tree.ts'
import type { MarkupKind, RootNode } from './nodes.ts'
import { Selection } from './selection.ts'

export interface MarkupOptions {
  /** `html`: as browsers read pages. `xml`: feeds, sitemaps; names as they are written, CDATA, no implied end tags. */
  readonly kind: MarkupKind
}

/**
 * Reads a text as a document to select from. Takes anything and never throws. This is where the CPU time of a
 * spider goes: call it when something is selected, not before.
 */
export function parseDocument(text: string, { kind }: MarkupOptions): Selection {
  return new Selection([buildTree(text, kind)], kind)
}

/** Takes anything for markup and never throws. */
export function buildTree(text: string, kind: MarkupKind): RootNode {
  const lines = text.includes('\r') ? text.replace(/\r\n?/g, '\n') : text
  return kind === 'html' ? buildHtmlTree(lines) : buildXmlTree(lines)
}
