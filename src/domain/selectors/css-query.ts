import { parse, type Selector, SelectorType } from 'css-what'
import { LruMap } from '../../base/lru-map.ts'
import { splitEndings, type Wanted } from './css-ending.ts'
import { CssMatcher, type ElementTest, isCombinator, namesScope } from './css-matcher.ts'
import {
  type AttributeNode,
  CharacterNode,
  ElementNode,
  type MarkupKind,
  RootNode,
  type TreeNode,
} from './nodes.ts'
import { nthProblem } from './nth-position.ts'
import { MAX_STEPS, OutOfSteps, SearchRange } from './search-range.ts'
import { BadSelector, SelectorTooCostly } from './selector-errors.ts'
import { inOrder, orderAfter } from './walk.ts'

/**
 * What a CSS selector finds below the nodes of `scope`, in document order, nothing twice. The selector is relative to them:
 * `a` is any link inside, `> a` a child, `+ a` the next sibling, `:scope` the node itself.
 *
 * @param orSelf the nodes of `scope` may be among what is found
 * @throws BadSelector, SelectorTooCostly
 */
export function selectCss(
  scope: readonly TreeNode[],
  selector: string,
  kind: MarkupKind,
  orSelf = false,
): ReadonlyArray<TreeNode | AttributeNode> {
  const found: Array<TreeNode | AttributeNode> = []
  const steps = { left: MAX_STEPS }
  const searched = new Map<Query, Set<TreeNode>>()
  try {
    for (const node of scope) {
      if (node instanceof CharacterNode) continue
      for (const query of compiled(selector, kind, node instanceof RootNode ? 'document' : 'element')) {
        if (!query.isRunFor(node, searched)) query.run(node, found, orSelf, steps)
      }
    }
  } catch (error) {
    if (!(error instanceof OutOfSteps)) throw error
    throw new SelectorTooCostly(`CSS selector '${selector}' takes more than ${MAX_STEPS} steps`)
  }
  return inOrder(found)
}

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

/** One compiled selector. It is compiled once for all pages and scopes. */
class Query {
  readonly #range = new SearchRange()
  readonly #matches: ElementTest
  readonly #wanted: Wanted
  readonly #reach: SelectorReach

  constructor(selector: string, wanted: Wanted, kind: MarkupKind, scope: 'document' | 'element') {
    const problem = nthProblem(selector)
    if (problem !== undefined) throw new Error(problem)
    const selectors = parse(selector)
    this.#matches = new CssMatcher(this.#range, kind, scope === 'document').compile(selectors)
    this.#wanted = wanted
    this.#reach = reachOf(selectors)
  }

  /**
   * Whether all that the selector finds from `scope` was found from a sibling before it: `~ a` finds the same from each, or less.
   * Without this, `css('dt').css('~ dd')` would take time with the square of the list.
   */
  isRunFor(scope: TreeNode, searched: Map<Query, Set<TreeNode>>): boolean {
    if (!this.#reach.isSiblingsOnly || scope.parent === null) return false
    const parents = searched.get(this) ?? new Set()
    searched.set(this, parents)
    return parents.size === parents.add(scope.parent).size
  }

  run(
    scope: RootNode | ElementNode,
    found: Array<TreeNode | AttributeNode>,
    orSelf: boolean,
    steps: { left: number },
  ): void {
    const siblings = this.#siblingsAfter(scope)
    this.#begin(scope, siblings.at(-1) ?? scope, steps)
    try {
      if (orSelf && scope instanceof ElementNode && this.#matches(scope)) this.#add(scope, found)
      this.#runBelow(scope, found)
      this.#range.spend(siblings.length)
      for (const sibling of siblings) {
        if (this.#matches(sibling)) this.#add(sibling, found)
        this.#runBelow(sibling, found)
      }
    } finally {
      this.#range.finish()
    }
  }

  #begin(scope: RootNode | ElementNode, last: TreeNode, steps: { left: number }): void {
    const { needsDocument, looksAhead } = this.#reach
    const root = scope.ownerDocument
    // `:has(+ b)` looks at what follows an element, and that may be the scope.
    const bottom = looksAhead ? (scope.parent ?? scope) : last
    const end = needsDocument ? root.size + 1 : Math.min(orderAfter(bottom), root.size + 1)
    this.#range.begin({ scope, top: needsDocument ? root : scope, end, steps })
  }

  /** Siblings after the scope that the selector may find, or something inside them. */
  #siblingsAfter(scope: RootNode | ElementNode): ElementNode[] {
    const siblings: ElementNode[] = []
    for (let next = scope.next; next !== null && siblings.length < this.#reach.siblings; next = next.next) {
      if (next instanceof ElementNode) siblings.push(next)
    }
    return siblings
  }

  #runBelow(top: RootNode | ElementNode, found: Array<TreeNode | AttributeNode>): void {
    const end = orderAfter(top)
    let tested = 0
    for (let element = top.following; element !== null && element.order < end; element = element.following) {
      tested++
      if (this.#matches(element)) this.#add(element, found)
    }
    this.#range.spend(tested)
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

/** How far around its scope a selector looks. */
interface SelectorReach {
  /** Siblings after the scope that it may find, or something inside them. */
  readonly siblings: number
  /** Whether elements outside the scope and these siblings matter. */
  readonly needsDocument: boolean
  /** Whether `:has()` looks at siblings. */
  readonly looksAhead: boolean
  /** Whether it is `~ a` and its like, and relative to the scope nowhere else. */
  readonly isSiblingsOnly: boolean
}

function reachOf(selectors: readonly Selector[][]): SelectorReach {
  return {
    siblings: selectors.map(siblingsReached).reduce((most, reached) => Math.max(most, reached), 0),
    needsDocument: selectors.some((tokens) =>
      tokens.some((token, i) => namesScope(token) && !isLeading(tokens, i)),
    ),
    looksAhead: selectors.flat().some(looksAtSiblings),
    isSiblingsOnly: selectors.every(
      ([first, ...others]) => first?.type === SelectorType.Sibling && !others.some(isRelative),
    ),
  }
}

/** `:scope` in the first compound of a selector: everything else is searched for from there. */
function isLeading(tokens: readonly Selector[], index: number): boolean {
  const token = tokens[index]
  return (
    token?.type === SelectorType.Pseudo && token.data === null && !tokens.slice(0, index).some(isCombinator)
  )
}

/** `+ a` reaches one sibling, `+ a + b` two, `~ a` all. */
function siblingsReached(tokens: readonly Selector[]): number {
  const [first] = tokens
  if (first === undefined || !(isCombinator(first) || namesScope(first))) return 0
  let reached = 0
  for (const token of tokens) {
    if (token.type === SelectorType.Sibling) return Number.POSITIVE_INFINITY
    if (token.type === SelectorType.Adjacent) reached++
    else if (isCombinator(token)) break
  }
  return reached
}

/** Selectors inside others are relative to the scope, too. */
function isRelative(token: Selector): boolean {
  return token.type === SelectorType.Pseudo && (token.name === 'scope' || Array.isArray(token.data))
}

function looksAtSiblings(token: Selector): boolean {
  if (token.type !== SelectorType.Pseudo || !Array.isArray(token.data)) return false
  const inside = token.data.flat()
  return (
    inside.some(({ type }) => type === SelectorType.Adjacent || type === SelectorType.Sibling) ||
    inside.some(looksAtSiblings)
  )
}
