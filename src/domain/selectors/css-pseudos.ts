import type { Options } from 'css-select'
import { ElementNode, type RootNode, type TreeNode } from './nodes.ts'
import { POSITION_PSEUDOS } from './nth-position.ts'
import { plainText } from './readable-text.ts'
import { nextBelow, orderAfter, prevElement } from './walk.ts'

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

/**
 * `:contains()` and `:icontains()`: whether `wanted` is in the text of an element. The text of the page is put together once: that of an element is a part of it.
 */
function containsText(element: ElementNode, wanted: string, mode: TextMode): boolean {
  const key = mode === 'exact' ? wanted : wanted.toLowerCase()
  const known = searchFor(element, mode)
  const { text, starts } = known.text
  const start = starts[element.order] ?? 0
  const end = starts[orderAfter(element)] ?? text.length
  const { last } = known
  // Elements come in document order: what was looked through for one need not be looked through again.
  if (last === undefined || last.wanted !== key || start < last.from || start > last.at) {
    const found = text.indexOf(key, start)
    known.last = { wanted: key, from: start, at: found === -1 ? Number.POSITIVE_INFINITY : found }
  }
  return (known.last?.at ?? 0) + key.length <= end
}

type TextMode = 'exact' | 'any-case'

interface PageText {
  readonly text: string
  /** Where the text of each node begins, by its number. */
  readonly starts: Uint32Array
}

/** The last place that was found, and the one it was looked for from. */
interface Search {
  readonly text: PageText
  last: { readonly wanted: string; readonly from: number; readonly at: number } | undefined
}

const searches = {
  exact: new WeakMap<TreeNode, Search>(),
  'any-case': new WeakMap<TreeNode, Search>(),
}

/** One for a page; known by the parents too, as the way up to the page is long. */
function searchFor(element: ElementNode, mode: TextMode): Search {
  const parent = element.parent ?? element
  const known = searches[mode].get(parent)
  if (known !== undefined) return known
  const root = element.ownerDocument
  const search = searches[mode].get(root) ?? { text: pageText(root, mode), last: undefined }
  searches[mode].set(root, search).set(parent, search)
  return search
}

function pageText(root: RootNode, mode: TextMode): PageText {
  const starts = new Uint32Array(root.size + 1)
  let text = ''
  for (let node = nextBelow(root, root); node !== null; node = nextBelow(node, root)) {
    starts[node.order] = text.length
    if (node.nodeType === 3) text += mode === 'exact' ? node.data : node.data.toLowerCase()
  }
  return { text, starts }
}

/** `:lang(en, "de-*")`: whether the language of an element is in one of the ranges, by the extended filtering of RFC 4647. */
function hasLanguage(element: ElementNode, ranges: string): boolean {
  const tag = (languageOf(element) ?? '').toLowerCase().split('-')
  return ranges
    .split(',')
    .map((range) => range.trim())
    .filter((range) => range !== '')
    .map((range) =>
      range
        .replace(/^['"]|['"]$/g, '')
        .toLowerCase()
        .split('-'),
    )
    .some((range) => (tag[0] === '' ? range[0] === '' : isInRange(tag, range)))
}

/** By the element around those that have none of their own. */
const inherited = new WeakMap<ElementNode, string | undefined>()

/** Its own `lang`, or that of the nearest element around it. `undefined`: none has one. */
function languageOf(element: ElementNode): string | undefined {
  const own = element.attribute('xml:lang') ?? element.attribute('lang')
  const { parent } = element
  if (own !== undefined || !(parent instanceof ElementNode)) return own
  if (inherited.has(parent)) return inherited.get(parent)
  // No page is deeper than MAX_DEPTH.
  const language = languageOf(parent)
  inherited.set(parent, language)
  return language
}

function isInRange([first, ...subtags]: readonly string[], [wanted, ...others]: readonly string[]): boolean {
  if (wanted !== '*' && wanted !== first) return false
  let at = 0
  for (const range of others.filter((one) => one !== '*')) {
    // A subtag of one letter begins a part that is not skipped.
    while (at < subtags.length && subtags[at] !== range) if ((subtags[at++]?.length ?? 0) <= 1) return false
    if (at++ >= subtags.length) return false
  }
  return true
}
