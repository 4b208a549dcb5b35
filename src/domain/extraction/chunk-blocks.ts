import { BETWEEN_BLOCKS } from './markdown/markdown-of.ts'

export interface ChunkOptions {
  /** Maximum characters of a chunk, its overlap included. */
  readonly size: number
  /** Characters that a chunk repeats of the one before it in the same section, at most. */
  readonly overlap: number
}

/** A part of a text. */
export interface Chunk {
  /** Where it starts and ends in the text, in UTF-16 code units. */
  readonly start: number
  readonly end: number
  /** The headings it is under, the highest level first. */
  readonly breadcrumbs: readonly string[]
}

/**
 * Divides Markdown into chunks of at most `size` characters: at headings first, then between blocks, and inside a block, a
 * code block too, only if it is longer than a chunk. A short section stays together with the sections below it.
 * @param blocks the text, without the empty lines between blocks
 */
export function chunkBlocks(blocks: readonly string[], { size, overlap }: ChunkOptions): Chunk[] {
  const text = blocks.join(BETWEEN_BLOCKS)
  const chunks: Chunk[] = []
  const path: Heading[] = []
  let open: OpenChunk | undefined
  let start = 0
  const close = () => {
    if (open !== undefined) chunks.push({ start: open.start, end: open.end, breadcrumbs: open.breadcrumbs })
    open = undefined
  }
  for (const block of blocks) {
    const end = start + block.length
    const heading = headingOf(block)
    if (heading !== undefined) {
      while ((path.at(-1)?.level ?? 0) >= heading.level) path.pop()
      path.push(heading)
    }
    if (open !== undefined && heading !== undefined) {
      if (staysTogether(open, heading, size)) open.level = heading.level
      else close()
    }
    if (open !== undefined && end - open.start > size) {
      const before: OpenChunk = open
      close()
      const isSameSection = heading === undefined
      const from = isSameSection
        ? overlapStart(text, before, start, Math.min(overlap, size - block.length))
        : start
      open = { start: from, end, level: before.level, breadcrumbs: path.map((one) => one.text) }
    }
    open ??= { start, end, level: path.at(-1)?.level ?? 0, breadcrumbs: path.map((one) => one.text) }
    open.end = end
    if (end - open.start > size) open = splitLong(text, open, size, overlap, chunks)
    start = end + BETWEEN_BLOCKS.length
  }
  close()
  return chunks
}

interface OpenChunk {
  readonly start: number
  end: number
  /** Level of its last heading; 0: none. */
  level: number
  readonly breadcrumbs: readonly string[]
}

interface Heading {
  readonly level: number
  readonly text: string
}

function headingOf(block: string): Heading | undefined {
  const [, marks, text] = /^(#{1,6}) (.*)$/.exec(block) ?? []
  return marks === undefined ? undefined : { level: marks.length, text: plainHeading(text ?? '') }
}

/** A heading without links, emphasis and escapes. */
function plainHeading(markdown: string): string {
  return markdown
    .replace(/!?\[((?:\\.|[^\]\\])*)\]\((?:<[^>]*>|[^)]*)\)/g, '$1')
    .replace(/(?<!\\)(?:\*+|`+|~~)/g, '')
    .replace(/\\(?=[!-/:-@[-`{-~])/g, '')
    .trim()
}

/** A short chunk continues with the first section below its own. */
function staysTogether({ start, end, level }: OpenChunk, heading: Heading, size: number): boolean {
  return end - start < size / 4 && heading.level > level
}

/** The start of a whole block, line, sentence or word of the chunk before, at most `overlap` characters before `end`. */
function overlapStart(text: string, before: OpenChunk, end: number, overlap: number): number {
  const earliest = Math.max(before.start + 1, end - BETWEEN_BLOCKS.length - overlap)
  if (overlap <= 0 || earliest >= end) return end
  const part = text.slice(earliest, end)
  for (const boundary of [/\n\n(?=\S)/, /\n(?=\S)/, /[.!?。！？]\s(?=\S)/, /\s(?=\S)/]) {
    const found = boundary.exec(part)
    if (found !== null) return earliest + found.index + found[0].length
  }
  return end
}

/** Writes the parts of a chunk that is too long, and returns the last one. */
function splitLong(text: string, long: OpenChunk, size: number, overlap: number, chunks: Chunk[]): OpenChunk {
  const { breadcrumbs, level, end } = long
  let start = long.start
  while (end - start > size) {
    const cut = cutBefore(text, start, start + size)
    chunks.push({ start, end: cut, breadcrumbs })
    const next = skipSpace(text, cut, end)
    const from = overlapStart(text, { ...long, start }, next, Math.min(overlap, Math.floor(size / 2)))
    // A chunk always gets further than the one before it.
    start = from > start ? from : next
  }
  return { start, end, level, breadcrumbs }
}

/** The last good place to cut at or before `limit`: after a block, a line, a sentence or a word, or else between characters. */
function cutBefore(text: string, start: number, limit: number): number {
  const part = text.slice(start, limit + 1)
  const earliest = Math.floor((limit - start) / 2)
  for (const boundary of ['\n\n', '\n', '. ', '。', ' ']) {
    const at = part.lastIndexOf(boundary)
    if (at > earliest) return start + at + (boundary === '. ' || boundary === '。' ? 1 : 0)
  }
  const isInPair = (text.codePointAt(limit - 1) ?? 0) > 0xffff
  return isInPair && limit - 1 > start ? limit - 1 : limit
}

function skipSpace(text: string, from: number, end: number): number {
  let at = from
  while (at < end && /\s/.test(text.charAt(at))) at++
  return at
}
