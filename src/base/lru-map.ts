/** A map that forgets what was longest unused once its entries weigh more than `capacity` together. */
export class LruMap<Key, Value> {
  readonly #capacity: number
  readonly #entries = new Map<Key, Entry<Key, Value>>()
  // Their order of age is a list beside the map: to take an entry out of the map and put it back would cost several times as much.
  #oldest: Entry<Key, Value> | undefined
  #youngest: Entry<Key, Value> | undefined
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
    if (entry !== this.#youngest) {
      this.#unlink(entry)
      this.#append(entry)
    }
    return entry.value
  }

  /** The newest entry is kept whatever it weighs. */
  set(key: Key, value: Value, weight = 1): void {
    this.delete(key)
    while (this.#oldest !== undefined && this.#weight + weight > this.#capacity) this.delete(this.#oldest.key)
    const entry = { key, value, weight, older: undefined, younger: undefined }
    this.#entries.set(key, entry)
    this.#append(entry)
    this.#weight += weight
  }

  delete(key: Key): boolean {
    const entry = this.#entries.get(key)
    if (entry === undefined) return false
    this.#entries.delete(key)
    this.#unlink(entry)
    this.#weight -= entry.weight
    return true
  }

  clear(): void {
    this.#entries.clear()
    this.#oldest = undefined
    this.#youngest = undefined
    this.#weight = 0
  }

  #append(entry: Entry<Key, Value>): void {
    entry.older = this.#youngest
    entry.younger = undefined
    if (this.#youngest === undefined) this.#oldest = entry
    else this.#youngest.younger = entry
    this.#youngest = entry
  }

  #unlink({ older, younger }: Entry<Key, Value>): void {
    if (older === undefined) this.#oldest = younger
    else older.younger = younger
    if (younger === undefined) this.#youngest = older
    else younger.older = older
  }
}

interface Entry<Key, Value> {
  readonly key: Key
  readonly value: Value
  readonly weight: number
  older: Entry<Key, Value> | undefined
  younger: Entry<Key, Value> | undefined
}
