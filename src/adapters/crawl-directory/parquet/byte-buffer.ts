import { releaseBytes } from '../../../base/release-bytes.ts'

/** Bytes that are appended to. */
export class ByteBuffer {
  #bytes = Buffer.allocUnsafeSlow(1024)
  #length = 0

  get length(): number {
    return this.#length
  }

  /** Valid until more is appended. */
  view(): Uint8Array {
    return this.#bytes.subarray(0, this.#length)
  }

  /** Forgets what there is and keeps its room. */
  clear(): void {
    this.#length = 0
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
    const written = this.#shortAscii(value, at) ?? this.#bytes.write(value, at)
    this.#bytes.writeInt32LE(written, this.#length)
    this.#length = at + written
  }

  /** For a short text, which most are, the way to the engine's own encoder takes longer than the text. */
  #shortAscii(value: string, at: number): number | undefined {
    if (value.length > SHORT_CHARS) return undefined
    const bytes = this.#bytes
    for (let i = 0; i < value.length; i++) {
      const unit = value.charCodeAt(i)
      if (unit > 0x7f) return undefined
      bytes[at + i] = unit
    }
    return value.length
  }

  #room(bytes: number): void {
    if (this.#length + bytes <= this.#bytes.length) return
    const needed = this.#length + bytes
    // Half as much again, not twice: much of the memory of a crawl is the room of such buffers.
    const larger = Buffer.allocUnsafeSlow(Math.max(needed, this.#bytes.length + (this.#bytes.length >> 1)))
    this.#bytes.copy(larger, 0, 0, this.#length)
    releaseBytes(this.#bytes)
    this.#bytes = larger
  }
}

const SHORT_CHARS = 80

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
