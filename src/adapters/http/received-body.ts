import { releaseBytes } from '../../base/release-bytes.ts'

/** The body of a response, copied from pieces whose memory is valid for one call only. */
export class ReceivedBody {
  length = 0
  #bytes = NOTHING

  /** Makes room for a body that was announced with this length. */
  expect(bytes: number): void {
    if (bytes > this.#bytes.length) this.#resize(Math.min(bytes, MAX_TRUSTED_BYTES))
  }

  add(piece: Uint8Array): void {
    const needed = this.length + piece.length
    if (needed > this.#bytes.length) this.#resize(Math.max(needed, 2 * this.#bytes.length))
    this.#bytes.set(piece, this.length)
    this.length = needed
  }

  /** The whole body, in memory of exactly its size, which the caller owns. */
  take(): Uint8Array {
    if (this.#bytes.length > this.length) this.#resize(this.length)
    const bytes = this.#bytes
    this.#bytes = NOTHING
    this.length = 0
    return bytes
  }

  #resize(bytes: number): void {
    // Not from Node's pool, which many share.
    const resized = Buffer.allocUnsafeSlow(bytes)
    resized.set(this.#bytes.subarray(0, this.length))
    releaseBytes(this.#bytes)
    this.#bytes = resized
  }
}

const NOTHING = Buffer.alloc(0)

/** Maximum memory reserved for an announced length, in case a server announces much and sends nothing. */
const MAX_TRUSTED_BYTES = 256 * 1024
