import { once } from 'node:events'
import { connect } from 'node:net'
import fc from 'fast-check'
import { Client } from 'undici'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type RawServer, startRawServer } from '../../../testing/raw-server.ts'
import { steadyClock } from '../../base/clock.ts'
import type { ResponseHandler } from './http-client.ts'
import { Http1Client } from './http1-client.ts'
import { fieldValue } from './http1-head.ts'

const options = { clock: steadyClock, keepAliveMs: 5_000, maxHeaderBytes: 4_096 }

/** Sends the response with the requested number, byte for byte, and nothing more. */
const responses: string[] = []
let server: RawServer

beforeAll(async () => {
  server = await startRawServer((socket, head) => {
    const [, number = ''] = /\/(\d+)/.exec(head) ?? []
    socket.end(responses[Number(number)] ?? '', 'latin1')
  })
})

afterAll(() => server.close())

/** What came of a response: all of it, or `refused`. */
type Verdict = 'refused' | { status: number; headers: Array<readonly [string, string]>; body: string }

async function ours(method: string, path: string): Promise<Verdict> {
  const socket = connect(server.port, '127.0.0.1')
  await once(socket, 'connect')
  const client = new Http1Client(socket, '127.0.0.1', options, () => {})
  const verdict = await new Promise<Verdict>((resolve) =>
    client.send({ method, path, headers: [], body: null }, collector(resolve)),
  )
  client.destroy()
  return verdict
}

async function undici(method: string, path: string): Promise<Verdict> {
  const client = new Client(server.origin, { maxHeaderSize: options.maxHeaderBytes })
  const verdict = await new Promise<Verdict>((resolve) => {
    const handler = collector(resolve)
    let isRefused = false
    client.dispatch(
      { method, path },
      {
        onRequestStart: (controller) => {
          // Unlike our client it sends the request again when the response ends before its head.
          if (isRefused) controller.abort(new Error('requested twice'))
          isRefused = true
        },
        onResponseStart: ({ rawHeaders }, status) => {
          const raw = Array.isArray(rawHeaders) ? rawHeaders.map((text) => text.toString('latin1')) : []
          const headers = raw.flatMap((name, i) => {
            const lower = name.toLowerCase()
            return i % 2 === 0 ? [[lower, fieldValue(lower, raw[i + 1] ?? '')] as const] : []
          })
          handler.onHead(status, headers)
        },
        onResponseData: (_, chunk) => handler.onData(chunk),
        onResponseEnd: () => handler.onEnd(),
        onResponseError: (_, error) => handler.onError(error),
      },
    )
  })
  await client.destroy()
  return verdict
}

function collector(resolve: (verdict: Verdict) => void): ResponseHandler {
  let response: Exclude<Verdict, string> = { status: 0, headers: [], body: '' }
  return {
    onSend: () => true,
    onResponseStart: () => {},
    onHead: (status, headers) => {
      response = { status, headers: [...headers], body: '' }
    },
    onData: (chunk) => {
      response.body += Buffer.from(chunk).toString('latin1')
    },
    onEnd: () => resolve(response),
    onError: () => resolve('refused'),
  }
}

async function both(response: string, method = 'GET'): Promise<readonly [ours: Verdict, undici: Verdict]> {
  const path = `/${responses.push(response) - 1}`
  return Promise.all([ours(method, path), undici(method, path)])
}

/** `hi` as a body with a length, and in chunks. */
const HI = 'Content-Length: 2\r\n\r\nhi'
const CHUNKED_HI = '2\r\nhi\r\n0\r\n\r\n'
const CHUNKED = 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n'

