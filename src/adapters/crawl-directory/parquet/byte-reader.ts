/** Reads what a `ByteBuffer` wrote, from its beginning. */
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

  /** A view, no copy. */
  bytes(length: number): Uint8Array {
    const start = this.#at
    this.#at += length
    return this.#bytes.subarray(start, this.#at)
  }
}
