import { appendAll } from '../../../base/append-all.ts'
import { ElementNode, type TreeNode } from '../../selectors/nodes.ts'
import { plainText } from '../../selectors/readable-text.ts'
import { isPermalink } from '../content-text.ts'
import { codeSpan, destination, escapeLineStart, escapeMarkdown } from './escape-markdown.ts'

/** What inline content needs to know about the page. */
export interface InlineContext {
  isDropped(node: TreeNode): boolean
  /** The absolute URL of a link or an image; `undefined`: it leads to nothing that can be fetched. */
  resolve(href: string): string | undefined
}

/** Where a piece of inline content stands. */
export interface InlinePlace {
  /** How a line break is written. */
  readonly lineBreak: string
  /** `|` is special. */
  readonly inTable: boolean
}

export const IN_PARAGRAPH: InlinePlace = { lineBreak: '\\\n', inTable: false }
export const IN_HEADING: InlinePlace = { lineBreak: ' ', inTable: false }
export const IN_CELL: InlinePlace = { lineBreak: '<br>', inTable: true }

/** Text is escaped when what stands next to it is known. `mark`: written as it is; `edge`: an end of emphasis. */
type Piece =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'mark'; readonly text: string }
  | { readonly kind: 'code'; readonly text: string }
  | {
      readonly kind: 'edge'
      readonly text: string
      readonly opens: boolean
      readonly partner: { kept: boolean }
    }
  | { readonly kind: 'break' }

/** Markdown of a run of inline nodes, in one line except for line breaks; `''`: it has no text and no image. */
export function inlineMarkdown(
  nodes: readonly TreeNode[],
  context: InlineContext,
  place: InlinePlace,
): string {
  const pieces: Piece[] = []
  for (const node of nodes)
    addPieces(node, context, pieces, { inLink: false, inEmphasis: false, inCode: false })
  return writePieces(trimmed(pieces), place)
}

interface Around {
  readonly inLink: boolean
  readonly inEmphasis: boolean
  /** Texts are code spans. */
  readonly inCode: boolean
}

const EMPHASIS: ReadonlyMap<string, string> = new Map([
  ...([
    ['em', '*'],
    ['i', '*'],
    ['cite', '*'],
    ['dfn', '*'],
    ['var', '*'],
  ] as const),
  ...([
    ['strong', '**'],
    ['b', '**'],
    ['del', '~~'],
    ['s', '~~'],
    ['strike', '~~'],
  ] as const),
])
const CODE = new Set(['code', 'kbd', 'samp', 'tt'])

function addPieces(node: TreeNode, context: InlineContext, pieces: Piece[], around: Around): void {
  if (context.isDropped(node)) return
  if (!(node instanceof ElementNode)) {
    if (node.nodeType !== 3 || isPermalink(node)) return
    if (around.inCode) addCodeSpan(node.data, pieces)
    else pieces.push({ kind: 'text', text: collapsed(node.data) })
    return
  }
  const { name } = node
  if (name === 'br') pieces.push({ kind: 'break' })
  else if (name === 'img') addImage(node, context, pieces)
  else if (CODE.has(name)) addCode(node, context, pieces, around)
  else if (name === 'a') addLink(node, context, pieces, around)
  else {
    const mark = around.inEmphasis ? undefined : EMPHASIS.get(name)
    if (mark === undefined) addChildren(node, context, pieces, around)
    else addWrapped(node, context, pieces, mark, { ...around, inEmphasis: true })
  }
}

function addChildren(node: ElementNode, context: InlineContext, pieces: Piece[], around: Around): void {
  for (let child = node.firstChild; child !== null; child = child.next)
    addPieces(child, context, pieces, around)
}

/** White space at the ends of emphasis goes outside of it, where Markdown wants it. */
function addWrapped(
  node: ElementNode,
  context: InlineContext,
  pieces: Piece[],
  mark: string,
  around: Around,
): void {
  const inside: Piece[] = []
  addChildren(node, context, inside, around)
  const core = trimmed(inside)
  const first = inside[0]
  const last = inside.at(-1)
  if (first?.kind === 'text' && first.text.startsWith(' ')) pieces.push(SPACE)
  if (core.length > 0) {
    const partner = { kept: !core.some(({ kind }) => kind === 'break') }
    pieces.push({ kind: 'edge', text: mark, opens: true, partner })
    appendAll(pieces, core)
    pieces.push({ kind: 'edge', text: mark, opens: false, partner })
  }
  if (last?.kind === 'text' && last.text.endsWith(' ')) pieces.push(SPACE)
}

