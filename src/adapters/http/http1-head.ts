import { isUtf8 } from 'node:buffer'
import type { HeaderList } from '../../domain/fetch/headers.ts'
import type { Failure } from './failure.ts'

/** Where the next byte stands. */
const STATUS_LINE = 0
const AFTER_STATUS = 1
const REASON = 2
const LINE_START = 3
const NAME = 4
const BEFORE_VALUE = 5
const VALUE = 6
const LINE_FEED = 7
const LAST_LINE_FEED = 8

const TAB = 0x09
const LF = 0x0a
const CR = 0x0d
const SPACE = 0x20
const COLON = 0x3a
const DIGIT_0 = 0x30

/** How a response begins; each digit stands for any. */
const STATUS_LINE_BEGIN = 'HTTP/1.1 200'
const STATUS_AT = 9
/** Two digits each. HTTP/2.0 on a connection of HTTP/1 is a slip of the server's, and common enough. */
const VERSIONS: readonly number[] = [11, 10, 20, 9]

/** What a byte may be part of. */
const IN_NAME = 1
const IN_VALUE = 2
const ALLOWED = Uint8Array.from({ length: 256 }, (_, byte) => {
  const isName = /[a-z0-9!#$%&'*+.^_`|~-]/i.test(String.fromCharCode(byte))
  const isValue = byte === TAB || (byte >= SPACE && byte !== 0x7f)
  return (isName ? IN_NAME : 0) | (isValue ? IN_VALUE : 0)
})

/**
 * Reads the head of an HTTP/1 response, or the trailer of a chunked body, as its bytes come in. It follows RFC 9112: names are tokens right
 * before their colon; a single LF ends a line like CR LF (2.2); folded lines are joined with a space (5.2). Every byte is checked as it
 * comes, so that a server that speaks something else is recognised at once, and not when the time is up.
 */
export class Http1Head {
  /** What is wrong with the bytes so far. */
  fault: Failure | undefined
  status = 0
  /** Whether the response is one of HTTP/1.1, whose connections stay open unless it says otherwise. */
  isModern = false
  /** Text after the status code, one character per octet; may be empty. */
  reasonPhrase = ''
  headers: HeaderList = []
  /** Whether there was a folded line or a line that ended in a single LF: another reader of the same bytes may not agree where the head ends. */
  isLenient = false
  readonly #maxBytes: number
  #state = STATUS_LINE
  /** How much of `STATUS_LINE_BEGIN` was read. */
  #begun = 0
  #version = 0
  #isAscii = true
  #isFolded = false
  /** Where the reason phrase begins and ends, counted from the first byte. */
  #reasonFrom = 0
  #reasonTo = 0
  /** Where names and values begin and end, counted from the first byte: four numbers a field. */
  readonly #marks: number[] = []
  /** What came in earlier chunks. */
  #earlier: Buffer[] = []
  #earlierBytes = 0

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes
  }

  /** @param first A head begins with its status line, a trailer with its first field. */
  begin(first: 'status-line' | 'field'): void {
    this.fault = undefined
    this.status = 0
    this.headers = []
    this.#state = first === 'field' ? LINE_START : STATUS_LINE
    this.#begun = 0
    this.#version = 0
    this.#isAscii = true
    this.#isFolded = false
    this.isLenient = false
    this.#reasonFrom = 0
    this.#reasonTo = 0
    this.#marks.length = 0
    this.#earlier = []
    this.#earlierBytes = 0
  }

  /** Reads on from `from`. Returns where the head ends, or -1: there is more to come, or a `fault`. */
  read(chunk: Buffer, from: number): number {
    const limit = Math.min(chunk.length, from + this.#maxBytes - this.#earlierBytes)
    for (let i = from; i < limit; i++) {
      const byte = chunk[i] ?? 0
      switch (this.#state) {
        case VALUE: {
          // Most of a head is values.
          let next = byte
          while (((ALLOWED[next] ?? 0) & IN_VALUE) !== 0) {
            if (next >= 0x80) this.#isAscii = false
            if (++i === limit) break
            next = chunk[i] ?? 0
          }
          if (i === limit) break
          if (next !== CR && next !== LF) return this.#malformed('a character that no header can have')
          this.#mark(i - from)
          this.#endLine(next)
          break
        }
        case NAME:
          if (((ALLOWED[byte] ?? 0) & IN_NAME) !== 0) break
          if (byte !== COLON) return this.#malformed('a header without a colon')
          this.#mark(i - from)
          this.#state = BEFORE_VALUE
          break
        case BEFORE_VALUE:
          if (byte === SPACE || byte === TAB) break
          this.#mark(i - from)
          this.#state = VALUE
          i--
          break
        case LINE_FEED:
          if (byte !== LF) return this.#malformed('a line that does not end in CR LF')
          this.#state = LINE_START
          break
        case LINE_START:
          if (byte === CR) this.#state = LAST_LINE_FEED
          else if (byte === LF) {
            this.isLenient = true
            return this.#finish(chunk, from, i + 1)
          } else if ((byte === SPACE || byte === TAB) && this.#marks.length > 0) this.#unfold()
          else if (((ALLOWED[byte] ?? 0) & IN_NAME) === 0)
            return this.#malformed('a line that is not a header')
          else {
            this.#mark(i - from)
            this.#state = NAME
          }
          break
        case LAST_LINE_FEED:
          if (byte !== LF) return this.#malformed('a line that does not end in CR LF')
          return this.#finish(chunk, from, i + 1)
        default:
          if (!this.#readStatusLine(byte, i - from)) return this.#malformed('what is sent is not HTTP/1')
      }
    }
    if (this.#earlierBytes + limit - from >= this.#maxBytes) return this.#tooLarge()
    this.#earlier.push(Buffer.from(chunk.subarray(from)))
    this.#earlierBytes += chunk.length - from
    return -1
  }

  /** Whether `byte` may come next. */
  #readStatusLine(byte: number, offset: number): boolean {
    switch (this.#state) {
      case STATUS_LINE: {
        // An empty line before it is no harm.
        if (this.#begun === 0 && (byte === CR || byte === LF)) return true
        const at = this.#begun++
        const expected = STATUS_LINE_BEGIN.charCodeAt(at)
        if (!isDigit(expected)) return byte === expected && (at !== STATUS_AT - 1 || this.#knowsVersion())
        if (!isDigit(byte)) return false
        if (at >= STATUS_AT) this.status = this.status * 10 + byte - DIGIT_0
        else this.#version = this.#version * 10 + byte - DIGIT_0
        if (this.#begun === STATUS_LINE_BEGIN.length) this.#state = AFTER_STATUS
        return true
      }
      case AFTER_STATUS:
        this.#reasonFrom = this.#earlierBytes + offset + 1
        this.#reasonTo = this.#reasonFrom
        if (byte === SPACE) this.#state = REASON
        else this.#endLine(byte)
        return byte === CR || byte === LF || byte === SPACE
      default:
        if (byte === CR || byte === LF) {
          this.#reasonTo = this.#earlierBytes + offset
          this.#endLine(byte)
        }
        return true
    }
  }

  /** @param byte CR or LF */
  #endLine(byte: number): void {
    this.#state = byte === CR ? LINE_FEED : LINE_START
    if (byte === LF) this.isLenient = true
  }

  /** The line continues the value of the last field. */
  #unfold(): void {
    this.#marks.pop()
    this.#state = VALUE
    this.#isFolded = true
    this.isLenient = true
  }

  #knowsVersion(): boolean {
    this.isModern = this.#version === 11
    return VERSIONS.includes(this.#version)
  }

  #mark(offset: number): void {
    this.#marks.push(this.#earlierBytes + offset)
  }

  /** Returns `to`. */
  #finish(chunk: Buffer, from: number, to: number): number {
    const text =
      this.#earlier.length === 0
        ? chunk.toString('latin1', from, to)
        : Buffer.concat([...this.#earlier, chunk.subarray(from, to)]).toString('latin1')
    // One string for all names and one for all values, for each field to be a part of: cheaper than a string for each.
    const lower = text.toLowerCase()
    const marks = this.#marks
    const headers: Array<readonly [string, string]> = []
    for (let i = 0; i + 3 < marks.length; i += 4) {
      const name = lower.slice(marks[i], marks[i + 1])
      const raw = text.slice(marks[i + 2], marks[i + 3])
      const value = this.#isFolded ? raw.replace(FOLD, ' ').trimStart() : raw
      headers.push([name, this.#isAscii ? value : fieldValue(name, value)])
    }
    this.headers = headers
    this.reasonPhrase = text.slice(this.#reasonFrom, this.#reasonTo)
    this.#earlier = []
    return to
  }

  #malformed(detail: string): -1 {
    this.fault = { kind: 'malformed', detail }
    return -1
  }

  #tooLarge(): -1 {
    this.fault = {
      kind: 'too-large',
      cause: 'headers',
      detail: `headers of more than ${this.#maxBytes} bytes`,
    }
    return -1
  }
}

const FOLD = /[\t ]*\r?\n[\t ]+/g

function isDigit(byte: number): boolean {
  return byte >= DIGIT_0 && byte <= DIGIT_0 + 9
}

/**
 * What the value of the field `name` (lower case) says. It is ASCII by the book; UTF-8 where it reads as such, Latin-1 where it does not. But
 * a Location that is neither means its bytes, as browsers take it: each is percent-encoded.
 *
 * @param text One character for each byte.
 */
export function fieldValue(name: string, text: string): string {
  if (!/[\x80-\xff]/.test(text)) return text
  const bytes = Buffer.from(text, 'latin1')
  if (isUtf8(bytes)) return bytes.toString('utf8')
  if (name !== 'location') return text
  return text.replace(/[\x80-\xff]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`)
}
