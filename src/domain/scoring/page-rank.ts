/**
 * PageRank by power iteration. The links are read once per iteration from wherever they are stored; in memory are 32 bytes per node.
 * The sum of all scores is 1.
 */
export class PageRank {
  readonly inlinks: Uint32Array
  readonly outlinks: Uint32Array
  #scores: Float64Array
  #next: Float64Array
  /** What a node passes on to each of its links. */
  readonly #shares: Float64Array

  constructor(nodes: number) {
    this.inlinks = new Uint32Array(nodes)
    this.outlinks = new Uint32Array(nodes)
    this.#scores = new Float64Array(nodes).fill(1 / nodes)
    this.#next = new Float64Array(nodes)
    this.#shares = new Float64Array(nodes)
  }

  get scores(): Float64Array {
    return this.#scores
  }

  /** The number of nodes without links to others. */
  get dangling(): number {
    return this.outlinks.reduce((count, links) => (links === 0 ? count + 1 : count), 0)
  }

  /** Adds a link before the first iteration. */
  countLink(source: number, target: number): void {
    this.outlinks[source] = (this.outlinks[source] ?? 0) + 1
    this.inlinks[target] = (this.inlinks[target] ?? 0) + 1
  }

  /**
   * @param blocks all links that were counted: a source and a target in turn
   * @returns the sum of the changes of all scores
   */
  async iterate(damping: number, blocks: AsyncIterable<Uint32Array>): Promise<number> {
    const dangling = this.#share()
    this.#next.fill(0)
    for await (const links of blocks) this.#pass(links)
    return this.#finish(damping, dangling)
  }

  /** @returns the sum of the scores of nodes without links */
  #share(): number {
    let dangling = 0
    for (let i = 0; i < this.#scores.length; i++) {
      const score = this.#scores[i] ?? 0
      const links = this.outlinks[i] ?? 0
      this.#shares[i] = links === 0 ? 0 : score / links
      if (links === 0) dangling += score
    }
    return dangling
  }

  #pass(links: Uint32Array): void {
    const next = this.#next
    const shares = this.#shares
    for (let i = 0; i < links.length; i += 2) {
      const target = links[i + 1] as number
      next[target] = (next[target] as number) + (shares[links[i] as number] as number)
    }
  }

  #finish(damping: number, dangling: number): number {
    const base = (1 - damping + damping * dangling) / this.#scores.length
    let change = 0
    for (let i = 0; i < this.#scores.length; i++) {
      const score = base + damping * (this.#next[i] ?? 0)
      change += Math.abs(score - (this.#scores[i] ?? 0))
      this.#next[i] = score
    }
    ;[this.#scores, this.#next] = [this.#next, this.#scores]
    return change
  }
}

/** Memory of a {@link PageRank}. */
export const PAGE_RANK_BYTES_PER_NODE = 32
