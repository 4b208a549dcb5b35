import { STATUS_CODES } from 'node:http'
import type { HeaderList } from '../../domain/fetch/headers.ts'
import { header } from '../../domain/fetch/headers.ts'
import type { ContentRow } from '../../domain/segment/segment-rows.ts'

/**
 * A response as the HTTP/1 message that it was; one of HTTP/2 as HTTP/1.1. The body is decoded, so the fields that describe its coding are
 * renamed.
 */
export function responseMessage(content: ContentRow): Uint8Array {
  const { httpStatus, headers, body, protocol, reasonPhrase = STATUS_CODES[httpStatus] ?? '' } = content
  const version = protocol === 'http/1.0' ? 'HTTP/1.0' : 'HTTP/1.1'
  const fields: HeaderList = [
    ...headers.map(([name, value]): [string, string] => [
      DESCRIBES_CODING.has(name) ? `X-Crawler-${name}` : name,
      value,
    ]),
    // RFC 9110 (8.6): none in a response that cannot have a body.
    ...(httpStatus === 204 ? [] : [['content-length', String(body.byteLength)] as const]),
  ]
  return Buffer.concat([head(`${version} ${httpStatus} ${reasonPhrase}`, fields), body])
}

/** The request for it. */
export function requestMessage({ url, requestHeaders }: ContentRow): Uint8Array {
  const { host, pathname, search } = new URL(url)
  const fields: HeaderList =
    header(requestHeaders, 'host') === undefined ? [['host', host], ...requestHeaders] : requestHeaders
  return head(`GET ${pathname}${search} HTTP/1.1`, fields)
}

const DESCRIBES_CODING = new Set(['content-encoding', 'transfer-encoding', 'content-length'])

const LINE_BREAKS = /[\r\n\0]+/g

function head(start: string, fields: HeaderList): Buffer {
  const lines = fields.map(([name, value]) => `${titleCase(name)}: ${value.replace(LINE_BREAKS, ' ')}\r\n`)
  const text = `${start.replace(LINE_BREAKS, ' ')}\r\n${lines.join('')}\r\n`
  // Header values come as one character for each byte; a value from elsewhere that is more than that is UTF-8.
  return Buffer.from(text, /^[\0-\xff]*$/.test(text) ? 'latin1' : 'utf8')
}

/** Names are stored in lower case; `Content-Type` is what people look for. */
function titleCase(name: string): string {
  return name.replace(/(^|-)([a-z])/g, (_, dash: string, letter: string) => dash + letter.toUpperCase())
}
