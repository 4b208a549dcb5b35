/**
 * A slot for each host: a small whole number that stands for it until it is forgotten, so that what is known of all
 * hosts can be kept in arrays. Free slots are given out again, so the arrays grow no longer than they must.
 */
export class HostIds {
  readonly #slots = new Map<string, number>()
  readonly #keys: string[] = []
  readonly #free: number[] = []

  get size(): number {
    return this.#slots.size
  }

  [Symbol.iterator](): Iterator<number> {
    return this.#slots.values()
  }

  /** `undefined` when the host of `key` is not known. */
  find(key: string): number | undefined {
    return this.#slots.get(key)
  }

  keyOf(slot: number): string {
    return this.#keys[slot] ?? ''
  }

  /** The slot of a host that had none. */
  add(key: string): number {
    const slot = this.#free.pop() ?? this.#keys.length
    this.#slots.set(key, slot)
    this.#keys[slot] = key
    return slot
  }

  delete(slot: number): void {
    this.#slots.delete(this.keyOf(slot))
    this.#keys[slot] = ''
    this.#free.push(slot)
  }
}
