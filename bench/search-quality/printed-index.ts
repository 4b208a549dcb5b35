import { buildTree } from '../../src/domain/selectors/document.ts'
import { ElementNode, type TreeNode } from '../../src/domain/selectors/nodes.ts'
import { readableText } from '../../src/domain/selectors/readable-text.ts'

/** How the page of a printed index is written. */
export type IndexFormat = 'sphinx' | 'texinfo' | 'list' | 'definitions'

/** A term of a printed index and the page that it names; a term may name several. */
export interface IndexEntry {
  readonly term: string
  /** The term that it is listed under; absent for a main term. The index names the page for that one, too. */
  readonly above?: string
  /** As the page has it, without the fragment. */
  readonly href: string
}

/** The entries of the index page of a book. */
export function readPrintedIndex(html: string, format: IndexFormat): IndexEntry[] {
  const root = buildTree(html, 'html')
  const entries: IndexEntry[] = []
  for (let element = root.following; element !== null; element = element.following) {
    if (element.name !== 'a') continue
    const href = element.attribute('href') ?? ''
    const terms = TERMS[format](element, href).filter((term) => term !== '')
    const page = href.replace(/#.*$/s, '')
    if (terms.length === 0 || !isRelativePage(page)) continue
    const above = terms.slice(0, -1).join(' ')
    entries.push({ term: terms.join(' '), ...(above !== '' && { above }), href: page })
  }
  return entries
}

/** The term of a link, after those that it is listed under. None: the link is not an entry. */
const TERMS: Readonly<Record<IndexFormat, (link: ElementNode, href: string) => string[]>> = {
  sphinx: sphinxTerms,
  texinfo: (link, href) => (href.includes('#index-') ? [textOf(link)] : []),
  list: (link) => (link.parent?.name === 'li' ? [textOf(link)] : []),
  definitions: definitionTerms,
}

/** `name() (method of X)`, `[1]`, or a link under the term: `--all`, below it `dumpdata command line option`. */
function sphinxTerms(link: ElementNode): string[] {
  if (!isInside(link, 'table')) return []
  const own = withoutContext(textOf(link))
  const item = closest(link, 'li')
  const above = item === undefined ? undefined : closest(item, 'li')
  const heading = above === undefined ? '' : withoutContext(ownText(above))
  if (/^\[\d+\]$/.test(own) || own === '') return [heading || withoutContext(ownText(item))]
  return [heading, own]
}

/** `<dt>term</dt><dd><a>page</a><dl><dt>subterm…` */
function definitionTerms(link: ElementNode): string[] {
  const terms: string[] = []
  for (let at: TreeNode | null = link; at !== null; at = at.parent) {
    if (!(at instanceof ElementNode) || at.name !== 'dd') continue
    let before: TreeNode | null = at.prev
    while (before !== null && !(before instanceof ElementNode)) before = before.prev
    if (before instanceof ElementNode && before.name === 'dt') terms.unshift(textOf(before))
  }
  return terms
}

function withoutContext(text: string): string {
  return text
    .replace(/\s*\([^()]*\)$/, '')
    .replace(/\(\)$/, '')
    .trim()
}

function textOf(element: ElementNode): string {
  return readableText(element, 'html').replace(/\s+/g, ' ').trim()
}

/** The text directly in an element, and in its first link. */
function ownText(element: ElementNode | undefined): string {
  let text = ''
  for (let child = element?.firstChild ?? null; child !== null; child = child.next) {
    if (child.nodeType === 3) text += child.data
    else if (child instanceof ElementNode && child.name === 'a' && text.trim() === '') return textOf(child)
  }
  return text.replace(/\s+/g, ' ').trim()
}

function closest(node: TreeNode, name: string): ElementNode | undefined {
  for (let at = node.parent; at !== null; at = at.parent)
    if (at instanceof ElementNode && at.name === name) return at
  return undefined
}

function isInside(node: TreeNode, name: string): boolean {
  return closest(node, name) !== undefined
}

function isRelativePage(href: string): boolean {
  return /\.html?$/i.test(href) && !/^[a-z]+:/i.test(href)
}
