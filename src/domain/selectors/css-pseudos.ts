import type { Options } from 'css-select'
import { containsText } from './contains-text.ts'
import { hasLanguage } from './element-language.ts'
import { ElementNode, type TreeNode } from './nodes.ts'
import { POSITION_PSEUDOS } from './nth-position.ts'
import { plainText } from './plain-text.ts'
import { prevElement } from './walk.ts'

type CssOptions = Options<TreeNode, ElementNode>

/** Pseudo-classes for which css-select looks at all siblings, ancestors or texts anew for each element. */
export const CSS_PSEUDOS: NonNullable<CssOptions['pseudos']> = {
  ...POSITION_PSEUDOS,
  contains: (element, text) => containsText(element, text ?? '', 'exact'),
  icontains: (element, text) => containsText(element, text ?? '', 'any-case'),
  lang: (element, ranges) => hasLanguage(element, ranges ?? ''),
}

export const CSS_ADAPTER: NonNullable<CssOptions['adapter']> = {
  isTag: (node): node is ElementNode => node instanceof ElementNode,
  getName: (element) => element.name,
  getAttributeValue: (element, name) => element.attribute(name),
  hasAttrib: (element, name) => element.attribute(name) !== undefined,
  getParent: (node) => node.parent,
  getChildren: childrenOf,
  getSiblings: (node) => (node.parent === null ? [node] : childrenOf(node.parent)),
  prevElementSibling: prevElement,
  getText: plainText,
  removeSubsets: (nodes) => nodes,
}

function childrenOf(parent: TreeNode): TreeNode[] {
  const children: TreeNode[] = []
  for (let child = parent.firstChild; child !== null; child = child.next) children.push(child)
  return children
}
