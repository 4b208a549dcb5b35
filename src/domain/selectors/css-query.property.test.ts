import { _compileUnsafe } from 'css-select'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { selectCss } from './css-query.ts'
import { buildTree } from './document.ts'
import { ElementNode, type MarkupKind, type TreeNode } from './nodes.ts'
import { plainText } from './readable-text.ts'

const name = fc.constantFrom('a', 'b', 'i', 'p', 'template')
const simple = fc.oneof(
  { weight: 4, arbitrary: name },
  fc.constantFrom(
    '*',
    '.x',
    '.y',
    '[x]',
    '[class=x]',
    ':first-child',
    ':last-child',
    ':only-child',
    ':empty',
  ),
  fc.constantFrom(':first-of-type', ':last-of-type', ':only-of-type', ':nth-of-type(2)', ':nth-child(2n+1)'),
  fc.constantFrom(':contains(t)', ':contains(tu)', ':icontains(T)', ':lang(en)', ':not(.x)', ':is(a, .y)'),
)
const compound = fc
  .tuple(
    fc.constantFrom('', 'a', 'b', 'i'),
    fc.array(
      simple.filter((one) => /^[.:[]/.test(one)),
      { maxLength: 2 },
    ),
  )
  .map(([tag, others]) => tag + others.join('') || '*')
const combinator = fc.constantFrom(' ', ' ', ' > ', ' + ', ' ~ ')
const complex = fc
  .tuple(compound, fc.array(fc.tuple(combinator, compound), { maxLength: 3 }))
  .map(([first, others]) => first + others.flat().join(''))
const relative = fc
  .tuple(fc.constantFrom('', '> ', '+ ', '~ '), complex)
  .map(([leading, selector]) => leading + withoutArguments(selector))
const selector = fc.oneof(
  complex,
  fc.tuple(complex, relative).map(([anchor, inner]) => `${anchor}:has(${inner})`),
  fc.tuple(relative, compound).map(([inner, last]) => `a:has(${inner}) ${last}`),
  fc.tuple(complex, complex).map((both) => both.join(', ')),
)
const documentSelector = fc.oneof(
  selector,
  fc.tuple(compound, complex).map(([outer, inner]) => `${outer}:not(${inner})`),
  fc.tuple(compound, complex, complex).map(([outer, ...inner]) => `${outer}:is(${inner.join(', ')})`),
)

const { tree: markup } = fc.letrec<{ tree: string }>((tie) => ({
  tree: fc
    .array(
      fc.oneof(
        { depthSize: 'small', withCrossShrink: true },
        fc.constantFrom('t', 'u', 'Tu', '<!---->', '<i></i>', '<b class=x></b>'),
        fc
          .tuple(
            name,
            fc.constantFrom('', ' class=x', ' class="y x"', ' x', ' lang=en-GB', ' lang=de'),
            tie('tree'),
          )
          .map(([tag, attribute, inside]) => `<${tag}${attribute}>${inside}</${tag}>`),
      ),
      { maxLength: 6 },
    )
    .map((parts) => parts.join('')),
}))

describe('a CSS selector', () => {
  it('finds in a document the elements that css-select finds', () => {
    fc.assert(
      fc.property(markup, documentSelector, (html, css) => {
        expect(idsOf(ours(html, css, 'html'))).toEqual(idsOf(theirs(html, css, 'html')))
      }),
      { numRuns: 2_000 },
    )
  })

  it('finds below an element the elements that css-select finds', () => {
    fc.assert(
      fc.property(
        markup,
        selector,
        fc.constantFrom('', '> ', '+ ', '~ ', ':scope ', ':scope > '),
        fc.integer({ min: 1, max: 9 }),
        (html, css, leading, nth) => {
          // One selector of a list that reaches siblings makes css-select try all of the list on them.
          const one = /[+~]/.test(leading) ? withoutArguments(css).split(', ')[0] : css
          const relativeCss = leading + one
          expect(idsOf(ours(html, relativeCss, 'html', nth))).toEqual(
            idsOf(theirs(html, relativeCss, 'html', nth)),
          )
        },
      ),
      { numRuns: 2_000 },
    )
  })
})

/** css-select makes selectors in :is() and :not() relative to the element, so that none matches a sibling; by the standard they are not. */
function withoutArguments(css: string): string {
  return css.replaceAll(/:(?:is|not)\([^)]*\)/g, '[x]')
}

function ours(html: string, css: string, kind: MarkupKind, nth?: number): TreeNode[] {
  const root = buildTree(`<div>${html}</div>`, kind)
  const scope = nth === undefined ? root : elementsOf(root)[nth]
  return scope === undefined ? [] : (selectCss([scope], css, kind) as TreeNode[])
}

/** css-select as it is, without what it remembers: that is wrong where a selector is relative. */
function theirs(html: string, css: string, kind: MarkupKind, nth?: number): TreeNode[] {
  const root = buildTree(`<div>${html}</div>`, kind)
  const elements = elementsOf(root)
  const scope = nth === undefined ? undefined : elements[nth]
  if (nth !== undefined && scope === undefined) return []
  const options = { adapter: ADAPTER, cacheResults: false, xmlMode: kind === 'xml' }
  // To css-select an element is a scope only inside another one.
  const matches = _compileUnsafe<TreeNode, ElementNode>(css, options, scope && [scope])
  return elements.filter((element) => {
    if (scope === undefined) return matches(element)
    const isAfter = matches.shouldTestNextSiblings === true && element.order > scope.order
    return (isInside(element, scope) || (isAfter && isInside(element, scope.parent))) && matches(element)
  })
}

function isInside(node: TreeNode, around: TreeNode | null): boolean {
  for (let at = node.parent; at !== null; at = at.parent) if (at === around) return true
  return false
}

function elementsOf(root: TreeNode): ElementNode[] {
  const elements: ElementNode[] = []
  for (let child = root.firstChild; child !== null; child = child.next) {
    if (child instanceof ElementNode) elements.push(child, ...elementsOf(child))
  }
  return elements
}

function idsOf(nodes: readonly TreeNode[]): number[] {
  return nodes.map(({ order }) => order)
}

const ADAPTER = {
  isTag: (node: TreeNode): node is ElementNode => node instanceof ElementNode,
  getName: (element: ElementNode) => element.name,
  getAttributeValue: (element: ElementNode, attribute: string) => element.attribute(attribute),
  hasAttrib: (element: ElementNode, attribute: string) => element.attribute(attribute) !== undefined,
  getParent: (node: TreeNode) => node.parent,
  getChildren: childrenOf,
  getSiblings: (node: TreeNode) => (node.parent === null ? [node] : childrenOf(node.parent)),
  getText: plainText,
  removeSubsets: (nodes: TreeNode[]) => nodes,
}

function childrenOf({ firstChild }: TreeNode): TreeNode[] {
  const children: TreeNode[] = []
  for (let child = firstChild; child !== null; child = child.next) children.push(child)
  return children
}
