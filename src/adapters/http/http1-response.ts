import type { HeaderList } from '../../domain/fetch/headers.ts'
import { ChunkedBody } from './chunked-body.ts'
import type { Failure } from './failure.ts'
import type { ResponseHandler } from './http-client.ts'
import { Http1Head } from './http1-head.ts'

/** State of a response: incomplete, complete, or invalid. */
export type Http1Progress = 'unfinished' | 'done' | Failure

type Body = 'length' | 'chunked' | 'until-close'

/**
 * Reads responses of HTTP/1.1 and 1.0 from the bytes of one connection, one after another, and reports heads and bodies as they arrive, without
 * sockets or timers. Pieces of bodies are views of the received buffers, which are not kept.
 */
export class Http1Response {
  /** Whether the connection can be reused after the response. */
  mayBeReused = false
  /** How long the server keeps an idle connection (ms), if it sent a value. */
  keepAliveMs: number | undefined
  readonly #head: Http1Head
  readonly #chunked: ChunkedBody
  #method = ''
  #handler: Pick<ResponseHandler, 'onHead' | 'onData'> | undefined
  /** The part being read. */
  #part: 'head' | Body | 'nothing' = 'nothing'
  /** Remaining bytes of a body with a length. */
  #left = 0
  readonly #onData = (data: Buffer): void => this.#handler?.onData(data)

  constructor(maxHeaderBytes: number) {
    this.#head = new Http1Head(maxHeaderBytes)
    this.#chunked = new ChunkedBody(maxHeaderBytes)
  }

  /** Expects the response to a request with `method`. */
  begin(method: string, handler: Pick<ResponseHandler, 'onHead' | 'onData'>): void {
    this.#method = method
    this.#handler = handler
    this.#part = 'head'
    this.#head.begin('status-line')
  }

  read(chunk: Buffer): Http1Progress {
    let at = 0
    while (this.#part === 'head') {
      at = this.#head.read(chunk, at)
      if (at < 0) return this.#head.fault ?? 'unfinished'
      const fault = this.#takeHead()
      if (fault !== undefined) return fault
    }
    const end = this.#readBody(chunk, at)
    if (end < 0) return this.#chunked.fault ?? 'unfinished'
    // Data after the response must not be taken for the next response.
    if (end < chunk.length || (this.#part === 'chunked' && this.#chunked.isLenient)) this.mayBeReused = false
    this.#part = 'nothing'
    // An idle connection, of which there may be thousands, must not keep the whole exchange in memory.
    this.#handler = undefined
    this.#head.begin('status-line')
    return 'done'
  }

  /** The server closed its side. Returns whether the response is complete. */
  end(): boolean {
    return this.#part === 'until-close'
  }

  /** Reports the received head and determines the framing of the body. */
  #takeHead(): Failure | undefined {
    const { status, headers, isModern, isLenient, reasonPhrase } = this.#head
    // A switch of the protocol is never requested. An unexpected 100 is skipped (RFC 9110, 15.2).
    if (status < 100 || status === 101) return { kind: 'malformed', detail: `status ${status}` }
    const framing = framingOf(headers)
    if ('kind' in framing) return framing
    this.#handler?.onHead(status, headers, { protocol: isModern ? 'http/1.1' : 'http/1.0', reasonPhrase })
    if (status < 200) {
      this.#head.begin('status-line')
      return undefined
    }
    const { length, isCoded, isChunked, closes, keepsAlive } = framing
    this.keepAliveMs = framing.keepAliveMs
    this.mayBeReused = !closes && !isLenient && (isModern || keepsAlive)
    if (this.#method === 'HEAD' || status === 204 || status === 304) {
      // A server that announces a body here may also send it, where the next response should be.
      if (isCoded || (length !== undefined && length > 0)) this.mayBeReused = false
      this.#part = 'nothing'
    } else if (isChunked) {
      this.#chunked.begin()
      this.#part = 'chunked'
    } else if (length !== undefined) {
      this.#left = length
      this.#part = 'length'
    } else {
      this.mayBeReused = false
      this.#part = 'until-close'
    }
    return undefined
  }

  /** Returns the end of the body in `chunk`, or -1: incomplete or invalid. */
  #readBody(chunk: Buffer, at: number): number {
    switch (this.#part) {
      case 'chunked':
        return this.#chunked.read(chunk, at, this.#onData)
      case 'length': {
        const data = at === 0 && chunk.length <= this.#left ? chunk : chunk.subarray(at, at + this.#left)
        if (data.length > 0) this.#onData(data)
        this.#left -= data.length
        return this.#left === 0 ? at + data.length : -1
      }
      case 'until-close':
        if (at < chunk.length) this.#onData(chunk.subarray(at))
        return -1
      default:
        return at
    }
  }
}

/** Framing from the header fields: where the body ends, and whether the connection can be used again. */
interface Framing {
  /** What Content-Length says; `undefined`: nothing. */
  length: number | undefined
  /** Whether the body has a transfer coding, and whether the last of them is `chunked`. */
  isCoded: boolean
  isChunked: boolean
  /** What Connection says; of both, `close` counts. */
  closes: boolean
  keepsAlive: boolean
  /** What Keep-Alive says: how long the server keeps an idle connection. `undefined`: nothing. */
  keepAliveMs: number | undefined
}

/** The framing of a response. A failure if the fields contradict each other: two readers could disagree about where the response ends. */
function framingOf(headers: HeaderList): Framing | Failure {
  const framing: Framing = {
    length: undefined,
    isCoded: false,
    isChunked: false,
    closes: false,
    keepsAlive: false,
    keepAliveMs: undefined,
  }
  for (const [name, value] of headers) {
    switch (name) {
      case 'content-length':
        for (const member of value.split(',')) {
          const length = Number(member)
          if (!LENGTH.test(member))
            return { kind: 'malformed', detail: 'a Content-Length that is not a number' }
          // The same length again is harmless, and common: a server and its application both send one.
          if (framing.length !== undefined && framing.length !== length) return MALFORMED_LENGTH
          if (length >= 2 ** 64) return { kind: 'malformed', detail: 'a Content-Length over 2^64' }
          framing.length = length
        }
        break
      case 'transfer-encoding':
        framing.isCoded = true
        framing.isChunked = LAST_IS_CHUNKED.test(value)
        break
      case 'connection':
        // What nearly every server says.
        if (value === 'keep-alive') framing.keepsAlive = true
        else
          for (const token of value.toLowerCase().split(',')) {
            const option = token.trim()
            if (option === 'close') framing.closes = true
            else if (option === 'keep-alive') framing.keepsAlive = true
          }
        break
      case 'keep-alive': {
        const [, seconds] = TIMEOUT.exec(value) ?? []
        if (seconds !== undefined) framing.keepAliveMs = Number(seconds) * 1_000
        break
      }
    }
  }
  return framing.isCoded && framing.length !== undefined ? MALFORMED_LENGTH : framing
}

const MALFORMED_LENGTH: Failure = {
  kind: 'malformed',
  detail: 'the headers give more than one length of the body',
}

const LENGTH = /^[\t ]*\d+[\t ]*$/
const LAST_IS_CHUNKED = /(?:^|,)[\t ]*chunked[\t ]*$/i
const TIMEOUT = /(?:^|,)[\t ]*timeout=(\d+)/i
