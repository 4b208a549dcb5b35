import { _compileUnsafe, type Options } from 'css-select'
import { LruMap } from '../base/lru-map.ts'
import { BadSelector } from './bad-selector.ts'
import { splitEndings, type Wanted } from './css-ending.ts'
import { inOrder } from './in-order.ts'
import {
  type AttributeNode,
  CharacterNode,
  ElementNode,
  type MarkupKind,
  RootNode,
  type TreeNode,
} from './nodes.ts'
import { NTH_PSEUDOS, nthProblem } from './nth-position.ts'
import { plainText } from './plain-text.ts'
import { orderBehind } from './walk.ts'

/**
 * What a CSS selector finds below the nodes of `scope`, in document order, nothing twice. The selector is relative to them:
 * `a` is any link inside, `> a` a child, `+ a` the next sibling, `:scope` the node itself.
 *
 * @param orSelf the nodes of `scope` may be among what is found
 * @throws BadSelector
 */
export function selectCss(
  scope: readonly TreeNode[],
  selector: string,
  kind: MarkupKind,
  orSelf = false,
): ReadonlyArray<TreeNode | AttributeNode> {
  const found: Array<TreeNode | AttributeNode> = []
  for (const node of scope) {
    if (node instanceof CharacterNode) continue
    for (const query of compiled(selector, kind, node instanceof RootNode ? 'document' : 'element')) {
      query.run(node, found, orSelf)
    }
  }
  return inOrder(found)
}

type Matches = ReturnType<typeof _compileUnsafe<TreeNode, ElementNode>>
type CssOptions = Options<TreeNode, ElementNode>

/** Selectors are few and used on every page. */
const caches = {
  html: { document: newCache(), element: newCache() },
  xml: { document: newCache(), element: newCache() },
}

function newCache(): LruMap<string, readonly Query[]> {
  return new LruMap(500)
}

function compiled(selector: string, kind: MarkupKind, scope: 'document' | 'element'): readonly Query[] {
  const cache = caches[kind][scope]
  const known = cache.get(selector)
  if (known !== undefined) return known
  const queries = splitEndings(selector).map((part) => {
    try {
      return new Query(part.selector, part.wanted, kind, scope)
    } catch (error) {
      const problem = error instanceof Error ? error.message : String(error)
      throw new BadSelector('CSS selector', selector, problem, error)
    }
  })
  cache.set(selector, queries)
  return queries
}

/** One compiled selector. Compiled once for all pages, so the node it is relative to is put in its place for each run. */
class Query {
  readonly #matches: Matches
  readonly #wanted: Wanted
  readonly #scope: TreeNode[] = [NESTED]

  constructor(selector: string, wanted: Wanted, kind: MarkupKind, scope: 'document' | 'element') {
    const problem = nthProblem(selector)
    if (problem !== undefined) throw new Error(problem)
    const options: CssOptions = {
      pseudos: NTH_PSEUDOS,
      adapter: ADAPTER,
      xmlMode: kind === 'xml',
      // What css-select remembers of a node holds for one scope only.
      cacheResults: scope === 'document',
    }
    this.#matches = _compileUnsafe(selector, options, scope === 'element' ? this.#scope : undefined)
    this.#wanted = wanted
  }

  run(scope: RootNode | ElementNode, found: Array<TreeNode | AttributeNode>, orSelf: boolean): void {
    this.#scope[0] = scope
    if (orSelf && scope instanceof ElementNode && this.#matches(scope)) this.#add(scope, found)
    this.#runBelow(scope, found)
    if (this.#matches.shouldTestNextSiblings === true) this.#runBehind(scope, found)
    // A query that waits for the next page must not keep this one in memory.
    this.#scope[0] = NESTED
  }

  #runBehind(scope: RootNode | ElementNode, found: Array<TreeNode | AttributeNode>): void {
    for (let sibling = scope.next; sibling !== null; sibling = sibling.next) {
      if (!(sibling instanceof ElementNode)) continue
      if (this.#matches(sibling)) this.#add(sibling, found)
      this.#runBelow(sibling, found)
    }
  }

  #runBelow(top: RootNode | ElementNode, found: Array<TreeNode | AttributeNode>): void {
    const end = orderBehind(top)
    for (let element = top.following; element !== null && element.order < end; element = element.following) {
      if (this.#matches(element)) this.#add(element, found)
    }
  }

  #add(element: ElementNode, found: Array<TreeNode | AttributeNode>): void {
    const wanted = this.#wanted
    if (wanted.kind === 'elements') found.push(element)
    else if (wanted.kind === 'attribute') {
      const attribute = element.attributeNode(wanted.name)
      if (attribute !== undefined) found.push(attribute)
    } else {
      for (let child = element.firstChild; child !== null; child = child.next) {
        if (child.nodeType === 3) found.push(child)
      }
    }
  }
}

/** Stands for the scope while a selector is compiled: css-select makes it relative only to an element inside another. */
const NESTED = new ElementNode(new ElementNode(new RootNode(), 1, 'scope', ''), 2, 'scope', '')

const ADAPTER: NonNullable<CssOptions['adapter']> = {
  isTag: (node): node is ElementNode => node instanceof ElementNode,
  getName: (element) => element.name,
  getAttributeValue: (element, name) => element.attribute(name),
  hasAttrib: (element, name) => element.attribute(name) !== undefined,
  getParent: (node) => node.parent,
  getChildren: childrenOf,
  getSiblings: (node) => (node.parent === null ? [node] : childrenOf(node.parent)),
  prevElementSibling(node) {
    let sibling = node.prev
    while (sibling !== null && !(sibling instanceof ElementNode)) sibling = sibling.prev
    return sibling
  },
  getText: plainText,
  removeSubsets: (nodes) => nodes,
}

/** css-select asks for the siblings of one node after the other, as an array. */
const childrenByParent = new WeakMap<TreeNode, TreeNode[]>()

function childrenOf(parent: TreeNode): TreeNode[] {
  const known = childrenByParent.get(parent)
  if (known !== undefined) return known
  const children: TreeNode[] = []
  for (let child = parent.firstChild; child !== null; child = child.next) children.push(child)
  childrenByParent.set(parent, children)
  return children
}
