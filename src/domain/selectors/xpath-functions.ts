import { ElementNode, type RootNode, type TreeNode } from './nodes.ts'
import { isFound } from './text-pattern.ts'
import { nextBelow } from './walk.ts'
import { countXPathStep } from './xpath-steps.ts'

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
 * Functions beside those of the package `xpath`: two that Scrapy adds (`has-class('a', 'b')`, `re:test(text, pattern)`), and two
 * of XPath itself for which the package wants more of a DOM than our tree has.
 */
export function xpathFunction(name: string, namespace: string): XPathFunction | undefined {
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
