import { createHash } from 'node:crypto'
import { crc32, gunzipSync, inflateRawSync } from 'node:zlib'
import { beforeEach, expect, it } from 'vitest'
import { fetchedPage } from '../../../testing/segments.ts'
import type { ContentRow } from '../../domain/segment/segment-rows.ts'
import type { RecordedPage } from '../../domain/segment/segment-store.ts'
import { recordId, sha1Digest, warcSink } from './warc-sink.ts'

const OPTIONS = {
  fileName: 'crawl.warc.gz',
  software: 'orbweaver/0.1.0',
  now: 1_800_000_000_000,
  operator: 'me',
}

let members: Uint8Array[]

beforeEach(() => {
  members = []
})

it('opens the file with a warcinfo record, even when there are no pages', async () => {
  await sink().close()
  const [info] = records()
  expect(records()).toHaveLength(1)
  expect(info?.version).toBe('WARC/1.1')
  expect(Object.fromEntries(info?.fields ?? [])).toMatchObject({
    'WARC-Type': 'warcinfo',
    'WARC-Date': '2027-01-15T08:00:00.000Z',
    'WARC-Filename': 'crawl.warc.gz',
    'Content-Type': 'application/warc-fields',
  })
  expect(info?.block.toString()).toContain('software: orbweaver/0.1.0\r\nformat: WARC File Format 1.1\r\n')
})

it('writes a response and the request that belongs to it', async () => {
  const [info, response, request] = await written(page())
  expect(response?.fields).toEqual(
    new Map([
      ['WARC-Type', 'response'],
      [
        'WARC-Record-ID',
        expect.stringMatching(
          /^<urn:uuid:[0-9a-f]{8}-[0-9a-f]{4}-5[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}>$/,
        ),
      ],
      ['WARC-Target-URI', 'http://a.test/x?y=1'],
      ['WARC-Date', '2027-01-15T08:00:00.000Z'],
      ['WARC-Warcinfo-ID', info?.fields.get('WARC-Record-ID')],
      ['WARC-IP-Address', '127.0.0.1'],
      ['WARC-Protocol', 'http/1.1'],
      ['WARC-Payload-Digest', expect.anything()],
      ['WARC-Identified-Payload-Type', 'text/html'],
      ['Content-Type', 'application/http;msgtype=response'],
      ['WARC-Block-Digest', expect.anything()],
      ['Content-Length', String(response?.block.byteLength)],
    ]),
  )
  expect(request?.fields.get('WARC-Type')).toBe('request')
  expect(request?.fields.get('WARC-Concurrent-To')).toBe(response?.fields.get('WARC-Record-ID'))
  expect(request?.block.toString()).toBe(
    'GET /x?y=1 HTTP/1.1\r\nHost: a.test\r\nUser-Agent: orbweaver\r\n\r\n',
  )
})

it('gives digests of the block and of the payload that another program computes too', async () => {
  const { content } = page()
  for (const record of await written(page())) {
    expect(record.fields.get('WARC-Block-Digest')).toBe(independentDigest(record.block))
  }
  expect(records()[1]?.fields.get('WARC-Payload-Digest')).toBe(
    independentDigest(content?.body ?? Buffer.alloc(0)),
  )
  expect(sha1Digest(Buffer.from(''))).toBe('sha1:3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ')
})

it('keeps the fields that described the coding of the body under other names', async () => {
  const [, response] = await written(
    page({
      headers: [
        ['content-encoding', 'br'],
        ['transfer-encoding', 'chunked'],
        ['content-length', '5'],
        ['x-powered-by', 'caf\xe9'],
      ],
      body: Buffer.from('decoded'),
    }),
  )
  expect(response?.block.toString('latin1')).toBe(
    'HTTP/1.1 200 OK\r\nX-Crawler-Content-Encoding: br\r\nX-Crawler-Transfer-Encoding: chunked\r\n' +
      'X-Crawler-Content-Length: 5\r\nX-Powered-By: caf\xe9\r\nContent-Length: 7\r\n\r\ndecoded',
  )
})

it.each<[string, Partial<ContentRow>, string]>([
  ['HTTP/1.0', { protocol: 'http/1.0', reasonPhrase: 'OK' }, 'HTTP/1.0 200 OK'],
  ['its own reason phrase', { reasonPhrase: 'Fine by me' }, 'HTTP/1.1 200 Fine by me'],
  ['an empty reason phrase', { reasonPhrase: '' }, 'HTTP/1.1 200 '],
  ['none stored', {}, 'HTTP/1.1 200 OK'],
  ['HTTP/2', { protocol: 'h2' }, 'HTTP/1.1 200 OK'],
  ['a line break in it', { reasonPhrase: 'a\r\nb' }, 'HTTP/1.1 200 a b'],
])('writes the status line that was sent: %s', async (_, content, line) => {
  const [, response] = await written(page(content))
  expect(response?.block.toString('latin1').split('\r\n')[0]).toBe(line)
})

