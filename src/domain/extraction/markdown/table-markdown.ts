import { ElementNode, type TreeNode } from '../../selectors/nodes.ts'
import { IN_CELL, IN_PARAGRAPH, type InlineContext, inlineMarkdown } from './inline-markdown.ts'

/** A table that Markdown can write. Cells that others span are empty. */
export interface PlainTable {
  readonly caption?: ElementNode
  readonly head: readonly Cell[]
  readonly rows: ReadonlyArray<readonly Cell[]>
}

type Cell = readonly TreeNode[]

/**
 * Reads a table with at least two columns and one line of text in each cell. `undefined`: another one, mostly a layout; its
 * cells are written one after the other.
 */
export function readTable(
  table: ElementNode,
  containers: ReadonlySet<TreeNode>,
  { isDropped }: Pick<InlineContext, 'isDropped'>,
): PlainTable | undefined {
  const grid: Cell[][] = []
  let caption: ElementNode | undefined
  let headRows = 0
  for (const part of partsOf(table, isDropped)) {
    if (part.name === 'caption') {
      if (containers.has(part)) return undefined
      caption = part
    } else {
      const row = readRow(part, containers, isDropped)
      if (row === undefined) return undefined
      if (grid.length === 0 && row.isHead) headRows = 1
      if (row.cells.length > 0) grid.push(row.cells)
    }
  }
  const columns = grid.reduce((most, row) => Math.max(most, row.length), 0)
  if (columns < 2 || columns > MAX_COLUMNS || grid.length === 0) return undefined
  const full = grid.map((row) => [...row, ...Array.from({ length: columns - row.length }, (): Cell => [])])
  const head = headRows === 1 ? full[0] : undefined
  return {
    ...(caption && { caption }),
    head: head ?? Array.from({ length: columns }, () => []),
    rows: full.slice(headRows),
  }
}

const MAX_COLUMNS = 100

/** Rows and the caption; an element elsewhere in the table is not part of it. */
function* partsOf(table: ElementNode, isDropped: (node: TreeNode) => boolean): Generator<ElementNode> {
  for (let child = table.firstChild; child !== null; child = child.next) {
    if (!(child instanceof ElementNode) || isDropped(child)) continue
    if (child.name === 'tr' || child.name === 'caption') yield child
    else if (child.name === 'thead' || child.name === 'tbody' || child.name === 'tfoot')
      yield* partsOf(child, isDropped)
  }
}

interface Row {
  readonly cells: Cell[]
  readonly isHead: boolean
}

function readRow(
  row: ElementNode,
  containers: ReadonlySet<TreeNode>,
  isDropped: (node: TreeNode) => boolean,
): Row | undefined {
  const cells: Cell[] = []
  let isHead = true
  for (let child = row.firstChild; child !== null; child = child.next) {
    if (!(child instanceof ElementNode) || isDropped(child) || (child.name !== 'td' && child.name !== 'th'))
      continue
    const content = cellContent(child, containers)
    if (content === undefined) return undefined
    if (child.name !== 'th') isHead = false
    cells.push(content)
    for (let span = spanOf(child); span > 1; span--) cells.push([])
  }
  return { cells, isHead: isHead && cells.length > 0 }
}

function spanOf(cell: ElementNode): number {
  const span = Number.parseInt(cell.attribute('colspan') ?? '1', 10)
  return span > 1 ? Math.min(span, MAX_COLUMNS) : 1
}

/** The inline content of a cell; `undefined`: it has more than one paragraph. */
function cellContent(cell: ElementNode, containers: ReadonlySet<TreeNode>): Cell | undefined {
  if (!containers.has(cell)) return childrenOf(cell)
  const filled = childrenOf(cell).filter((node) => node.nodeType !== 3 || node.data.trim() !== '')
  const [only] = filled
  if (filled.length !== 1 || !(only instanceof ElementNode) || containers.has(only)) return undefined
  return only.name === 'p' || only.name === 'div' ? childrenOf(only) : undefined
}

function childrenOf(node: TreeNode): TreeNode[] {
  const children: TreeNode[] = []
  for (let child = node.firstChild; child !== null; child = child.next) children.push(child)
  return children
}

export function tableMarkdown({ caption, head, rows }: PlainTable, context: InlineContext): string[] {
  const line = (cells: readonly Cell[]) =>
    `| ${cells.map((cell) => inlineMarkdown(cell, context, IN_CELL)).join(' | ')} |`
  const body = [line(head), `|${' --- |'.repeat(head.length)}`, ...rows.map(line)].join('\n')
  const text = caption === undefined ? '' : inlineMarkdown(childrenOf(caption), context, IN_PARAGRAPH)
  return text === '' ? [body] : [text, body]
}
