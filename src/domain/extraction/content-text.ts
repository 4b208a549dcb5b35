import { ElementNode, type TreeNode } from '../selectors/nodes.ts'
import { nextPast } from '../selectors/walk.ts'
import { BLOCKS, PREFORMATTED } from './element-kinds.ts'
import type { MainContent } from './find-main-content.ts'

/** The text of a content: a line for each block, a tab between cells, white space collapsed except in `<pre>`. */
export function contentText({ top, isDropped }: MainContent): string {
  const writer = new LineWriter()
  let preformatted = 0
  let node: TreeNode | null = top.firstChild
  while (node !== null) {
    let inside: TreeNode | null = null
    if (node instanceof ElementNode) {
      if (!isDropped(node)) {
        writer.break(breakOf(node.name))
        inside = node.firstChild
        if (inside !== null && PREFORMATTED.has(node.name)) preformatted++
      }
    } else if (node.nodeType === 3 && !isDropped(node)) {
      if (preformatted === 0 && node.isBlank) writer.space()
      else if (!isPermalink(node)) writer.write(node.data, preformatted > 0)
    }
    const next: TreeNode | null = inside ?? nextPast(node, top)
    if (inside === null) {
      const around = next?.parent ?? top
      for (
        let at: TreeNode | null = node.parent;
        at !== null && at !== around && at !== top.parent;
        at = at.parent
      ) {
        writer.break(breakOf(at.name))
        if (PREFORMATTED.has(at.name)) preformatted--
      }
    }
    node = next
  }
  return writer.finish()
}

/** The sign with which documentation links a heading to itself. */
export function isPermalink(node: TreeNode): boolean {
  return (
    node.parent?.name === 'a' && node.nodeType === 3 && node.data.length <= 3 && PERMALINK.test(node.data)
  )
}

const PERMALINK = /^\s*[¶§#🔗]\s*$/u

type Break = '' | '\t' | '\n'

function breakOf(name: string): Break {
  if (name === 'td' || name === 'th') return '\t'
  return BLOCKS.has(name) || name === 'br' ? '\n' : ''
}

/** White space that is not a single space. */
const UNEVEN = /[\t\n\f\r]| {2}/

/** Collapses white space and breaks. */
class LineWriter {
  #text = ''
  #break: Break = ''
  #space = false
  /** Reading the end of the text would join its pieces each time. */
  #endsInLine = false

  break(kind: Break): void {
    if (kind === '\n' || (kind === '\t' && this.#break === '')) this.#break = kind
  }

  space(): void {
    this.#space = true
  }

  write(data: string, preformatted: boolean): void {
    if (preformatted) {
      const lines = data.trim() === '' && this.#break !== '' ? '' : data
      if (lines !== '') this.#add(this.#break === '' ? lines : lines.replace(/^\n+/, ''))
      return
    }
    const collapsed = UNEVEN.test(data) ? data.replace(/[\t\n\f\r ]+/g, ' ') : data
    if (collapsed === ' ' || collapsed === '') {
      if (collapsed === ' ') this.#space = true
      return
    }
    if (collapsed.charCodeAt(0) === 0x20) this.#space = true
    const endsInSpace = collapsed.charCodeAt(collapsed.length - 1) === 0x20
    this.#add(collapsed.slice(collapsed.charCodeAt(0) === 0x20 ? 1 : 0, endsInSpace ? -1 : undefined))
    this.#space = endsInSpace
  }

  finish(): string {
    return this.#text.trimEnd()
  }

  #add(text: string): void {
    if (this.#text !== '') {
      if (this.#break !== '') this.#text += this.#endsInLine ? '' : this.#break
      else if (this.#space) this.#text += ' '
    }
    this.#text += text
    this.#endsInLine = text.endsWith('\n')
    this.#break = ''
    this.#space = false
  }
}
