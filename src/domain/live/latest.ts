/** The latest values: a ring of fixed size. */
export class Latest<T> {
  readonly #values: T[] = []
  readonly #capacity: number
  #next = 0

  constructor(capacity: number) {
    this.#capacity = capacity
  }

  add(value: T): void {
    this.#values[this.#next] = value
    this.#next = (this.#next + 1) % this.#capacity
  }

  newestFirst(): T[] {
    return [...this.#values.slice(0, this.#next).reverse(), ...this.#values.slice(this.#next).reverse()]
  }
}
