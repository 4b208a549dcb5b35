import { appendAll } from '../../../base/append-all.ts'
import { ElementNode, type TreeNode } from '../../selectors/nodes.ts'
import { BLOCKS, HEADINGS, PREFORMATTED } from '../element-kinds.ts'
import type { MainContent } from '../find-main-content.ts'
import { codeLanguage } from './code-language.ts'
import { codeText } from './code-text.ts'
import { codeBlock } from './escape-markdown.ts'
import { IN_HEADING, IN_PARAGRAPH, type InlineContext, inlineMarkdown } from './inline-markdown.ts'
import { readTable, tableMarkdown } from './table-markdown.ts'

/**
 * Markdown of a content (CommonMark with the tables and strikethrough of GitHub). Links and images are absolute.
 * @param resolve the absolute URL of a link; `undefined`: only its text is written
 */
export function markdownOf(content: MainContent, resolve: InlineContext['resolve']): string {
  return markdownBlocks(content, resolve).join(BETWEEN_BLOCKS)
}

/** The same in blocks: headings, paragraphs, whole lists, code blocks, tables. */
export function markdownBlocks(content: MainContent, resolve: InlineContext['resolve']): string[] {
  const { top } = content
  const context = { isDropped: content.isDropped, resolve }
  return new BlockWriter(context, containersIn(top)).blocksIn(top)
}

/** What separates blocks. */
export const BETWEEN_BLOCKS = '\n\n'

/** Elements below `top` with blocks inside: an inline element, such as a link around a card, is one then. */
function containersIn(top: TreeNode): ReadonlySet<TreeNode> {
  const containers = new Set<TreeNode>()
  let node: TreeNode | null = top
  while (node !== null) {
    if (node instanceof ElementNode && BLOCKS.has(node.name))
      for (
        let at: TreeNode | null = node.parent;
        at !== null && at !== top.parent && !containers.has(at);
        at = at.parent
      )
        containers.add(at)
    node = nextInside(node, top)
  }
  return containers
}

function nextInside(node: TreeNode, top: TreeNode): TreeNode | null {
  if (node.firstChild !== null) return node.firstChild
  for (let at: TreeNode = node; at !== top; ) {
    if (at.next !== null) return at.next
    if (at.parent === null) return null
    at = at.parent
  }
  return null
}

/** Lists and quotations nested deeper are written side by side: every level indents its lines. */
const MAX_LEVEL = 20

class BlockWriter {
  readonly #context: InlineContext
  readonly #containers: ReadonlySet<TreeNode>
  #level = 0

  constructor(context: InlineContext, containers: ReadonlySet<TreeNode>) {
    this.#context = context
    this.#containers = containers
  }

