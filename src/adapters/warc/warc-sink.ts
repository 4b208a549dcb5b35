import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import type { PageSink } from '../../domain/segment/page-sink.ts'
import type { ContentRow } from '../../domain/segment/segment-rows.ts'
import type { RecordedPage } from '../../domain/segment/segment-store.ts'
import { requestMessage, responseMessage } from './http-message.ts'
import { recordId, sha1Digest, warcRecord } from './warc-record.ts'

export interface WarcSinkOptions {
  /** Of the file, without directories: part of its first record. */
  readonly fileName: string
  /** Who wrote it: `orbweaver/1.0.0`. */
  readonly software: string
  /** When (ms since the epoch). */
  readonly now: number
  /** Who to ask about the crawl: a person, an address, a page. */
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
      ...visitFields(content, infoId),
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
      ...visitFields(content, infoId),
      ['WARC-Concurrent-To', idOf('response', content)],
      ['Content-Type', 'application/http;msgtype=request'],
    ],
    requestMessage(content),
  )
}

/** The words of the standard for why a body is short; `Truncation` is ours. */
const TRUNCATED: Readonly<Record<string, string>> = { size: 'length', time: 'time', disconnect: 'disconnect' }

function visitFields({ url, fetchedAt, address, protocol }: ContentRow, infoId: string): [string, string][] {
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