it('gives a 204 no length', async () => {
  const [, response] = await written(page({ httpStatus: 204, headers: [], body: Buffer.alloc(0) }))
  expect(response?.block.toString()).toBe('HTTP/1.1 204 No Content\r\n\r\n')
})

it.each([
  ['size', 'length'],
  ['time', 'time'],
  ['disconnect', 'disconnect'],
  ['encoding', 'unspecified'],
])('says why a body is short: %s', async (truncated, word) => {
  const [, response] = await written(page({ truncated }))
  expect(response?.fields.get('WARC-Truncated')).toBe(word)
})

it('lets no header value begin a line or a record of its own', async () => {
  const [, response] = await written(
    page({ headers: [['x', 'a\r\n\r\nWARC/1.1\r\nevil: 1']], address: '::1\r\nevil: 1' }),
  )
  expect(response?.block.toString()).toContain('X: a WARC/1.1 evil: 1\r\n')
  expect(response?.fields.has('evil')).toBe(false)
})

it('gives a record the same id in every export, and no two records the same', async () => {
  const first = (await written(page())).map(({ fields }) => fields.get('WARC-Record-ID'))
  members = []
  expect((await written(page())).map(({ fields }) => fields.get('WARC-Record-ID'))).toEqual(first)
  expect(new Set(first).size).toBe(3)
  expect(recordId('a')).not.toBe(recordId('b'))
})

it('makes each record a gzip member of its own', async () => {
  await written(page())
  expect(members).toHaveLength(3)
  for (const member of members) expect(gunzipSync(member).toString('latin1', 0, 8)).toBe('WARC/1.1')
})

it('leaves out pages without a response', async () => {
  const { content: _, ...rest } = page()
  expect(await written(rest)).toHaveLength(1)
})

function page(content: Partial<ContentRow> = {}): RecordedPage {
  const made = fetchedPage('http://a.test/x?y=1')
  return {
    segment: '20270115080000',
    ...made,
    ...(made.content && { content: { ...made.content, ...content } }),
  }
}

function sink() {
  return warcSink(async (bytes) => void members.push(bytes), OPTIONS)
}

async function written(recorded: RecordedPage): Promise<WarcRecord[]> {
  const out = sink()
  await out.write(recorded)
  await out.close()
  return records()
}

interface WarcRecord {
  readonly version: string
  readonly fields: Map<string, string>
  readonly block: Buffer
}

/** A reader of its own: it takes members apart by RFC 1952 and records by their Content-Length, knowing nothing of the writer. */
function records(): WarcRecord[] {
  const file = Buffer.concat(members)
  const found: WarcRecord[] = []
  for (let at = 0; at < file.length; ) {
    expect(file.readUInt32BE(at)).toBe(0x1f8b0800)
    const { buffer, engine } = inflateRawSync(file.subarray(at + 10), { info: true }) as unknown as {
      buffer: Buffer
      engine: { bytesWritten: number }
    }
    at += 10 + engine.bytesWritten
    expect(file.readUInt32LE(at)).toBe(crc32(buffer))
    at += 8
    found.push(readRecord(buffer))
  }
  return found
}

function readRecord(bytes: Buffer): WarcRecord {
  const end = bytes.indexOf('\r\n\r\n')
  const [version = '', ...lines] = bytes.toString('utf8', 0, end).split('\r\n')
  const fields = new Map(
    lines.map((line): [string, string] => {
      const colon = line.indexOf(': ')
      return [line.slice(0, colon), line.slice(colon + 2)]
    }),
  )
  const length = Number(fields.get('Content-Length'))
  const block = bytes.subarray(end + 4, end + 4 + length)
  expect(bytes.toString('latin1', end + 4 + length)).toBe('\r\n\r\n')
  return { version, fields, block }
}

/** Base 32 by groups of five bits in a string of bits. */
function independentDigest(bytes: Uint8Array): string {
  const bits = [...createHash('sha1').update(bytes).digest()]
    .map((byte) => byte.toString(2).padStart(8, '0'))
    .join('')
  const digits = (bits.match(/.{5}/g) ?? []).map(
    (group) => 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'[Number.parseInt(group, 2)],
  )
  return `sha1:${digits.join('')}`
}