  /** The blocks of a node, none of them empty. */
  blocksIn(parent: TreeNode): string[] {
    const blocks: string[] = []
    let run: TreeNode[] = []
    const endParagraph = () => {
      appendAll(blocks, this.#paragraphs(run))
      run = []
    }
    let lastList = ''
    for (let child = parent.firstChild; child !== null; child = child.next) {
      if (this.#context.isDropped(child)) continue
      if (!(child instanceof ElementNode) || !(BLOCKS.has(child.name) || this.#containers.has(child))) {
        run.push(child)
        continue
      }
      endParagraph()
      const added = this.#block(child, lastList)
      if (added.length > 0)
        lastList = /^(?:[-*]|\d+[.)])/.exec(LISTS.has(child.name) ? (added.at(-1) ?? '') : '')?.[0] ?? ''
      for (const block of added) blocks.push(block)
    }
    endParagraph()
    return blocks
  }

  /** Two line breaks in a row separate paragraphs. */
  #paragraphs(run: readonly TreeNode[]): string[] {
    const paragraphs: TreeNode[][] = [[]]
    let breaks = 0
    for (const node of run) {
      const isBlank = node.nodeType === 3 && node.data.trim() === ''
      if (node instanceof ElementNode && node.name === 'br') breaks++
      else if (!isBlank) breaks = 0
      if (breaks === 2) paragraphs.push([])
      else paragraphs.at(-1)?.push(node)
    }
    return paragraphs
      .map((nodes) => inlineMarkdown(nodes, this.#context, IN_PARAGRAPH))
      .filter((paragraph) => paragraph !== '')
  }

  /** @param lastList marker of the list just before: two lists with one marker would be one */
  #block(element: ElementNode, lastList: string): string[] {
    const { name } = element
    if (HEADINGS.has(name)) return this.#heading(element)
    if (PREFORMATTED.has(name)) {
      const code = codeText(element, this.#context.isDropped)
      return code === '' ? [] : [codeBlock(code, codeLanguage(element))]
    }
    switch (name) {
      case 'hr':
        return ['---']
      case 'blockquote':
        return this.#nested(element, (blocks) => [indented(blocks.join('\n\n'), '> ', '> ')])
      case 'ul':
      case 'menu':
      case 'dir':
        return this.#list(element, () => (lastList.startsWith('-') ? '* ' : '- '))
      case 'ol':
        return this.#list(element, numbering(element, lastList.endsWith('.') ? ')' : '.'))
      case 'dl':
        return this.#definitions(element, lastList.startsWith('-') ? '* ' : '- ')
      case 'table':
        return this.#table(element)
      default:
        return this.blocksIn(element)
    }
  }

  #heading(element: ElementNode): string[] {
    // A heading with blocks inside is not one that Markdown can write.
    if (this.#containers.has(element)) return this.blocksIn(element)
    const text = inlineMarkdown([element], this.#context, IN_HEADING)
    if (text === '') return []
    const level = Number(element.name.slice(1))
    return [`${'#'.repeat(level)} ${text.replace(/(#+)$/, '\\$1')}`]
  }

  #nested(element: ElementNode, write: (blocks: string[]) => string[]): string[] {
    if (this.#level >= MAX_LEVEL) return this.blocksIn(element)
    this.#level++
    const blocks = this.blocksIn(element)
    this.#level--
    return blocks.length === 0 ? [] : write(blocks)
  }

  #list(list: ElementNode, marker: (index: number) => string): string[] {
    if (this.#level >= MAX_LEVEL) return this.blocksIn(list)
    const items: string[] = []
    let isLoose = false
    for (let child = list.firstChild; child !== null; child = child.next) {
      const blocks = this.#itemBlocks(child)
      if (blocks.length === 0) continue
      isLoose ||= blocks.slice(1).some((block) => !/^(?:[-*]|\d+[.)]) /.test(block))
      items.push(listItem(blocks, marker(items.length)))
    }
    return items.length === 0 ? [] : [items.join(isLoose ? '\n\n' : '\n')]
  }

  /** The blocks of one item, or of something else between the items. */
  #itemBlocks(child: TreeNode): string[] {
    if (this.#context.isDropped(child)) return []
    this.#level++
    const blocks =
      child instanceof ElementNode && BLOCKS.has(child.name)
        ? child.name === 'li'
          ? this.blocksIn(child)
          : this.#block(child, '')
        : this.#paragraphs([child])
    this.#level--
    return blocks
  }

  /** Short definitions are a list whose items start with the term; long ones follow their term as blocks. */
  #definitions(list: ElementNode, marker: string): string[] {
    const entries: Array<{ readonly terms: string[]; readonly blocks: string[] }> = []
    this.#collect(list, entries)
    const isShort = entries.every(
      ({ blocks, terms }) =>
        terms.length > 0 && blocks.length <= 3 && !blocks.some((block) => /^(?:#|```|\|)/.test(block)),
    )
    if (!isShort || this.#level >= MAX_LEVEL)
      return entries.flatMap(({ terms, blocks }) => [...terms, ...blocks])
    const items = entries.map(({ terms, blocks }) => listItem([...terms, ...blocks], marker))
    return items.length === 0 ? [] : [items.join('\n\n')]
  }

  #collect(list: ElementNode, entries: Array<{ readonly terms: string[]; readonly blocks: string[] }>): void {
    for (let child = list.firstChild; child !== null; child = child.next) {
      if (this.#context.isDropped(child)) continue
      if (child instanceof ElementNode && child.name === 'div') this.#collect(child, entries)
      else if (child instanceof ElementNode && child.name === 'dt') {
        const terms = this.#terms(child)
        const last = entries.at(-1)
        if (last !== undefined && last.blocks.length === 0) appendAll(last.terms, terms)
        else if (terms.length > 0) entries.push({ terms, blocks: [] })
      } else {
        const blocks = this.#itemBlocks(child)
        if (blocks.length === 0) continue
        if (entries.length === 0) entries.push({ terms: [], blocks: [] })
        appendAll(entries.at(-1)?.blocks ?? [], blocks)
      }
    }
  }

  #terms(term: ElementNode): string[] {
    if (this.#containers.has(term)) return this.blocksIn(term)
    const text = inlineMarkdown([term], this.#context, IN_PARAGRAPH)
    if (text === '') return []
    return [/[*\\]/.test(text) || /\s$/.test(text) ? text : `**${text}**`]
  }

  #table(table: ElementNode): string[] {
    const rows = readTable(table, this.#containers, this.#context)
    return rows === undefined ? this.blocksIn(table) : tableMarkdown(rows, this.#context)
  }
}

const LISTS = new Set(['ul', 'ol', 'dl', 'menu', 'dir'])

function numbering(list: ElementNode, delimiter: string): (index: number) => string {
  const given = Number.parseInt(list.attribute('start') ?? '1', 10)
  const start = given >= 0 && given < 100_000_000 ? given : 1
  return (index) => `${start + index}${delimiter} `
}

/** A code block at the start of an item, or a rule, is written on the line of the marker, as all else. */
function listItem(blocks: readonly string[], marker: string): string {
  const isTight = blocks.slice(1).every((block) => /^(?:[-*]|\d+[.)]) /.test(block))
  return indented(blocks.join(isTight ? '\n' : '\n\n'), marker, ' '.repeat(marker.length))
}

function indented(text: string, first: string, others: string): string {
  return (
    first +
    text
      .replace(/\n(?!\n|$)/g, `\n${others}`)
      .replace(/\n(?=\n)/g, others.trim() === '' ? '\n' : `\n${others.trimEnd()}`)
  )
}
