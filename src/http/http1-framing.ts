import type { HeaderList } from '../fetch/headers.ts'
import type { Failure } from './failure.ts'

/** What the fields of a head say about the connection: where the body ends, and what comes after it. */
export interface Framing {
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

/** The framing of an answer. A failure when the fields contradict each other, for then somebody lies about where the answer ends. */
export function framingOf(headers: HeaderList): Framing | Failure {
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
        if (framing.length !== undefined) return MALFORMED_LENGTH
        if (!LENGTH.test(value)) return { kind: 'malformed', detail: 'a Content-Length that is no number' }
        framing.length = Number(value)
        if (framing.length >= 2 ** 64) return { kind: 'malformed', detail: 'a Content-Length over 2^64' }
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
  detail: 'the length of the body is given in more ways than one',
}

const LENGTH = /^\d+[\t ]*$/
const LAST_IS_CHUNKED = /(?:^|,)[\t ]*chunked[\t ]*$/i
const TIMEOUT = /(?:^|,)[\t ]*timeout=(\d+)/i
