import { bytesOf } from './fuzz-target.ts'

/** Usual inputs stay short, so that many are tried; now and then a piece is repeated to a long one. */
const MAX_BYTES = 4_096
const MAX_REPEATED_BYTES = 65_536

/** Makes new inputs from known ones by a few random changes. */
export class Mutator {
  readonly #random: () => number
  readonly #tokens: readonly Buffer[]

  /** @param random returns numbers from 0 up to, not including, 1 */
  constructor(random: () => number, tokens: readonly string[]) {
    this.#random = random
    this.#tokens = tokens.map(bytesOf)
  }

  /** A changed copy of one of `inputs`. */
  mutate(inputs: readonly Buffer[]): Buffer {
    let bytes = this.#pick(inputs)
    for (let changes = 1 + this.#below(6); changes > 0; changes--) bytes = this.#change(bytes, inputs)
    const isLong = this.#below(200) === 0
    return isLong ? this.#repeat(bytes, MAX_REPEATED_BYTES) : bytes.subarray(0, MAX_BYTES)
  }

  #change(bytes: Buffer, inputs: readonly Buffer[]): Buffer {
    const at = this.#below(bytes.length + 1)
    const end = Math.min(bytes.length, at + 1 + this.#below(16))
    const splice = (piece: Uint8Array, from: number) =>
      Buffer.concat([bytes.subarray(0, at), piece, bytes.subarray(from)])
    switch (this.#below(8)) {
      case 0:
      case 1:
        return splice(this.#pick(this.#tokens), at)
      case 2:
        return splice(this.#pick(this.#tokens), end)
      case 3:
        return splice(Buffer.alloc(0), end)
      case 4:
        return splice(Buffer.of(this.#below(256)), end > at ? at + 1 : at)
      case 5:
        return splice(bytes.subarray(at, end), at)
      case 6: {
        const other = this.#pick(inputs)
        const start = this.#below(other.length + 1)
        return splice(other.subarray(start, start + this.#below(64)), at)
      }
      default:
        return this.#repeat(bytes, MAX_BYTES)
    }
  }

  /** Repeats a piece where it stands, up to a length of `maxBytes`. */
  #repeat(bytes: Buffer, maxBytes: number): Buffer {
    const at = this.#below(bytes.length + 1)
    const piece = bytes.subarray(at, at + 1 + this.#below(12))
    if (piece.length === 0) return bytes
    const times = Math.max(0, Math.floor((maxBytes - bytes.length) / piece.length))
    const repeated = Buffer.alloc(piece.length * this.#below(times + 1), piece)
    return Buffer.concat([bytes.subarray(0, at), repeated, bytes.subarray(at)])
  }

  #pick<T>(list: readonly T[]): T {
    const picked = list[this.#below(list.length)]
    if (picked === undefined) throw new RangeError('nothing to pick from')
    return picked
  }

  #below(limit: number): number {
    return Math.floor(this.#random() * limit)
  }
}
