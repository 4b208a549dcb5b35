import { createHash, hash } from 'node:crypto'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import { reasonPhrase } from '../../base/reason-phrase.ts'
import { type HeaderList, header } from '../../domain/fetch/headers.ts'
import type { PageSink } from '../../domain/segment/page-sink.ts'
import type { ContentRow } from '../../domain/segment/segment-rows.ts'
import type { RecordedPage } from '../../domain/segment/segment-store.ts'

export interface WarcSinkOptions {
  /** File name without directories, for the first record. */
  readonly fileName: string
  /** The software: `orbweaver/1.0.0`. */
  readonly software: string
  /** Time of the export (ms since the epoch). */
  readonly now: number
  /** Contact of the operator: a person, an address, a page. */
  readonly operator?: string
}

/** Writes pages that have a response as a WARC file, compressed record by record. @param write is given the bytes in order */
export function warcSink(write: (bytes: Uint8Array) => Promise<void>, options: WarcSinkOptions): PageSink {
  const infoId = recordId(`warcinfo ${options.fileName} ${options.now}`)
  let isOpen = false
  const open = async () => {
    isOpen = true
    await write(await compress(warcinfo(infoId, options)))
  }
  return {
    async write({ fetch, content }: RecordedPage) {
      if (!isOpen) await open()
      if (content === undefined) return
      const records = [response(content, infoId, fetch.contentType), request(content, infoId)]
      for (const record of await Promise.all(records.map((record) => compress(record)))) await write(record)
    },
    async close() {
      if (!isOpen) await open()
    },
  }
}

function warcinfo(id: string, { fileName, software, now, operator }: WarcSinkOptions): Uint8Array {
  const fields = [
    `software: ${software}`,
    'format: WARC File Format 1.1',
    'conformsTo: http://iipc.github.io/warc-specifications/specifications/warc-format/warc-1.1/',
    ...(operator === undefined ? [] : [`operator: ${operator.replace(/[\r\n]+/g, ' ')}`]),
  ]
  return warcRecord(
    [
      ['WARC-Type', 'warcinfo'],
      ['WARC-Record-ID', id],
      ['WARC-Date', new Date(now).toISOString()],
      ['WARC-Filename', fileName],
      ['Content-Type', 'application/warc-fields'],
    ],
    Buffer.from(`${fields.join('\r\n')}\r\n`),
  )
}

function response(content: ContentRow, infoId: string, contentType: string | undefined): Uint8Array {
  return warcRecord(
    [
      ['WARC-Type', 'response'],
      ['WARC-Record-ID', idOf('response', content)],
      ...fetchFields(content, infoId),
      ['WARC-Payload-Digest', sha1Digest(content.body)],
      ['WARC-Identified-Payload-Type', contentType],
      [
        'WARC-Truncated',
        content.truncated === undefined ? undefined : (TRUNCATED[content.truncated] ?? 'unspecified'),
      ],
      ['Content-Type', 'application/http;msgtype=response'],
    ],
    responseMessage(content),
  )
}

function request(content: ContentRow, infoId: string): Uint8Array {
  return warcRecord(
    [
      ['WARC-Type', 'request'],
      ['WARC-Record-ID', idOf('request', content)],
      ...fetchFields(content, infoId),
      ['WARC-Concurrent-To', idOf('response', content)],
      ['Content-Type', 'application/http;msgtype=request'],
    ],
    requestMessage(content),
  )
}

/** Values of `WARC-Truncated` for each `Truncation`. */
const TRUNCATED: Readonly<Record<string, string>> = { size: 'length', time: 'time', disconnect: 'disconnect' }

function fetchFields({ url, fetchedAt, address, protocol }: ContentRow, infoId: string): [string, string][] {
  return [
    ['WARC-Target-URI', url],
    ['WARC-Date', new Date(fetchedAt).toISOString()],
    ['WARC-Warcinfo-ID', infoId],
    ['WARC-IP-Address', address],
    // An HTTP/2 response is stored as the HTTP/1.1 message it stands for; this says what it was.
    ['WARC-Protocol', protocol],
  ]
}

function idOf(type: string, { url, fetchedAt }: ContentRow): string {
  return recordId(`${type} ${fetchedAt} ${url}`)
}

const compress: (record: Uint8Array) => Promise<Uint8Array> = promisify(gzip)

/**
 * A response as the HTTP/1 message that it was; one of HTTP/2 as HTTP/1.1. The body is decoded, so the fields that describe its coding are
 * renamed.
 */
export function responseMessage(content: ContentRow): Uint8Array {
  const {
    httpStatus,
    headers,
    body,
    protocol,
    reasonPhrase: phrase = reasonPhrase(httpStatus) ?? '',
  } = content
  const version = protocol === 'http/1.0' ? 'HTTP/1.0' : 'HTTP/1.1'
  const fields: HeaderList = [
    ...headers.map(([name, value]): [string, string] => [
      DESCRIBES_CODING.has(name) ? `X-Crawler-${name}` : name,
      value,
    ]),
    // RFC 9110 (8.6): none in a response that cannot have a body.
    ...(httpStatus === 204 ? [] : [['content-length', String(body.byteLength)] as const]),
  ]
  return Buffer.concat([head(`${version} ${httpStatus} ${phrase}`, fields), body])
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

/** Header names are stored in lower case; `Content-Type` is the usual spelling. */
function titleCase(name: string): string {
  return name.replace(/(^|-)([a-z])/g, (_, dash: string, letter: string) => dash + letter.toUpperCase())
}

/** The named fields of a record's head, in order; those that are `undefined` are left out. */
export type WarcFields = ReadonlyArray<readonly [name: string, value: string | undefined]>

/** A record of WARC 1.1 as bytes, not yet compressed. Content-Length and WARC-Block-Digest are added. */
export function warcRecord(fields: WarcFields, block: Uint8Array): Uint8Array {
  const all: WarcFields = [
    ...fields,
    ['WARC-Block-Digest', sha1Digest(block)],
    ['Content-Length', String(block.byteLength)],
  ]
  const lines = all.flatMap(([name, value]) => (value === undefined ? [] : [`${name}: ${oneLine(value)}`]))
  const head = Buffer.from(`WARC/1.1\r\n${lines.join('\r\n')}\r\n\r\n`)
  return Buffer.concat([head, block, END])
}

/** `sha1:` and the hash in base 32, as web archives write it. */
export function sha1Digest(bytes: Uint8Array): string {
  return `sha1:${base32(createHash('sha1').update(bytes).digest())}`
}

/** A record id that is always the same for the same `name`: a UUID of version 5. */
export function recordId(name: string): string {
  const bytes = Buffer.from(hash('sha1', `orbweaver ${name}`, 'buffer').subarray(0, 16))
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x50, 6)
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8)
  const hex = bytes.toString('hex')
  const groups = [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)]
  return `<urn:uuid:${groups.join('-')}>`
}

const END = Buffer.from('\r\n\r\n')

/** Twenty bytes are 32 digits to the bit, so there is no padding. */
function base32(bytes: Uint8Array): string {
  let bits = 0n
  for (const byte of bytes) bits = (bits << 8n) | BigInt(byte)
  let digits = ''
  for (let i = 0; i < (bytes.length * 8) / 5; i++) {
    digits = DIGITS.charAt(Number(bits & 31n)) + digits
    bits >>= 5n
  }
  return digits
}

const DIGITS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'

/** A value of a server must not start a new field. */
function oneLine(value: string): string {
  return value.replace(/[\r\n]+/g, ' ')
}
