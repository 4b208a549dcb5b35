import type { PathPattern } from './path-pattern.ts'
import { PieceScanner } from './piece-scanner.ts'

/** Up to this many patterns with pieces are searched for one by one: that is faster than the scanner. */
const MAX_SINGLE_SEARCHES = 32
/** Estimated memory of the scanner per octet of the patterns. */
const SCANNER_BYTES_PER_OCTET = 24

/**
 * Patterns in order of precedence. The time of a search is about linear in the path plus the patterns, and never their product: robots.txt
 * files and URLs can be hostile, and a robots.txt has room for 50,000 patterns.
 */
export class PatternSet {
  readonly #patterns: readonly PathPattern[]
  /** Built on first use: most files never need it. */
  #scanner: PieceScanner | undefined

  /** @param patterns the pattern that decides first comes first */
  constructor(patterns: readonly PathPattern[]) {
    this.#patterns = patterns
  }

  /** Estimated memory that a search needs besides the patterns. */
  get bytes(): number {
    const withPieces = this.#patterns.filter(({ pieces }) => pieces.length > 0)
    if (withPieces.length <= MAX_SINGLE_SEARCHES) return 0
    return withPieces.reduce((sum, { octets }) => sum + octets * SCANNER_BYTES_PER_OCTET, 0)
  }

  /**
   * The index of the first pattern that matches, or -1.
   * @param path from `comparablePath`
   */
  first(path: string): number {
    let searches = 0
    for (let index = 0; index < this.#patterns.length; index++) {
      const pattern = this.#patterns[index] as PathPattern
      if (!pattern.matchesEnds(path)) continue
      if (pattern.pieces.length === 0) return index
      if (searches++ === MAX_SINGLE_SEARCHES) return this.matching(path)[0] ?? -1
      if (pattern.hasPieces(path)) return index
    }
    return -1
  }

  /** The indexes of all patterns that match, in order. */
  matching(path: string): number[] {
    const candidates = [...this.#patterns.keys()].filter((index) => this.#patterns[index]?.matchesEnds(path))
    const toSearch = candidates.filter((index) => this.#patterns[index]?.pieces.length !== 0)
    if (toSearch.length <= MAX_SINGLE_SEARCHES)
      return candidates.filter((index) => this.#patterns[index]?.matches(path))
    this.#scanner ??= new PieceScanner(this.#patterns)
    const found = new Set(this.#scanner.matching(path, toSearch))
    return candidates.filter((index) => this.#patterns[index]?.pieces.length === 0 || found.has(index))
  }
}
