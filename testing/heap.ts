/** Values with the first one always at hand, by an order of the caller's; values that it holds to be equal come out in no promised order. */
export class Heap<T> {
  readonly #values: T[] = []
  readonly #isBefore: (a: T, b: T) => boolean

  constructor(isBefore: (a: T, b: T) => boolean) {
    this.#isBefore = isBefore
  }

  get size(): number {
    return this.#values.length
  }

  /** `undefined` when empty. */
  get first(): T | undefined {
    return this.#values[0]
  }

  push(value: T): void {
    const values = this.#values
    let place = values.length
    while (place > 0) {
      const above = (place - 1) >> 1
      const parent = values[above] as T
      if (!this.#isBefore(value, parent)) break
      values[place] = parent
      place = above
    }
    values[place] = value
  }

  pop(): T | undefined {
    const values = this.#values
    const first = values[0]
    const last = values.pop()
    if (last !== undefined && values.length > 0) this.#sink(last)
    return first
  }

  /** Puts `value` at the root and lets it go down to where it belongs. */
  #sink(value: T): void {
    const values = this.#values
    const end = values.length
    let place = 0
    for (let child = 1; child < end; child = 2 * place + 1) {
      if (child + 1 < end && this.#isBefore(values[child + 1] as T, values[child] as T)) child++
      const smaller = values[child] as T
      if (!this.#isBefore(smaller, value)) break
      values[place] = smaller
      place = child
    }
    values[place] = value
  }
}
