import { CrawlError } from '../../base/crawl-error.ts'
import { utf8Text } from './utf8-text.ts'

/** A pickle that cannot be read. Thrown inside the reader only; `readPickle` makes a value of it. */
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
