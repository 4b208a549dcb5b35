import { unreadable } from './pickle-input.ts'
import type { PickleValue } from './pickle-value.ts'

/** What the instructions of a pickle work on: a stack with marks in it, and a memo. Using what is not there ends the reading. */
export class PickleStack {
  readonly #values: PickleValue[] = []
  /** How high the stack was at each mark that is still open. */
  readonly #marks: number[] = []
  readonly #memo = new Map<number, PickleValue>()

  push(value: PickleValue): void {
    this.#values.push(value)
  }

  top(): PickleValue {
    const value = this.#values.length > this.#floor() ? this.#values.at(-1) : undefined
    return value === undefined ? unreadable('an empty stack') : value
  }

  pop(): PickleValue {
    const value = this.top()
    this.#values.pop()
    return value
  }

  /** The last `count` values, in the order they came. */
  take(count: number): PickleValue[] {
    const start = this.#values.length - count
    return start < this.#floor() ? unreadable('an empty stack') : this.#values.splice(start)
  }

  mark(): void {
    this.#marks.push(this.#values.length)
  }

  takeToMark(): PickleValue[] {
    return this.#values.splice(this.#marks.pop() ?? unreadable('no mark'))
  }

  memoize(key = this.#memo.size): void {
    this.#memo.set(key, this.top())
  }

  recall(key: number): void {
    const value = this.#memo.get(key)
    this.push(value === undefined ? unreadable(`nothing in the memo at ${key}`) : value)
  }

  append(items: readonly PickleValue[]): void {
    const list = this.top()
    if (!Array.isArray(list)) unreadable('items for a value that is not a list')
    for (const item of items) list.push(item)
  }

  /** @param entries key, value, key, value */
  setItems(entries: readonly PickleValue[]): void {
    const dict = this.top()
    if (!(dict instanceof Map)) unreadable('entries for a value that is not a dict')
    let key: PickleValue | undefined
    for (const value of entries) {
      if (key === undefined) key = value
      else {
        dict.set(key, value)
        key = undefined
      }
    }
    if (key !== undefined) unreadable('a key without a value')
  }

  addItems(members: readonly PickleValue[]): void {
    const set = this.top()
    if (!(set instanceof Set)) unreadable('members for a value that is not a set')
    for (const member of members) set.add(member)
  }

  #floor(): number {
    return this.#marks.at(-1) ?? 0
  }
}