const SPACE: Piece = { kind: 'text', text: ' ' }

function addCode(node: ElementNode, context: InlineContext, pieces: Piece[], around: Around): void {
  // A code span has no links and images inside; each text next to them becomes one.
  if (hasLink(node)) addChildren(node, context, pieces, { ...around, inCode: true })
  else addCodeSpan(plainText(node), pieces)
}

function addCodeSpan(data: string, pieces: Piece[]): void {
  const text = collapsed(data)
  const code = text.trim()
  if (text.startsWith(' ')) pieces.push(SPACE)
  if (code !== '') pieces.push({ kind: 'code', text: code })
  if (text.length > 1 && text.endsWith(' ')) pieces.push(SPACE)
}

function hasLink(node: TreeNode): boolean {
  for (let child = node.firstChild; child !== null; child = child.next)
    if (child instanceof ElementNode && (child.name === 'a' || child.name === 'img' || hasLink(child)))
      return true
  return false
}

function addLink(node: ElementNode, context: InlineContext, pieces: Piece[], around: Around): void {
  const href = node.attribute('href')
  const url = around.inLink || href === undefined ? undefined : context.resolve(href)
  if (url === undefined) {
    addChildren(node, context, pieces, around)
    return
  }
  const inside: Piece[] = []
  addChildren(node, context, inside, { ...around, inLink: true })
  const core = trimmed(inside)
  const first = inside[0]
  const last = inside.at(-1)
  if (first?.kind === 'text' && first.text.startsWith(' ')) pieces.push(SPACE)
  if (core.length > 0) {
    pieces.push({ kind: 'mark', text: '[' })
    appendAll(pieces, core)
    pieces.push({ kind: 'mark', text: `](${destination(url)})` })
  }
  if (last?.kind === 'text' && last.text.endsWith(' ')) pieces.push(SPACE)
}

function addImage(node: ElementNode, context: InlineContext, pieces: Piece[]): void {
  // Without a text it is decoration; of one dot it counts visitors.
  const alt = node.attribute('alt')
  if (alt === '' || node.attribute('width') === '1' || node.attribute('height') === '1') return
  const sources = [
    node.attribute('src'),
    node.attribute('data-src'),
    node.attribute('srcset')?.trim().split(/[\s,]/)[0],
  ]
  const url = sources.flatMap((src) => (src === undefined ? [] : (context.resolve(src) ?? [])))[0]
  if (url === undefined) return
  const text = escapeMarkdown(collapsed(alt ?? '').trim(), '', '')
  pieces.push({ kind: 'mark', text: `![${text}](${destination(url)})` })
}

function collapsed(text: string): string {
  return text.replace(/[\t\n\f\r ]+/g, ' ')
}

/** Without white space and breaks at its ends; empty if there is nothing else. */
function trimmed(pieces: readonly Piece[]): Piece[] {
  const isBlank = (piece: Piece | undefined) =>
    piece !== undefined && (piece.kind === 'break' || (piece.kind === 'text' && piece.text.trim() === ''))
  let from = 0
  let to = pieces.length
  while (from < to && isBlank(pieces[from])) from++
  while (to > from && isBlank(pieces[to - 1])) to--
  const core = pieces.slice(from, to)
  const first = core[0]
  if (first?.kind === 'text') core[0] = { kind: 'text', text: first.text.trimStart() }
  const last = core.at(-1)
  if (last?.kind === 'text') core[core.length - 1] = { kind: 'text', text: last.text.trimEnd() }
  return core
}

/**
 * Neighbouring texts in one piece, so that escapes see what is next to a character. A code span after another one becomes text: without a character
 * between them they would be one, and whether emphasis ends between them is not known yet.
 */
function joined(pieces: readonly Piece[]): Piece[] {
  const result: Piece[] = []
  let texts: string[] = []
  const endText = () => {
    if (texts.length > 0) result.push({ kind: 'text', text: collapsed(texts.join('')) })
    texts = []
  }
  let isAfterCode = false
  for (const piece of pieces) {
    if (piece.kind === 'text' || (piece.kind === 'code' && isAfterCode)) texts.push(piece.text)
    else {
      endText()
      result.push(piece)
    }
    if (piece.kind === 'code') isAfterCode = !isAfterCode
    else if (piece.kind !== 'edge' && !(piece.kind === 'text' && piece.text === '')) isAfterCode = false
  }
  endText()
  return result
}

