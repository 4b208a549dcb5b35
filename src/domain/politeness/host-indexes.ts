/**
 * Numbers the hosts from 0, so that their data can be kept in arrays. A host keeps its index until it is deleted; the index is then
 * reused, which keeps the arrays short.
 */
export class HostIndexes {
  readonly #indexes = new Map<string, number>()
  readonly #keys: string[] = []
  readonly #free: number[] = []

  get size(): number {
    return this.#indexes.size
  }

  keys(): Iterable<string> {
    return this.#indexes.keys()
  }

  [Symbol.iterator](): Iterator<number> {
    return this.#indexes.values()
  }

  /** The index of a host; `undefined` if it has none. */
  find(key: string): number | undefined {
    return this.#indexes.get(key)
  }

  keyOf(index: number): string {
    return this.#keys[index] ?? ''
  }

  /** Assigns an index to a host that has none. */
  add(key: string): number {
    const index = this.#free.pop() ?? this.#keys.length
    this.#indexes.set(key, index)
    this.#keys[index] = key
    return index
  }

  delete(index: number): void {
    this.#indexes.delete(this.keyOf(index))
    this.#keys[index] = ''
    this.#free.push(index)
  }
}
