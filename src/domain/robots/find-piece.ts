/** Up to this length the search of the JavaScript engine is linear; the shift table of V8 covers no more. */
const NATIVE_LIMIT = 200

/**
 * `text.indexOf(piece, from)`, but never in quadratic time: robots.txt files and URLs can be hostile. Long pieces, which real files do not
 * have, are searched with the Knuth-Morris-Pratt algorithm.
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

/** For each prefix of `piece`: the length of its longest proper prefix that is also its suffix. */
function bordersOf(piece: string): Uint32Array {
  const borders = new Uint32Array(piece.length + 1)
  let border = 0
  for (let i = 1; i < piece.length; i++) {
    border = extend(piece, borders, border, piece.charCodeAt(i))
    borders[i + 1] = border
  }
  return borders
}

/** The matched length of `piece` after `code`, given the matched length before it. */
function extend(piece: string, borders: Uint32Array, matched: number, code: number): number {
  let length = matched
  while (length > 0 && piece.charCodeAt(length) !== code) length = borders[length] ?? 0
  return piece.charCodeAt(length) === code ? length + 1 : 0
}