describe('compared with undici', () => {
  it.each([
    ...['HTTP/1.1 200 OK', 'HTTP/1.1 200', 'HTTP/1.1 200 ', 'HTTP/1.1 200 \x00\x1b\x80'],
    ...['HTTP/1.1 200 O\rK', 'HTTP/1.0 200 OK', 'HTTP/0.9 200 OK'],
    ...['HTTP/2.0 200 OK', 'HTTP/1.2 200 OK', 'HTTP/3.0 200 OK', 'HTTP/11 200 OK'],
    ...['http/1.1 200 OK', 'HTTP/1.1  200 OK', 'HTTP/1.1\t200 OK', ' HTTP/1.1 200 OK'],
    ...['\r\nHTTP/1.1 200 OK', '\n\nHTTP/1.1 200 OK', 'HTTP/1.1 20 OK', 'HTTP/1.1 2000 OK'],
    ...['HTTP/1.1 2x0 OK', 'HTTP/1.1 099 OK', 'HTTP/1.1 999 OK', 'HTTP/1.1 205 OK'],
    ...['HTTP/1.1 204 OK', 'HTTP/1.1 304 OK', 'HTTP/1.1 101 Switch', 'SSH-2.0-OpenSSH_9.6'],
    ...['<html>', ''],
  ])('takes the status line %j alike', async (line) => {
    const [ours, theirs] = await both(`${line}\r\n${HI}`)
    expect(ours).toEqual(theirs)
  })

  it.each([
    ...['A: b', 'A: \t b \t ', 'A:b', 'A:', 'A: ', 'A : b', ': b', 'A', '\xe4: b'],
    ...['A: \xe4', 'A: \xc3\xa4', 'A: b\tc', "aZ09!#$%&'*+-.^_`|~: b", 'A(: b'],
    ...['A: b\x00c', 'A: b\x01c', 'A: b\x7fc', 'A: b\rc', 'A: b\nc', 'A: b\x0bc'],
    ...[' A: b', '\tA: b'],
    ...['Connection: upgrade\r\nUpgrade: h2c', 'Connection: close'],
    ...['Connection: keep-alive', 'Keep-Alive: timeout=5'],
    ...['Set-Cookie: a\r\nSet-Cookie: b'],
    `A: ${'b'.repeat(5_000)}`,
  ])('takes the header %j alike', async (field) => {
    const [ours, theirs] = await both(`HTTP/1.1 200 OK\r\n${field}\r\n${HI}`)
    expect(ours).toEqual(theirs)
  })

  it.each([
    ...['', '+2', '-2', '0x2', '2.0', ' 2', '02', '2 2', '2, 3', '2,', ',2', '2;2', '0', '1', '3'],
    ...['2\r\nContent-Length: 3', '2, 2\r\nContent-Length: 3', '18446744073709551616'],
    ...['99999999999999999999999', '2\r\nTransfer-Encoding: gzip'],
  ])('takes the length %j alike', async (length) => {
    const [ours, theirs] = await both(`HTTP/1.1 200 OK\r\nContent-Length: ${length}\r\n\r\nhi`)
    expect(ours).toEqual(theirs)
  })

  it.each([
    ...['chunked', 'Chunked', 'gzip, chunked', 'gzip,chunked', 'chunked, gzip', 'gzip'],
    ...['identity', 'chunked ', 'xchunked', 'chunkedx', '', ',chunked', 'chunked,'],
    ...['chunked, chunked', 'gzip\r\nTransfer-Encoding: chunked'],
    ...['chunked\r\nTransfer-Encoding: gzip', 'chunked\r\nContent-Length: 2'],
    ...['chunked\r\nConnection: close'],
  ])('takes the coding %j alike', async (coding) => {
    const response = `200 OK\r\nTransfer-Encoding: ${coding}\r\n\r\n${CHUNKED_HI}`
    for (const version of ['1.1', '1.0']) {
      const [ours, theirs] = await both(`HTTP/${version} ${response}`)
      expect(ours).toEqual(theirs)
    }
  })

  it.each([
    ...['02', '0000000000000002', '2;a', '2;a=b', '2;a="b c"', '2 ;a', '2 ', ' 2', '2\t'],
    ...['', '0x2', '2g', '-2', '1', '3', '10000000000000000', '2;\x00', '2\n', '2;a\n'],
    ...['2\rx', 'A\r\n0123456789\r\nb\r\n0123456789a\r\n2'],
  ])('takes the chunk size %j alike', async (size) => {
    const [ours, theirs] = await both(`${CHUNKED}${size}\r\nhi\r\n0\r\n\r\n`)
    expect(ours).toEqual(theirs)
  })

  it.each([
    ...['', '2\r\nhi\r\n', '2\r\nhiho\r\n0\r\n\r\n', '2\r\nhi\n0\r\n\r\n'],
    ...['2\r\nhi\r\n000\r\n\r\n', '0\r\n\r\nmore', '0\r\nA: b\r\nC: d\r\n\r\n'],
    ...['0\r\nA\r\n\r\n', '0\r\nA: b\r\n', '0\r\n A: b\r\n\r\n', '0\n\r\n', '0\n\n'],
    `0\r\nA: ${'b'.repeat(5_000)}\r\n\r\n`,
  ])('takes the chunked body %j alike', async (body) => {
    const [ours, theirs] = await both(CHUNKED + body)
    expect(ours).toEqual(theirs)
  })

  it.each([
    ['nothing', ''],
    ['an end in the status line', 'HTTP/1.1 200 O'],
    ['an end in the head', 'HTTP/1.1 200 OK\r\nContent-Le'],
    ['neither length nor coding', 'HTTP/1.1 200 OK\r\n\r\nhi'],
    ['304 with chunks', 'HTTP/1.1 304 Same\r\nTransfer-Encoding: chunked\r\n\r\n'],
    ['a 103 before', `HTTP/1.1 103 Hints\r\nLink: a\r\n\r\nHTTP/1.1 200 OK\r\n${HI}`],
    ['a 102 with a length', `HTTP/1.1 102 Wait\r\nContent-Length: 5\r\n\r\nHTTP/1.1 200 OK\r\n${HI}`],
    ['a 102 in two ways', 'HTTP/1.1 102 Wait\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n'],
    ['only a 103', 'HTTP/1.1 103 Hints\r\nLink: a\r\n\r\n'],
    ['an upgrade', 'HTTP/1.1 101 Up\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n'],
    ['an upgrade to nothing', `HTTP/1.1 101 Up\r\n\r\nHTTP/1.1 200 OK\r\n${HI}`],
  ])('takes %s alike', async (_, response) => {
    const [ours, theirs] = await both(response)
    expect(ours).toEqual(theirs)
  })

  it.each(['HTTP/1.1 200 OK', 'HTTP/1.1 404 No', 'HTTP/1.0 200 OK'])(
    'takes %j to HEAD alike',
    async (line) => {
      for (const tail of ['Content-Length: 9\r\n\r\n', 'Transfer-Encoding: chunked\r\n\r\n', '\r\n']) {
        const [ours, theirs] = await both(`${line}\r\n${tail}`, 'HEAD')
        expect(ours).toEqual(theirs)
      }
    },
  )

  it.each([
    ['the same length twice', 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 2\r\n\r\nhi'],
    ['the same length twice in one line', 'HTTP/1.1 200 OK\r\nContent-Length: 2, 2\r\n\r\nhi'],
    ['a folded header', `HTTP/1.1 200 OK\r\nA: b\r\n c\r\n${HI}`],
    ['a folded length', 'HTTP/1.1 200 OK\r\nContent-Length:\r\n\t2\r\n\r\nhi'],
    ['lines that end in LF', 'HTTP/1.1 200 OK\nA: b\nContent-Length: 2\n\nhi'],
    ['a status line that ends in LF', `HTTP/1.1 200\n${HI}`],
    ['a head that ends in LF', 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\nhi'],
    ['a trailer that ends in LF', `${CHUNKED}2\r\nhi\r\n0\r\n\n`],
    ['spaces after a length', 'HTTP/1.1 200 OK\r\nContent-Length: 2 \t\r\n\r\nhi'],
    ['spaces in a chunk extension', `${CHUNKED}2; a = b\r\nhi\r\n0\r\n\r\n`],
    ['a chunk extension that is none', `${CHUNKED}2;;="\r\nhi\r\n0\r\n\r\n`],
    ['a length in a trailer', `${CHUNKED}2\r\nhi\r\n0\r\nContent-Length: 2\r\n\r\n`],
    ['an unexpected 100', `HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\n${HI}`],
    ['a 1xx of HTTP/1.0', `HTTP/1.0 103 Hints\r\n\r\nHTTP/1.0 200 OK\r\n${HI}`],
    ['a 1xx that closes', `HTTP/1.1 199 Hm\r\nConnection: close\r\n\r\nHTTP/1.1 200 OK\r\n${HI}`],
  ])('reads a response that undici refuses: %s', async (_, response) => {
    expect(await both(response)).toEqual([expect.objectContaining({ body: 'hi' }), 'refused'])
  })

  it('reads chunks where undici reads them as they are: a tab after the coding', async () => {
    const response = `HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\t\r\n\r\n${CHUNKED_HI}`
    const bodies = (await both(response)).map((verdict) => (verdict === 'refused' ? verdict : verdict.body))
    expect(bodies).toEqual(['hi', CHUNKED_HI])
  })

  it('refuses a response that undici reads: a status line that ends in two CR', async () => {
    const response = `HTTP/1.1 200 OK\r\rA: b\r\n${HI}`
    expect(await both(response)).toEqual(['refused', expect.objectContaining({ body: 'hi' })])
  })

  // The same responses each time: thousands of others were tried, and a change of ours does not change how undici reads another one.
  const SEED = 20261116

  /** What the tests above have found to differ. */
  const KNOWN_DIFFERENCE =
    /HTTP\/1.1 100|Length: \d+[ \t]|\r\n\d+;|HTTP\/[02].\d 103|HTTP\/1.0 103|chunked\t|\r\r|(?<!\r)\n|\n[\t ]/

  it('reads arbitrary responses alike', async () => {
    const token = fc.stringMatching(/^[A-Za-z][A-Za-z0-9-]{0,8}$/)
    const text = fc.stringMatching(/^[\x21-\x7e\x80-\xff]{0,3}[\t\x20-\x7e\x80-\xff]{0,20}$/)
    const field = fc.tuple(token, text).map(([name, value]) => `X-${name}: ${value}`)
    const body = fc.stringMatching(/^[\x00-\xff]{0,40}$/)
    const chunks = fc
      .array(body, { maxLength: 4 })
      .map((parts) =>
        [...parts.filter((part) => part !== ''), ''].map(
          (part) => `${part.length.toString(16)}\r\n${part}\r\n`,
        ),
      )
    const framed = fc.oneof(
      fc
        .tuple(body, fc.constantFrom(0, 0, 0, 1, -1))
        .map(([text, lie]) => [`Content-Length: ${text.length + lie}`, text]),
      chunks.map((parts) => ['Transfer-Encoding: chunked', parts.join('')]),
      body.map((text) => ['Connection: close', text]),
    )
    const status = fc.constantFrom(200, 204, 206, 301, 304, 404, 500)
    const version = fc.constantFrom('1.1', '1.1', '1.0')
    await fc.assert(
      fc.asyncProperty(
        version,
        status,
        fc.array(field, { maxLength: 5 }),
        framed,
        async (v, code, fields, end) => {
          const [framing = '', tail = ''] = end
          const [ours, theirs] = await both(
            `HTTP/${v} ${code} As you like\r\n${[...fields, framing].join('\r\n')}\r\n\r\n${tail}`,
          )
          expect(ours).toEqual(theirs)
        },
      ),
      { numRuns: 150, seed: SEED },
    )
  })

  it('takes a response with one byte wrong alike', async () => {
    const whole = fc.constantFrom(
      `HTTP/1.1 200 OK\r\nA: b\r\n${HI}`,
      `${CHUNKED}2\r\nhi\r\n3\r\nhey\r\n0\r\nT: u\r\n\r\n`,
      `HTTP/1.1 103 Hints\r\n\r\nHTTP/1.0 404 No\r\nConnection: keep-alive\r\n${HI}`,
    )
    const byte = fc.constantFrom(...'\0\t\n\r 0123;:,=aA/.\x7f\x80\xff', '')
    const wrong = fc.tuple(whole, fc.nat(), fc.boolean(), byte).map(([response, place, inserts, char]) => {
      const at = place % response.length
      return response.slice(0, at) + char + response.slice(inserts ? at : at + 1)
    })
    await fc.assert(
      fc.asyncProperty(wrong, async (response) => {
        fc.pre(!KNOWN_DIFFERENCE.test(response))
        const [ours, theirs] = await both(response)
        expect(ours).toEqual(theirs)
      }),
      { numRuns: 200, seed: SEED },
    )
  })
})
