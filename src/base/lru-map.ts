/** A map that forgets what was longest unused once its entries weigh more than `capacity` together. */
export class LruMap<Key, Value> {
  readonly #capacity: number
  // A Map keeps insertion order; taking an entry out and putting it back makes it the youngest.
  readonly #entries = new Map<Key, { readonly value: Value; readonly weight: number }>()
  #weight = 0

  /** @param capacity what all entries may weigh together: their number, unless `set` says otherwise */
  constructor(capacity: number) {
    this.#capacity = capacity
  }

  get size(): number {
    return this.#entries.size
  }

  get(key: Key): Value | undefined {
    const entry = this.#entries.get(key)
    if (entry === undefined) return undefined
    this.#entries.delete(key)
    this.#entries.set(key, entry)
    return entry.value
  }

  /** The newest entry is kept whatever it weighs. */
  set(key: Key, value: Value, weight = 1): void {
    this.delete(key)
    for (const oldest of this.#entries.keys()) {
      if (this.#weight + weight <= this.#capacity) break
      this.delete(oldest)
    }
    this.#entries.set(key, { value, weight })
    this.#weight += weight
  }

  delete(key: Key): boolean {
    this.#weight -= this.#entries.get(key)?.weight ?? 0
    return this.#entries.delete(key)
  }

  clear(): void {
    this.#entries.clear()
    this.#weight = 0
  }
}
