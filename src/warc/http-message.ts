import { STATUS_CODES } from 'node:http'
import type { HeaderList } from '../fetch/headers.ts'
import { header } from '../fetch/headers.ts'
import type { ContentRow } from '../segment/segment-rows.ts'

/** An answer as an HTTP/1.1 message, whatever it came over. The body is decoded, so the fields that describe its coding are renamed. */
export function responseMessage({ httpStatus, headers, body }: ContentRow): Uint8Array {
  const fields: HeaderList = [
    ...headers.map(([name, value]): [string, string] => [
      DESCRIBES_CODING.has(name) ? `X-Crawler-${name}` : name,
      value,
    ]),
    ['content-length', String(body.byteLength)],
  ]
  return Buffer.concat([head(`HTTP/1.1 ${httpStatus} ${STATUS_CODES[httpStatus] ?? ''}`, fields), body])
}

/** The request for it. */
export function requestMessage({ url, requestHeaders }: ContentRow): Uint8Array {
  const { host, pathname, search } = new URL(url)
  const fields: HeaderList =
    header(requestHeaders, 'host') === undefined ? [['host', host], ...requestHeaders] : requestHeaders
  return head(`GET ${pathname}${search} HTTP/1.1`, fields)
}

const DESCRIBES_CODING = new Set(['content-encoding', 'transfer-encoding', 'content-length'])

function head(start: string, fields: HeaderList): Buffer {
  const lines = fields.map(([name, value]) => `${titleCase(name)}: ${value.replace(/[\r\n\0]+/g, ' ')}`)
  const text = `${start}\r\n${lines.join('\r\n')}\r\n\r\n`
  // Header values come as one character for each byte; a value from elsewhere that is more than that is UTF-8.
  return Buffer.from(text, /^[\0-\xff]*$/.test(text) ? 'latin1' : 'utf8')
}

/** Names are stored in lower case; `Content-Type` is what people look for. */
function titleCase(name: string): string {
  return name.replace(/(^|-)([a-z])/g, (_, dash: string, letter: string) => dash + letter.toUpperCase())
}
