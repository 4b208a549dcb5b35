import type { HeaderList } from '../../domain/fetch/headers.ts'
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

/** The framing of a response. A failure when the fields contradict each other, for then somebody lies about where the response ends. */
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
        for (const member of value.split(',')) {
          const length = Number(member)
          if (!LENGTH.test(member))
            return { kind: 'malformed', detail: 'a Content-Length that is not a number' }
          // The same length again is harmless, and common: a server and a program behind it both send one.
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
