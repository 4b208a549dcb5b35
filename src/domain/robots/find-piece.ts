/** Up to here the engine's own search is linear; its shift table covers no more of a longer piece. */
const NATIVE_LIMIT = 200

/**
 * `text.indexOf(piece, from)` in a time that no choice of `text` and `piece` can make quadratic: both are written by
 * strangers. Long pieces, which honest files do not have, take the Knuth-Morris-Pratt way.
 */
export function findPiece(text: string, piece: string, from: number): number {
  if (piece.length <= NATIVE_LIMIT) return text.indexOf(piece, from)
  if (piece.length > text.length - from) return -1
  const borders = bordersOf(piece)
  let matched = 0
  for (let i = from; i < text.length; i++) {
    matched = extend(piece, borders, matched, text.charCodeAt(i))
    if (matched === piece.length) return i - matched + 1
  }
  return -1
}

/** For each length of a beginning of `piece`: the longest shorter beginning that is also its end. */
function bordersOf(piece: string): Uint32Array {
  const borders = new Uint32Array(piece.length + 1)
  let border = 0
  for (let i = 1; i < piece.length; i++) {
    border = extend(piece, borders, border, piece.charCodeAt(i))
    borders[i + 1] = border
  }
  return borders
}

/** How much of `piece` is matched once `code` follows `matched` of it. */
function extend(piece: string, borders: Uint32Array, matched: number, code: number): number {
  let length = matched
  while (length > 0 && piece.charCodeAt(length) !== code) length = borders[length] ?? 0
  return piece.charCodeAt(length) === code ? length + 1 : 0
}
