/** A map that removes the least recently used entries when their total weight exceeds `capacity`. */
export class LruMap<Key, Value> {
  readonly #capacity: number
  readonly #entries = new Map<Key, Entry<Key, Value>>()
  // Entries are also a linked list, ordered by use: deleting and inserting a map entry is several times as slow.
  #oldest: Entry<Key, Value> | undefined
  #youngest: Entry<Key, Value> | undefined
  #weight = 0

  /** @param capacity maximum total weight; an entry weighs 1 by default */
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

  /** Like `get`, but does not count as a use. */
  peek(key: Key): Value | undefined {
    return this.#entries.get(key)?.value
  }

  keys(): Iterable<Key> {
    return this.#entries.keys()
  }

  /** The newest entry is kept, whatever its weight. */
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
