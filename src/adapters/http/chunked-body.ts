import type { Failure } from './failure.ts'
import { Http1Head } from './http1-head.ts'

/** Where the next byte stands. */
const FIRST_DIGIT = 0
const SIZE = 1
const EXTENSION = 2
const SIZE_LINE_FEED = 3
const DATA = 4
const DATA_RETURN = 5
const DATA_LINE_FEED = 6
const TRAILER = 7

const TAB = 0x09
const LF = 0x0a
const CR = 0x0d
const SEMICOLON = 0x3b

/** Undoes the chunked coding (RFC 9112, 7.1) as its bytes come in. Extensions and trailer fields are read over. */
export class ChunkedBody {
  /** What is wrong with the bytes so far. */
  fault: Failure | undefined
  readonly #trailer: Http1Head
  readonly #maxExtensionBytes: number
  #state = FIRST_DIGIT
  /** Bytes of this chunk that are still to come. */
  #left = 0
  #extensionBytes = 0
  /** Where the data that was found in what is read now begins and ends; both are 0 before there is any. */
  #dataFrom = 0
  #dataTo = 0

  /** @param maxHeaderBytes For the trailer, and for the extensions of all chunks together. */
  constructor(maxHeaderBytes: number) {
    this.#trailer = new Http1Head(maxHeaderBytes)
    this.#maxExtensionBytes = maxHeaderBytes
  }

  /** Whether the trailer was not written to the letter, see `Http1Head`. */
  get isLenient(): boolean {
    return this.#trailer.isLenient
  }

  begin(): void {
    this.fault = undefined
    this.#state = FIRST_DIGIT
    this.#left = 0
    this.#extensionBytes = 0
  }

  /**
   * Reads on from `from`. Returns where the body ends, or -1: there is more to come, or a `fault`. The data in `chunk` is moved together and
   * told as one: a server that sends it byte by byte would otherwise have us keep an object for each.
   */
  read(chunk: Buffer, from: number, onData: (data: Buffer) => void): number {
    this.#dataFrom = 0
    this.#dataTo = 0
    const end = this.#scan(chunk, from)
    if (this.#dataTo > 0) onData(chunk.subarray(this.#dataFrom, this.#dataTo))
    return end
  }

  #scan(chunk: Buffer, from: number): number {
    for (let i = from; i < chunk.length; i++) {
      const byte = chunk[i] ?? 0
      switch (this.#state) {
        case FIRST_DIGIT:
        case SIZE: {
          const digit = hexDigit(byte)
          if (digit >= 0) {
            this.#left = this.#left * 16 + digit
            if (this.#left > Number.MAX_SAFE_INTEGER)
              return this.#malformed('a chunk of more than 2^53 bytes')
            this.#state = SIZE
          } else if (this.#state === FIRST_DIGIT) return this.#malformed('a chunk without a size')
          else if (byte === CR) this.#state = SIZE_LINE_FEED
          else if (byte === SEMICOLON) this.#state = EXTENSION
          else return this.#malformed('a chunk size that is not a number')
          break
        }
        case EXTENSION:
          if (byte === CR) this.#state = SIZE_LINE_FEED
          else if (byte < 0x20 && byte !== TAB)
            return this.#malformed('a control character in a chunk extension')
          else if (++this.#extensionBytes > this.#maxExtensionBytes) return this.#tooLarge()
          break
        case SIZE_LINE_FEED:
          if (byte !== LF) return this.#malformed('a line that does not end in CR LF')
          if (this.#left === 0) this.#trailer.begin('field')
          this.#state = this.#left === 0 ? TRAILER : DATA
          break
        case DATA: {
          const to = Math.min(chunk.length, i + this.#left)
          this.#keep(chunk, i, to)
          this.#left -= to - i
          i = to - 1
          if (this.#left === 0) this.#state = DATA_RETURN
          break
        }
        case DATA_RETURN:
          if (byte !== CR) return this.#malformed('a chunk longer than its size')
          this.#state = DATA_LINE_FEED
          break
        case DATA_LINE_FEED:
          if (byte !== LF) return this.#malformed('a chunk longer than its size')
          this.#state = FIRST_DIGIT
          break
        default: {
          const end = this.#trailer.read(chunk, i)
          this.fault = this.#trailer.fault
          return end
        }
      }
    }
    return -1
  }

  #keep(chunk: Buffer, from: number, to: number): void {
    if (this.#dataTo === 0) {
      this.#dataFrom = from
      this.#dataTo = to
    } else {
      chunk.copyWithin(this.#dataTo, from, to)
      this.#dataTo += to - from
    }
  }

  #malformed(detail: string): -1 {
    this.fault = { kind: 'malformed', detail }
    return -1
  }

  #tooLarge(): -1 {
    const detail = `chunk extensions of more than ${this.#maxExtensionBytes} bytes`
    this.fault = { kind: 'too-large', cause: 'headers', detail }
    return -1
  }
}

/** The value of a hexadecimal digit; -1: it is none. */
function hexDigit(byte: number): number {
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30
  const letter = byte | 0x20
  return letter >= 0x61 && letter <= 0x66 ? letter - 0x57 : -1
}
