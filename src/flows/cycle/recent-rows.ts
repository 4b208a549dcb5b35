/** The numbers of the last rows of a run by the fingerprint of their URL: of at least `KEPT_ROWS`, and of at most twice as many. */
export class RecentRows {
  // Two maps, because an entry of an LRU map takes twice the memory.
  #newer = new Map<bigint, number>()
  #older = new Map<bigint, number>()

  /** The row of a URL; `undefined`: none of the last rows. */
  get(fingerprint: bigint): number | undefined {
    return this.#newer.get(fingerprint) ?? this.#older.get(fingerprint)
  }

  set(fingerprint: bigint, row: number): void {
    if (this.#newer.size >= KEPT_ROWS) {
      this.#older = this.#newer
      this.#newer = new Map()
    }
    this.#newer.set(fingerprint, row)
  }
}

const KEPT_ROWS = 50_000
