import { createRequire } from 'node:module'
import { LruMap } from '../../base/lru-map.ts'
import { BadSelector } from './bad-selector.ts'
import { inOrder } from './in-order.ts'
import type { AttributeNode, TreeNode } from './nodes.ts'
import { SelectorTooCostly } from './selector-too-costly.ts'
import { xpathFunction } from './xpath-functions.ts'
import { MAX_XPATH_STEPS, OutOfXPathSteps, xpathSteps } from './xpath-steps.ts'

/**
 * What an XPath 1.0 expression finds from each node of `scope`, in document order, nothing twice; for `count(…)` and its
 * like the one value it comes to, as text. Names mean what they say in the document: `media:title` is an element that
 * is written so, `title` one without a prefix, whatever namespace either is in.
 * @throws BadSelector, SelectorTooCostly
 */
export function selectXPath(
  scope: readonly TreeNode[],
  expression: string,
): ReadonlyArray<TreeNode | AttributeNode | string> {
  const parsed = compiled(expression)
  const size = scope[0]?.ownerDocument.size ?? 0
  if (size > MAX_NODES) {
    const problem = `the page has ${size} nodes, and XPath is for ${MAX_NODES} at most: use css() on it`
    throw new BadSelector('XPath expression', expression, problem)
  }
  const nodes: Array<TreeNode | AttributeNode> = []
  const values: string[] = []
  xpathSteps.left = MAX_XPATH_STEPS
  for (const node of scope) {
    const found = evaluate(parsed, node, expression)
    if (typeof found === 'string') values.push(found)
    else for (const one of found) nodes.push(one)
  }
  return values.length > 0 ? values : inOrder(nodes)
}

/** The evaluator makes lists of all nodes at each step: seconds and gigabytes for a hostile page. */
const MAX_NODES = 100_000

/** What we use of the package `xpath`; its own types leave this part out. */
interface XPathPackage {
  parse(expression: string): ParsedXPath
  readonly XNodeSet: { readonly prototype: XNodeSet }
}
interface XNodeSet {
  nodes: object[]
  size: number
  tree: unknown
  add(node: object): void
  addArray(nodes: readonly object[]): void
}
interface ParsedXPath {
  evaluate(options: {
    readonly node: TreeNode
    readonly namespaces: (prefix: string) => string
    readonly functions: typeof xpathFunction
  }): XPathValue
}
/** A set of nodes has the method; numbers, strings and booleans have not. */
interface XPathValue {
  toUnsortedArray?(): Array<TreeNode | AttributeNode>
  stringValue(): string
}

/** Loaded with the first expression: most spiders use none. */
let loaded: XPathPackage | undefined
const cache = new LruMap<string, ParsedXPath>(500)

function compiled(expression: string): ParsedXPath {
  const known = cache.get(expression)
  if (known !== undefined) return known
  const problem = problemOf(expression)
  if (problem !== undefined) throw new BadSelector('XPath expression', expression, problem)
  loaded ??= loadPackage()
  try {
    const parsed = loaded.parse(expression)
    cache.set(expression, parsed)
    return parsed
  } catch (error) {
    throw new BadSelector('XPath expression', expression, 'this is not XPath 1.0', error)
  }
}

/** Its sets of nodes compare each new node with all that they have: for 50,000 nodes that takes a second, for each step and predicate. */
function loadPackage(): XPathPackage {
  const xpath = createRequire(import.meta.url)('xpath') as XPathPackage
  xpath.XNodeSet.prototype.addArray = function (added) {
    this.nodes = [...new Set([...this.nodes, ...added])]
    this.size = this.nodes.length
    this.tree = null
  }
  return xpath
}

function evaluate(
  parsed: ParsedXPath,
  node: TreeNode,
  expression: string,
): ReadonlyArray<TreeNode | AttributeNode> | string {
  try {
    const value = parsed.evaluate({ node, namespaces: samePrefix, functions: xpathFunction })
    return value.toUnsortedArray?.() ?? value.stringValue()
  } catch (error) {
    if (error instanceof OutOfXPathSteps)
      throw new SelectorTooCostly(`XPath expression '${expression}' takes more than ${MAX_XPATH_STEPS} steps`)
    const problem = error instanceof Error ? error.message : String(error)
    throw new BadSelector('XPath expression', expression, problem, error)
  }
}

function samePrefix(prefix: string): string {
  return prefix
}

/** What the parser would not say: what is not closed, and the two axes that it gets wrong. */
function problemOf(expression: string): string | undefined {
  const bare = expression.replace(/"[^"]*"|'[^']*'/g, '')
  if (bare.trim() === '') return 'it is empty'
  const quote = /["']/.exec(bare)
  if (quote !== null) return `a ${quote[0]} is not closed`
  const axis = /\b(following|preceding)\s*::/.exec(bare)?.[1]
  if (axis !== undefined) {
    return `the axis ${axis}:: is not supported: write ${axis}-sibling::, with a path behind it where that is not enough`
  }
  const open: string[] = []
  for (const [bracket] of bare.matchAll(/[[\]()]/g)) {
    if (bracket === '[' || bracket === '(') open.push(bracket)
    else if (open.pop() !== (bracket === ']' ? '[' : '(')) return `a ${bracket} has no beginning`
  }
  return open.length > 0 ? `a ${open.at(-1)} is not closed` : undefined
}
