import type { ElementNode, RootNode, TreeNode } from './nodes.ts'
import { nextBelow, orderBehind } from './walk.ts'

/**
 * `:contains()` and `:icontains()`: whether `wanted` is in the text of an element. The text of the page is put together once: that of an element is a part of it.
 */
export function containsText(element: ElementNode, wanted: string, mode: TextMode): boolean {
  const key = mode === 'exact' ? wanted : wanted.toLowerCase()
  const known = searchFor(element, mode)
  const { text, starts } = known.text
  const start = starts[element.order] ?? 0
  const end = starts[orderBehind(element)] ?? text.length
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
