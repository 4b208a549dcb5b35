import { releaseBytes } from '../../../base/release-bytes.ts'

/** Bytes that are appended to. */
export class ByteBuffer {
  #bytes: Buffer<ArrayBuffer> = Buffer.allocUnsafeSlow(1024)
  #length = 0

  get length(): number {
    return this.#length
  }

  /** Valid until more is appended. */
  view(): Uint8Array {
    return this.#bytes.subarray(0, this.#length)
  }

  /** Forgets what there is and keeps its room, unless one large page made it large. */
  clear(): void {
    this.#length = 0
    if (this.#bytes.length <= MAX_KEPT_ROOM) return
    releaseBytes(this.#bytes)
    this.#bytes = Buffer.allocUnsafeSlow(1024)
  }

  /** Hands over what there is, in memory of its own, and continues in `room`, which nothing else uses. @default new memory */
  take(room?: Buffer<ArrayBuffer>): Uint8Array<ArrayBuffer> {
    const taken = this.#bytes.subarray(0, this.#length)
    this.#bytes = room ?? Buffer.allocUnsafeSlow(Math.min(this.#bytes.length, MAX_KEPT_ROOM))
    this.#length = 0
    return taken
  }

  byte(value: number): void {
    this.#room(1)
    this.#bytes[this.#length++] = value
  }

  int32(value: number): void {
    this.#room(4)
    this.#length = this.#bytes.writeInt32LE(value, this.#length)
  }

  /** @param value a whole number up to 2^53 */
  int64(value: number): void {
    this.#room(8)
    this.#bytes.writeUInt32LE(value >>> 0, this.#length)
    this.#length = this.#bytes.writeInt32LE(Math.floor(value / 2 ** 32), this.#length + 4)
  }

  double(value: number): void {
    this.#room(8)
    this.#length = this.#bytes.writeDoubleLE(value, this.#length)
  }

  bytes(value: Uint8Array): void {
    this.#room(value.length)
    this.#bytes.set(value, this.#length)
    this.#length += value.length
  }

  /** Its length in four bytes, then the bytes. */
  block(value: Uint8Array): void {
    this.int32(value.length)
    this.bytes(value)
  }

  /** As `block`, in UTF-8; half a surrogate pair, which UTF-8 cannot say, becomes U+FFFD. */
  text(value: string): void {
    this.#room(4 + value.length * 3)
    const at = this.#length + 4
    const written = this.#bytes.write(value, at)
    this.#bytes.writeInt32LE(written, this.#length)
    this.#length = at + written
  }

  /** As `text` of each. Calling the engine's encoder takes longer than a short text does, so that many are encoded in one call. */
  texts(values: readonly string[]): void {
    for (let i = 0; i < values.length; i += TEXTS_AT_ONCE) this.#joined(values.slice(i, i + TEXTS_AT_ONCE))
  }

  #joined(values: readonly string[]): void {
    const joined = values.join(LENGTH_ROOM)
    if (Buffer.byteLength(joined) !== joined.length) {
      for (const value of values) this.text(value)
      return
    }
    this.#room(LENGTH_ROOM.length + joined.length)
    this.#bytes.write(joined, this.#length + LENGTH_ROOM.length, 'latin1')
    for (const { length } of values) {
      this.#bytes.writeInt32LE(length, this.#length)
      this.#length += 4 + length
    }
  }

  /** Appends what was written from `start` on `times` more times. */
  repeat(start: number, times: number): void {
    const end = this.#length + (this.#length - start) * times
    this.#room(end - this.#length)
    while (this.#length < end) {
      const copied = Math.min(this.#length - start, end - this.#length)
      this.#bytes.copyWithin(this.#length, start, start + copied)
      this.#length += copied
    }
  }

  #room(bytes: number): void {
    if (this.#length + bytes <= this.#bytes.length) return
    const needed = this.#length + bytes
    const present = this.#bytes.length
    const larger = Buffer.allocUnsafeSlow(
      Math.max(needed, present < MANY_BYTES ? present * 4 : present + (present >> 1)),
    )
    this.#bytes.copy(larger, 0, 0, this.#length)
    releaseBytes(this.#bytes)
    this.#bytes = larger
  }
}

/**
 * Up to here a buffer grows to four times its size, which takes no memory before it is written to, and saves most of the copies. From here on by
 * half, because room that was written to once is kept.
 */
const MANY_BYTES = 4 * 1024 * 1024
/** Room for later that a buffer keeps. */
export const MAX_KEPT_ROOM = 1024 * 1024
/** Few enough that some texts that are not ASCII do not slow down a long list. */
const TEXTS_AT_ONCE = 128
/** For the length of a text, which is written over it. */
const LENGTH_ROOM = '\0\0\0\0'

/** Reads the content of a `ByteBuffer` from its start. */
export class ByteReader {
  readonly #bytes: Uint8Array
  readonly #view: DataView
  #at = 0

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  }

  byte(): number {
    return this.#view.getUint8(this.#at++)
  }

  int32(): number {
    const value = this.#view.getInt32(this.#at, true)
    this.#at += 4
    return value
  }

  /** A view, not a copy. */
  bytes(length: number): Uint8Array {
    const start = this.#at
    this.#at += length
    return this.#bytes.subarray(start, this.#at)
  }
}
