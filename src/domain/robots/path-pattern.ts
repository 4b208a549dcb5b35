import { findPiece } from './find-piece.ts'
import { comparablePattern } from './path-octets.ts'

/**
 * The path of one rule: a prefix in which `*` matches any octets, and a `$` at the end matches the end of the path.
 *
 * The text between two stars is searched from left to right. The leftmost occurrence is always sufficient, so the search never
 * backtracks: the time is linear in the path, whatever the pattern.
 */
export class PathPattern {
  /** The longer of two matching rules decides. Stars and the `$` count, as in the large search engines. */
  readonly octets: number
  readonly prefix: string
  /** The texts that must follow the prefix in this order, with any text between them. */
  readonly pieces: readonly string[]
  /** The text that the path must end with after all pieces; empty if any end matches. */
  readonly end: string
  /** No star and a `$`: the prefix is the whole path. */
  readonly #whole: boolean
  readonly #minLength: number

  /** @param path the value of an Allow or Disallow line, one character for each octet */
  constructor(path: string) {
    const pattern = comparablePattern(path)
    const anchored = pattern.endsWith('$')
    const [prefix = '', ...pieces] = (anchored ? pattern.slice(0, -1) : pattern).split(/\*+/)
    this.octets = pattern.length
    this.prefix = prefix
    this.#whole = anchored && pieces.length === 0
    this.end = (anchored && pieces.pop()) || ''
    this.pieces = pieces.filter((piece) => piece !== '')
    this.#minLength = this.pieces.reduce((sum, piece) => sum + piece.length, prefix.length + this.end.length)
  }

  /** @param path from `comparablePath` */
  matches(path: string): boolean {
    return this.matchesEnds(path) && this.hasPieces(path)
  }

  /** Whether the pieces follow each other in a `path` that `matchesEnds`. */
  hasPieces(path: string): boolean {
    let at = this.prefix.length
    for (const piece of this.pieces) {
      const found = findPiece(path, piece, at)
      if (found === -1) return false
      at = found + piece.length
    }
    return path.length - this.end.length >= at
  }

  /** Whether `path` starts and ends as the pattern does. Without pieces, that is a match. */
  matchesEnds(path: string): boolean {
    if (path.length < this.#minLength || !path.startsWith(this.prefix)) return false
    return this.#whole ? path.length === this.#minLength : path.endsWith(this.end)
  }
}
