import { collapseSpace } from '../html/characters.ts'
import { selectCss } from './css-query.ts'
import { innerMarkup, outerMarkup } from './markup-of.ts'
import { AttributeNode, ElementNode, type MarkupKind, type TreeNode } from './nodes.ts'
import { readNumber } from './read-number.ts'
import { plainText, readableText } from './readable-text.ts'
import { SelectorTooCostly } from './selector-errors.ts'
import { findAll, type TextPattern } from './text-pattern.ts'
import { selectXPath } from './xpath-query.ts'

/** A piece of a page: an element, a text or another node; an attribute; or what an expression comes to. */
export type Selected = TreeNode | AttributeNode | string

/**
 * What a selector found, in document order: none, one or many. Methods for one thing (`text()`, `attr()`, `get()`) use the
 * first; with nothing found it gives `''` or `undefined` and never throws, so that a page without the element is not an error.
 */
export class Selection implements Iterable<Selection> {
  readonly #items: readonly Selected[]
  readonly #kind: MarkupKind

  constructor(items: readonly Selected[], kind: MarkupKind) {
    this.#items = items
    this.#kind = kind
  }

  /** The number of elements found. */
  get length(): number {
    return this.#items.length
  }

  /** Whether anything was found. */
  get exists(): boolean {
    return this.#items.length > 0
  }

  /** The first element, as a selection; empty when nothing was found. */
  get first(): Selection {
    return this.at(0)
  }

  /** The last element, as a selection; empty when nothing was found. */
  get last(): Selection {
    return this.at(-1)
  }

  /** One of them, counted from 0, or from the end with negative numbers. Empty when there are not so many. */
  at(index: number): Selection {
    const item = this.#items.at(index)
    return new Selection(item === undefined ? [] : [item], this.#kind)
  }

  /** Each as a selection of its own. */
  *[Symbol.iterator](): Generator<Selection, undefined> {
    for (const item of this.#items) yield new Selection([item], this.#kind)
  }

  /**
   * What a CSS selector finds inside these: `a` any link, `> a` a child, `+ dd` the next sibling. `::text` at its end
   * gives the texts of the elements, `::attr(href)` their attributes.
   * @throws BadSelector
   */
  css(selector: string): Selection {
    return new Selection(selectCss(this.#nodes, selector, this.#kind), this.#kind)
  }

  /**
   * What a CSS selector finds inside these, and those of them that it matches themselves.
   * @throws BadSelector
   */
  cssOrSelf(selector: string): Selection {
    return new Selection(selectCss(this.#nodes, selector, this.#kind, true), this.#kind)
  }

  /**
   * What an XPath 1.0 expression finds. It is relative to these unless it starts with `/`: write `.//a` for the links inside.
   * @throws BadSelector
   */
  xpath(expression: string): Selection {
    return new Selection(selectXPath(this.#nodes, expression), this.#kind)
  }

  /** The text a reader sees, in one line; of the first that `selector` finds inside, when one is given. `''`: none. */
  text(selector?: string): string {
    if (selector !== undefined) return this.css(selector).text()
    const [item] = this.#items
    return item === undefined ? '' : this.#textOf(item)
  }

  /**
   * The text of each.
   * @throws SelectorTooCostly when the texts of elements inside each other add up to more than memory may hold
   */
  texts(): string[] {
    return withinMemory(this.#items, (item) => this.#textOf(item))
  }

  /** All text in the first as in the source, scripts and white space included: for JSON in a page. `''`: none. */
  textContent(): string {
    const [item] = this.#items
    if (item === undefined || typeof item === 'string') return item ?? ''
    return item instanceof AttributeNode ? item.value : plainText(item)
  }

  /** An attribute of the first, or of the first that `selector` finds inside. `undefined`: it has none of that name. */
  attr(name: string): string | undefined
  attr(selector: string, name: string): string | undefined
  attr(selectorOrName: string, name?: string): string | undefined {
    if (name !== undefined) return this.css(selectorOrName).attr(name)
    const [item] = this.#items
    return item instanceof ElementNode ? item.attribute(selectorOrName) : undefined
  }

  /** An attribute of each that has it. */
  attrs(name: string): string[] {
    return this.#items.flatMap((item) => (item instanceof ElementNode ? (item.attribute(name) ?? []) : []))
  }

  /** The first with its tags; `''`: none. */
  html(): string {
    return this.get() ?? ''
  }

  /** What is between the tags of the first; `''`: none. */
  innerHtml(): string {
    const [node] = this.#nodes
    return node === undefined ? '' : innerMarkup(node, this.#kind)
  }

  /** Scrapy's `get`: the text of a text or attribute as it is, an element with its tags. `undefined`: nothing found. */
  get(): string | undefined {
    const [item] = this.#items
    return item === undefined ? undefined : this.#sourceOf(item)
  }

  /** @throws SelectorTooCostly as `texts` does */
  getAll(): string[] {
    return withinMemory(this.#items, (item) => this.#sourceOf(item))
  }

  /**
   * What a pattern finds in `getAll()`: its groups, or whole matches where it has none. A string is a pattern in RE2's syntax.
   * @throws BadSelector for a string that is none
   */
  re(pattern: TextPattern): string[] {
    return this.getAll().flatMap((text) => findAll(pattern, text))
  }

  /** The first match of `re`; `undefined` if there is none. */
  reFirst(pattern: TextPattern): string | undefined {
    for (const item of this.#items) {
      const [found] = findAll(pattern, this.#sourceOf(item))
      if (found !== undefined) return found
    }
    return undefined
  }

  /** The first number in `text()`: 51.77 for `£51.77`. `undefined`: there is none. */
  number(selector?: string): number | undefined {
    return readNumber(this.text(selector))
  }

  /** The name of the first element, lower case in HTML; `undefined` for anything else. */
  get tagName(): string | undefined {
    const [item] = this.#items
    return item instanceof ElementNode ? item.name : undefined
  }

  /** The whole document these are from; empty when there are none, or values only. */
  get root(): Selection {
    const [item] = this.#items.filter((one) => typeof one !== 'string')
    return new Selection(item === undefined ? [] : [item.ownerDocument], this.#kind)
  }

  get #nodes(): readonly TreeNode[] {
    return this.#items.filter((item) => typeof item !== 'string' && !(item instanceof AttributeNode))
  }

  #textOf(item: Selected): string {
    if (typeof item === 'string') return collapseSpace(item)
    return item instanceof AttributeNode ? collapseSpace(item.value) : readableText(item, this.#kind)
  }

  #sourceOf(item: Selected): string {
    if (typeof item === 'string') return item
    if (item instanceof AttributeNode) return item.value
    return item.nodeType === 3 ? item.data : outerMarkup(item, this.#kind)
  }
}

/** 256 elements inside each other around a text of 10 MB would be 2.5 GB. */
const MAX_CHARS = 100_000_000

function withinMemory(items: readonly Selected[], read: (item: Selected) => string): string[] {
  const texts: string[] = []
  let chars = 0
  for (const item of items) {
    const text = read(item)
    chars += text.length
    if (chars > MAX_CHARS)
      throw new SelectorTooCostly(
        `the texts of ${items.length} elements inside each other have more than ${MAX_CHARS} characters`,
      )
    texts.push(text)
  }
  return texts
}
