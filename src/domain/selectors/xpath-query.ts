import { LruMap } from '../../base/lru-map.ts'
import { requireLate } from '../../base/require-late.ts'
import { type AttributeNode, ElementNode, type RootNode, type TreeNode } from './nodes.ts'
import { BadSelector, SelectorTooCostly } from './selector-errors.ts'
import { isFound } from './text-pattern.ts'
import { inOrder, nextBelow } from './walk.ts'
import { countXPathStep, MAX_XPATH_STEPS, OutOfXPathSteps, xpathSteps } from './xpath-steps.ts'

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
  const xpath = requireLate<XPathPackage>('xpath')
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

/** Problems that the parser does not report: unclosed parts, and the two axes that it evaluates wrongly. */
function problemOf(expression: string): string | undefined {
  const bare = expression.replace(/"[^"]*"|'[^']*'/g, '')
  if (bare.trim() === '') return 'it is empty'
  const quote = /["']/.exec(bare)
  if (quote !== null) return `a ${quote[0]} is not closed`
  const axis = /\b(following|preceding)\s*::/.exec(bare)?.[1]
  if (axis !== undefined) {
    return `the axis ${axis}:: is not supported: write ${axis}-sibling::, with a path after it where that is not enough`
  }
  const open: string[] = []
  for (const [bracket] of bare.matchAll(/[[\]()]/g)) {
    if (bracket === '[' || bracket === '(') open.push(bracket)
    else if (open.pop() !== (bracket === ']' ? '[' : '(')) return `a ${bracket} has no beginning`
  }
  return open.length > 0 ? `a ${open.at(-1)} is not closed` : undefined
}

type XPathFunction = (
  context: XPathContext,
  ...args: readonly XPathArgument[]
) => string | boolean | readonly TreeNode[]

interface XPathContext {
  readonly contextNode: TreeNode
}

/** An argument, already evaluated. */
interface XPathArgument {
  stringValue(): string
}

/**
 * Functions in addition to those of the package `xpath`: two that Scrapy adds (`has-class('a', 'b')`, `re:test(text, pattern)`), and two
 * of XPath itself for which the package wants more of a DOM than our tree has.
 */
function xpathFunction(name: string, namespace: string): XPathFunction | undefined {
  return FUNCTIONS.get(namespace === '' ? name : `${namespace}:${name}`)
}

const FUNCTIONS = new Map<string, XPathFunction>([
  ['has-class', hasClass],
  ['re:test', reTest],
  ['id', elementsById],
  ['lang', hasLanguage],
])

function hasClass({ contextNode }: XPathContext, ...names: readonly XPathArgument[]): boolean {
  if (!(contextNode instanceof ElementNode)) return false
  const classes = contextNode.attribute('class')?.split(/[\t\n\f\r ]+/) ?? []
  return names.every((name) => classes.includes(name.stringValue()))
}

function reTest(_context: XPathContext, text?: XPathArgument, pattern?: XPathArgument): boolean {
  if (text === undefined || pattern === undefined) throw new Error('re:test expects (text, pattern)')
  return isFound(pattern.stringValue(), text.stringValue())
}

function elementsById({ contextNode }: XPathContext, ids?: XPathArgument): readonly TreeNode[] {
  const wanted = new Set(ids?.stringValue().split(/\s+/))
  const root: RootNode = contextNode.ownerDocument
  const found: TreeNode[] = []
  countXPathStep(root.size)
  for (let node = nextBelow(root, root); node !== null; node = nextBelow(node, root)) {
    const id = node instanceof ElementNode ? node.attribute('id') : undefined
    // The first of its id counts.
    if (id !== undefined && wanted.delete(id)) found.push(node)
  }
  return found
}

function hasLanguage({ contextNode }: XPathContext, range?: XPathArgument): boolean {
  const wanted = range?.stringValue().toLowerCase() ?? ''
  for (let node: TreeNode | null = contextNode; node !== null; node = node.parent) {
    countXPathStep()
    const language =
      node instanceof ElementNode ? (node.attribute('xml:lang') ?? node.attribute('lang')) : undefined
    if (language !== undefined) return `${language.toLowerCase()}-`.startsWith(`${wanted}-`)
  }
  return false
}
