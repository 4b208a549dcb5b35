import { RAW_TEXT } from './decode-markup.ts'
import { CharacterNode, ElementNode, type MarkupKind, type TreeNode } from './nodes.ts'
import { nextPast } from './walk.ts'

/** Serializes a node as the HTML standard and XML do; the result may differ from the source text. */
export function outerMarkup(node: TreeNode, kind: MarkupKind): string {
  if (node instanceof CharacterNode) return characters(node, kind)
  if (!(node instanceof ElementNode)) return innerMarkup(node, kind)
  return startTag(node, kind) + (isEmpty(node, kind) ? '' : innerMarkup(node, kind) + endTag(node))
}

/** What is between the tags of a node. */
export function innerMarkup(top: TreeNode, kind: MarkupKind): string {
  let markup = ''
  let node = top.firstChild
  while (node !== null) {
    markup += node instanceof ElementNode ? startTag(node, kind) : outerMarkup(node, kind)
    const inside: TreeNode | null = node.firstChild
    if (inside === null) {
      if (node instanceof ElementNode && !isEmpty(node, kind)) markup += endTag(node)
      const next = nextPast(node, top)
      const around = next?.parent ?? top
      for (let at = node.parent; at !== null && at !== around && at !== top; at = at.parent)
        markup += endTag(at)
      node = next
    } else node = inside
  }
  return markup
}

const VOID = new Set(
  'area base basefont bgsound br col embed frame hr img input keygen link meta param source track wbr'.split(
    ' ',
  ),
)

function isEmpty(element: ElementNode, kind: MarkupKind): boolean {
  return kind === 'html' ? VOID.has(element.name) : element.firstChild === null
}

function startTag(element: ElementNode, kind: MarkupKind): string {
  let tag = `<${element.name}`
  for (const name of element.attributeNames)
    tag += ` ${name}="${escaped(element.attribute(name) ?? '', kind, true)}"`
  return `${tag}${kind === 'xml' && isEmpty(element, kind) ? '/' : ''}>`
}

function endTag(node: TreeNode): string {
  return node instanceof ElementNode ? `</${node.name}>` : ''
}

function characters(node: CharacterNode, kind: MarkupKind): string {
  if (node.nodeType === 8) return `<!--${node.data}-->`
  if (node.nodeType === 7) return `<${node.data}${node.data.startsWith('?') ? '?' : ''}>`
  const isRaw = kind === 'html' && node.parent instanceof ElementNode && RAW_TEXT.has(node.parent.name)
  return isRaw ? node.data : escaped(node.data, kind, false)
}

function escaped(text: string, kind: MarkupKind, inAttribute: boolean): string {
  if (!/[&<>"\u00a0]/.test(text)) return text
  let safe = text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
  if (inAttribute) safe = safe.replaceAll('"', '&quot;')
  return kind === 'html' ? safe.replaceAll('\u00a0', '&nbsp;') : safe
}
