import type { PathPattern } from './path-pattern.ts'

/**
 * Finds all matches of many patterns in one pass over the path: the automaton of Aho and Corasick reports every occurrence of a piece, and
 * each pattern waits in the queue of the piece that it needs next.
 *
 * A pattern moves on at the leftmost occurrence that starts no earlier than its previous piece ends. Patterns join a queue in the order of
 * that bound, so only the head of a queue is examined. Each pattern moves once per piece; the total is linear in the path plus the patterns,
 * times the number of pieces that end at one position (at most about 1,000: they differ in length, and all fit into 500 KiB).
 */
export class PieceScanner {
  readonly #patterns: readonly PathPattern[]
  /** For each pattern, the ids of its pieces. */
  readonly #pieceIds: readonly (readonly number[])[]
  readonly #trie: PieceTrie

  constructor(patterns: readonly PathPattern[]) {
    const trie = new PieceTrie(patterns.reduce((sum, { octets }) => sum + octets, 1))
    this.#patterns = patterns
    this.#pieceIds = patterns.map(({ pieces }) => pieces.map((piece) => trie.add(piece)))
    trie.link()
    this.#trie = trie
  }

  /**
   * The indexes of the patterns that match `path`, in no order.
   * @param candidates indexes of patterns that have pieces, and whose ends match
   */
  matching(path: string, candidates: readonly number[]): number[] {
    const byPrefix = candidates.toSorted(
      (a, b) => this.#pattern(a).prefix.length - this.#pattern(b).prefix.length,
    )
    const queues = new WaitingPatterns(this.#trie.pieces, this.#patterns.length)
    /** For each pattern, how many pieces were found, and where the last one (or the prefix) ends. */
    const found = new Uint32Array(this.#patterns.length)
    const reached = new Uint32Array(this.#patterns.length)
    const matched: number[] = []
    let joined = 0
    let node = 0
    for (let at = 0; at < path.length; at++) {
      for (let index = byPrefix[joined]; index !== undefined; index = byPrefix[++joined]) {
        if (this.#pattern(index).prefix.length > at) break
        reached[index] = at
        queues.push(this.#pieceId(index, 0) as number, index)
      }
      node = this.#trie.step(node, path.charCodeAt(at))
      for (let end = this.#trie.lastPiece(node); end !== 0; end = this.#trie.shorterPiece(end)) {
        const piece = this.#trie.pieceAt(end)
        const start = at + 1 - this.#trie.pieceLength(piece)
        for (let index = queues.head(piece); index !== -1; index = queues.head(piece)) {
          if ((reached[index] as number) > start) break
          queues.shift(piece)
          reached[index] = at + 1
          const next = this.#pieceId(index, ++(found[index] as number))
          if (next !== undefined) queues.push(next, index)
          else if (at + 1 + this.#pattern(index).end.length <= path.length) matched.push(index)
        }
      }
    }
    return matched
  }

  #pattern(index: number): PathPattern {
    return this.#patterns[index] as PathPattern
  }

  #pieceId(index: number, nth: number): number | undefined {
    return this.#pieceIds[index]?.[nth]
  }
}

/** A queue of patterns for each piece. A pattern waits in one queue at most. */
class WaitingPatterns {
  readonly #first: Int32Array
  readonly #last: Int32Array
  readonly #next: Int32Array

  constructor(pieces: number, patterns: number) {
    this.#first = new Int32Array(pieces).fill(-1)
    this.#last = new Int32Array(pieces)
    this.#next = new Int32Array(patterns)
  }

  /** -1 if the queue is empty. */
  head(piece: number): number {
    return this.#first[piece] as number
  }

  push(piece: number, pattern: number): void {
    this.#next[pattern] = -1
    if (this.head(piece) === -1) this.#first[piece] = pattern
    else this.#next[this.#last[piece] as number] = pattern
    this.#last[piece] = pattern
  }

  shift(piece: number): void {
    this.#first[piece] = this.#next[this.head(piece)] as number
  }
}

/**
 * The distinct pieces as a trie with failure links. Nodes are numbers, 0 is the root; the children of a node are a linked list, because
 * paths use about 90 different octets and most nodes have one child.
 */
class PieceTrie {
  readonly #octet: Uint8Array
  readonly #child: Int32Array
  readonly #sibling: Int32Array
  /** The node of the longest proper suffix that is in the trie. */
  readonly #suffix: Int32Array
  /** The id of the piece that ends here; -1: none. */
  readonly #piece: Int32Array
  /** The node of the longest piece that is a proper suffix; 0: none. */
  readonly #shorter: Int32Array
  readonly #lengths: number[] = []
  #nodes = 1

  /** @param capacity at least the number of octets of all pieces, plus one */
  constructor(capacity: number) {
    this.#octet = new Uint8Array(capacity)
    this.#child = new Int32Array(capacity)
    this.#sibling = new Int32Array(capacity)
    this.#suffix = new Int32Array(capacity)
    this.#piece = new Int32Array(capacity).fill(-1)
    this.#shorter = new Int32Array(capacity)
  }

  /** The number of distinct pieces. */
  get pieces(): number {
    return this.#lengths.length
  }

  /** The id of `piece`; ids count up from 0. */
  add(piece: string): number {
    let node = 0
    for (let i = 0; i < piece.length; i++) {
      const octet = piece.charCodeAt(i)
      node = this.#childOf(node, octet) || this.#append(node, octet)
    }
    if (this.#piece[node] === -1) this.#piece[node] = this.#lengths.push(piece.length) - 1
    return this.#piece[node] as number
  }

  /** Sets the failure links, breadth first. Call once, after the last `add`. */
  link(): void {
    const queue = new Int32Array(this.#nodes)
    let length = 1
    for (let at = 0; at < length; at++) {
      const node = queue[at] as number
      for (let child = this.#child[node] as number; child !== 0; child = this.#sibling[child] as number) {
        const suffix = node === 0 ? 0 : this.step(this.#suffix[node] as number, this.#octet[child] as number)
        this.#suffix[child] = suffix
        this.#shorter[child] = this.lastPiece(suffix)
        queue[length++] = child
      }
    }
  }

  /** The node of the longest text in the trie that ends with `octet`, after the text of `node`. */
  step(node: number, octet: number): number {
    for (let from = node; ; from = this.#suffix[from] as number) {
      const child = this.#childOf(from, octet)
      if (child !== 0 || from === 0) return child
    }
  }

  /** The node of the longest piece that ends where `node` does; 0: none. */
  lastPiece(node: number): number {
    return this.#piece[node] === -1 ? (this.#shorter[node] as number) : node
  }

  /** The node of the next shorter piece that ends where `node` does; 0: none. */
  shorterPiece(node: number): number {
    return this.#shorter[node] as number
  }

  /** The id of the piece that ends at `node`. */
  pieceAt(node: number): number {
    return this.#piece[node] as number
  }

  pieceLength(piece: number): number {
    return this.#lengths[piece] as number
  }

  #childOf(node: number, octet: number): number {
    let child = this.#child[node] as number
    while (child !== 0 && this.#octet[child] !== octet) child = this.#sibling[child] as number
    return child
  }

  #append(parent: number, octet: number): number {
    const node = this.#nodes++
    this.#octet[node] = octet
    this.#sibling[node] = this.#child[parent] as number
    this.#child[parent] = node
    return node
  }
}
