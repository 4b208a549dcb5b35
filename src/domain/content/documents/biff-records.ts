/** A record of an Excel 97 to 2003 stream. Long ones continue in the next records: each part is a chunk. */
export interface BiffRecord {
  readonly type: number
  readonly chunks: readonly Buffer[]
}

const CONTINUE = 0x3c

export function* biffRecords(stream: Buffer): Generator<BiffRecord> {
  let at = 0
  while (at + 4 <= stream.length) {
    const type = stream.readUInt16LE(at)
    const chunks: Buffer[] = []
    do {
      const length = stream.readUInt16LE(at + 2)
      chunks.push(stream.subarray(at + 4, at + 4 + length))
      at += 4 + length
    } while (at + 4 <= stream.length && stream.readUInt16LE(at) === CONTINUE)
    yield { type, chunks }
  }
}

/** Reads the table of shared strings, whose texts may be split between chunks. */
export class ChunkReader {
  readonly #chunks: readonly Buffer[]
  #index = 0
  #at = 0

  constructor(chunks: readonly Buffer[]) {
    this.#chunks = chunks
  }

  get isAtEnd(): boolean {
    return this.#left === 0 && this.#index >= this.#chunks.length - 1
  }

  get #left(): number {
    return (this.#chunks[this.#index]?.length ?? 0) - this.#at
  }

  number(bytes: 1 | 2 | 4): number {
    this.#toNextChunk()
    const value = this.#chunks[this.#index]?.readUIntLE(this.#at, bytes) ?? 0
    this.#at += bytes
    return value
  }

  skip(bytes: number): void {
    let left = bytes
    while (left > 0 && !this.isAtEnd) {
      this.#toNextChunk()
      const step = Math.min(left, this.#left)
      this.#at += step
      left -= step
    }
  }

  /** Text of `length` characters. A part in a new chunk starts with a byte that tells whether it is in UTF-16. */
  text(length: number, isWide: boolean): string {
    let text = ''
    let wide = isWide
    while (text.length < length && !this.isAtEnd) {
      if (this.#toNextChunk() && text !== '') wide = (this.number(1) & 1) === 1
      const size = wide ? 2 : 1
      const chars = Math.min(length - text.length, Math.floor(this.#left / size))
      if (chars === 0) break
      const chunk = this.#chunks[this.#index] ?? Buffer.alloc(0)
      text += chunk.toString(wide ? 'utf16le' : 'latin1', this.#at, this.#at + chars * size)
      this.#at += chars * size
    }
    return text
  }

  #toNextChunk(): boolean {
    if (this.#left > 0 || this.#index >= this.#chunks.length - 1) return false
    this.#index++
    this.#at = 0
    return true
  }
}

/** A string with a length of one or two bytes. */
export function biffString(reader: ChunkReader, lengthBytes: 1 | 2): string {
  const length = reader.number(lengthBytes)
  const flags = reader.number(1)
  const runs = (flags & 8) === 0 ? 0 : reader.number(2)
  const phonetic = (flags & 4) === 0 ? 0 : reader.number(4)
  const text = reader.text(length, (flags & 1) === 1)
  reader.skip(runs * 4 + phonetic)
  return text
}