function writePieces(given: readonly Piece[], place: InlinePlace): string {
  const pieces = joined(given)
  for (const [i, piece] of pieces.entries())
    if (piece.kind === 'edge' && !canStand(pieces, i)) piece.partner.kept = false
  // A line is joined once: looking at the end of a text that grows takes quadratic time.
  let line: string[] = []
  let last = ''
  const lines: string[] = []
  const add = (text: string) => {
    if (text === '') return
    line.push(text)
    last = text.at(-1) ?? ''
  }
  const endLine = () => {
    lines.push(line.join('').trimEnd())
    line = []
    last = ''
  }
  const inCell = (text: string) => (place.inTable ? text.replaceAll('|', '\\|') : text)
  for (const [i, piece] of pieces.entries()) {
    if (piece.kind === 'break') endLine()
    else if (piece.kind === 'code') add(inCell(codeSpan(piece.text)))
    else if (piece.kind === 'text') {
      const text = last === '' || last === ' ' ? piece.text.trimStart() : piece.text
      add(textIn(text, last, characterAfter(pieces[i + 1]), place))
    } else if (piece.kind === 'mark') {
      // `![` would start an image.
      if (last === '!' && piece.text.startsWith('[')) line.push(`${line.pop()?.slice(0, -1)}\\!`)
      add(inCell(piece.text))
    } else if (piece.partner.kept) add(piece.text)
  }
  endLine()
  return joinLines(lines, place)
}

/** Empty lines are left out: two breaks in a row would end a paragraph. */
function joinLines(lines: readonly string[], { lineBreak }: InlinePlace): string {
  const full = lines.map((line) => line.trim()).filter((line) => line !== '')
  return (lineBreak.endsWith('\n') ? full.map(escapeLineStart) : full).join(lineBreak)
}

function textIn(text: string, before: string, after: string, { inTable }: InlinePlace): string {
  // An address with special characters is written as a link: a parser that finds links in texts would take escapes for a part of it.
  const parts = text.split(BARE_URL)
  const safe = parts.map((part, i) => {
    if (i % 2 === 1 && /[*_~&]/.test(part) && !/[<>\\`[\]|]/.test(part)) return `<${part}>`
    return escapeMarkdown(part, parts[i - 1]?.at(-1) ?? before, parts[i + 1]?.at(0) ?? after)
  })
  return inTable ? safe.join('').replaceAll('|', '\\|') : safe.join('')
}

const BARE_URL = /(\bhttps?:\/\/[^\s<>]*[^\s<>.,;:!?'")\]])/

/** The character that follows a text; `''` also if that is not sure yet. */
function characterAfter(piece: Piece | undefined): string {
  return piece?.kind === 'edge' ? '' : firstCharacter(piece)
}

/** The first visible character of what follows; a mark counts as punctuation, and so does an address, which may be written as `<…>`. */
function firstCharacter(piece: Piece | undefined): string {
  if (piece === undefined || piece.kind === 'break') return ''
  if (piece.kind !== 'text' || /^https?:/.test(piece.text)) return '*'
  return String.fromCodePoint(piece.text.codePointAt(0) ?? 0x20)
}

function lastCharacter(piece: Piece | undefined): string {
  if (piece === undefined || piece.kind === 'break') return ''
  return piece.kind !== 'text' || /https?:[^\s<>]*$/.test(piece.text.slice(-2_000))
    ? '*'
    : lastCodePoint(piece.text)
}

function lastCodePoint(text: string): string {
  return text.slice(/[\udc00-\udfff]$/.test(text.slice(-1)) ? -2 : -1)
}

/** Whether Markdown takes a delimiter for emphasis: not next to another one, and by the rules about punctuation and words. */
function canStand(pieces: readonly Piece[], at: number): boolean {
  const edge = pieces[at]
  if (edge?.kind !== 'edge') return false
  const { opens } = edge
  const [outer, inner] = opens ? [pieces[at - 1], pieces[at + 1]] : [pieces[at + 1], pieces[at - 1]]
  if (outer?.kind === 'edge' || inner?.kind === 'edge') return false
  const outerCharacter = opens ? lastCharacter(outer) : firstCharacter(outer)
  const innerCharacter = opens ? firstCharacter(inner) : lastCharacter(inner)
  if (innerCharacter === '' || /\s/u.test(innerCharacter)) return false
  if (outerCharacter === '' || /\s/u.test(outerCharacter)) return true
  if (/[\p{P}\p{S}]/u.test(outerCharacter)) return true
  return !/[\p{P}\p{S}]/u.test(innerCharacter)
}
