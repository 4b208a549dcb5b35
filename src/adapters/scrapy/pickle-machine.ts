import { CrawlError } from '../../base/crawl-error.ts'
import type { PickleValue } from './pickle-value.ts'
import { utf8Text } from './python-text.ts'

/**
 * A request of scrapy-redis is a pickle that cannot be read.
 * Remedy: [Coming from scrapy-redis](coming-from-scrapy-redis.md) lists the requests that can be imported.
 *
 * Thrown inside the reader only; `readPickle` makes a value of it.
 */
export class UnreadablePickle extends CrawlError {
  readonly code = 'PICKLE_UNREADABLE'
  readonly retryable = false
}

/** The bytes of a pickle, taken from the front. Reading beyond the end throws. */
export class PickleInput {
  readonly #bytes: Buffer
  #at = 0

  constructor(bytes: Uint8Array) {
    this.#bytes = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  }

  get offset(): number {
    return this.#at
  }

  uint(size: 1 | 2 | 4): number {
    return this.bytes(size).readUIntLE(0, size)
  }

  int32(): number {
    return this.bytes(4).readInt32LE()
  }

  /** A length of eight bytes; one beyond 2^53 is beyond every pickle, too. */
  uint64(): number {
    return Number(this.bytes(8).readBigUInt64LE())
  }

  float64(): number {
    return this.bytes(8).readDoubleBE()
  }

  bytes(length: number): Buffer {
    const end = this.#at + length
    if (end > this.#bytes.length) throw new UnreadablePickle('the pickle ends too early')
    const found = this.#bytes.subarray(this.#at, end)
    this.#at = end
    return found
  }

  utf8(length: number): string {
    return utf8Text(this.bytes(length)) ?? unreadable('text that is not UTF-8')
  }

  /** Up to the next line feed, which is taken but not given: an argument of protocol 0. */
  line(): Buffer {
    const end = this.#bytes.indexOf(0x0a, this.#at)
    if (end === -1) throw new UnreadablePickle('a line without an end')
    const found = this.bytes(end - this.#at)
    this.#at++
    return found
  }
}

export function unreadable(reason: string): never {
  throw new UnreadablePickle(reason)
}

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
