import type { MarkedText } from '../../domain/search/search-result.ts'

/** Private characters around a match, which texts of documents rarely have. */
export const MARK_START = '\ue000'
export const MARK_END = '\ue001'

/** The parts of a text that a server marked. */
export function markedParts(text: string): MarkedText[] {
  return text.split(MARK_START).flatMap((piece, i) => {
    const end = i === 0 ? -1 : piece.indexOf(MARK_END)
    const parts = [
      { text: piece.slice(0, Math.max(end, 0)), marked: true },
      { text: piece.slice(end + 1).replaceAll(MARK_END, ''), marked: false },
    ]
    return parts.filter((part) => part.text !== '')
  })
}
