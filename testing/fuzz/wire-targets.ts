import { Http1Response } from '../../src/adapters/http/http1-response.ts'
import { readRequest } from '../../src/adapters/redis/stored-request.ts'
import { readThrottle } from '../../src/adapters/redis/stored-throttle.ts'
import { readPickle } from '../../src/adapters/scrapy/read-pickle.ts'
import { readScrapyRequest } from '../../src/adapters/scrapy/scrapy-request.ts'
import { readStartMessage } from '../../src/adapters/scrapy/start-message.ts'
import { requestMessage, responseMessage, warcRecord } from '../../src/adapters/warc/warc-sink.ts'
import { normalizeUrl } from '../../src/domain/url/normalize-url.ts'
import { writePickle } from '../write-pickle.ts'
import { cutVariants, expectEqual, type FuzzTarget, pieces } from './fuzz-target.ts'

const http1: FuzzTarget = {
  name: 'http1',
  about: 'the HTTP/1.1 response parser: never throws, and reads the same however the bytes are cut',
  seeds: [
    'HTTP/1.1 200 OK\r\nContent-Length: 3\r\nContent-Type: text/html\r\n\r\nabc',
    'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3;x=1\r\nabc\r\n0\r\nA: b\r\n\r\n',
    'HTTP/1.0 301 Moved\r\nLocation: /x\r\nConnection: keep-alive\r\nKeep-Alive: timeout=5\r\n\r\n',
    'HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 204 No Content\r\n\r\n',
  ],
  tokens: pieces(
    'HTTP/1.1 ¦\r\n¦\r\n\r\n¦\n¦: ¦Transfer-Encoding: chunked\r\n¦Content-Length: ¦0\r\n\r\n',
    'ffffffffffffffff¦-1¦;¦gzip¦, ¦\t¦\0¦Connection: close\r\n¦100¦304',
  ),
  check(input) {
    const whole = readResponse([input])
    for (const chunks of cutVariants(input)) expectEqual(readResponse(chunks), whole, 'cut')
  },
}

function readResponse(chunks: readonly Buffer[], maxHeaderBytes = 16_384) {
  const response = new Http1Response(maxHeaderBytes)
  const heads: unknown[] = []
  let body = ''
  response.begin('GET', {
    onHead: (status, headers) => void heads.push([status, headers]),
    onData: (data) => {
      body += Buffer.from(data).toString('latin1')
    },
  })
  for (const chunk of chunks) {
    // A copy: the parser moves the data of a chunked body together in place.
    const progress = chunk.length === 0 ? 'unfinished' : response.read(Buffer.from(chunk))
    if (progress === 'unfinished') continue
    return progress === 'done' ? { progress, heads, body } : { progress, heads }
  }
  return { progress: response.end() ? 'ended' : 'cut', heads, body }
}

const warc: FuzzTarget = {
  name: 'warc',
  about:
    'the WARC writer: a record has the fields and the block that it was given, and its HTTP message can be read',
  seeds: [
    'http://a.test/\0content-type\0text/html; charset=x\0x-a\0b\0\0<p>body',
    '/x?y\0set-cookie\0a=b\nInjected: c\0\0',
  ],
  tokens: pieces(
    '\0¦\0\0¦\r\n¦\n¦\r¦\r\n\r\n¦WARC/1.1\r\n¦Content-Length: 0¦: ¦transfer-encoding\0chunked\0',
    'content-length\x00999\0¦\xe9¦\x7f¦é¦\u2028',
  ),
  check(input) {
    const end = input.indexOf('\0\0')
    const [target = '', ...fields] = input.toString('latin1', 0, end < 0 ? input.length : end).split('\0')
    const body = end < 0 ? Buffer.alloc(0) : input.subarray(end + 2)
    const headers: [string, string][] = []
    for (let i = 0; i + 1 < fields.length; i += 2) {
      const name = (fields[i] ?? '').toLowerCase().replace(/[^a-z0-9!#$%&'*+.^_`|~-]/g, '')
      // As responses have them: our parser refuses other control characters.
      const value = (fields[i + 1] ?? '').replace(/[\x01-\x08\x0b\x0c\x0e-\x1f\x7f]/g, '')
      if (name !== '') headers.push([name, value])
    }
    const url = normalizeUrl(target, 'http://a.test/')
    if (!url.ok) return
    const row = {
      url: url.url,
      fetchedAt: 0,
      httpStatus: 200,
      headers,
      requestHeaders: headers,
      address: '',
      protocol: '',
      body,
    }
    const block = responseMessage(row)
    expectRecord(
      warcRecord(
        [
          ['WARC-Type', 'response'],
          ['WARC-Target-URI', target],
        ],
        block,
      ),
      block,
    )
    const request = requestMessage(row)
    expectRecord(
      warcRecord(
        [
          ['WARC-Type', 'request'],
          ['WARC-Target-URI', target],
        ],
        request,
      ),
      request,
    )

    const response = readResponse([Buffer.from(block)], block.length)
    expectEqual(response.body, body.toString('latin1'), 'body')
    const [[, read = []] = []] = response.heads as [number, unknown[]][]
    expectEqual(read.length, headers.length + 1, 'header fields')
  },
}

/** A record is its fields, an empty line, its block and two line ends. */
function expectRecord(record: Uint8Array, block: Uint8Array): void {
  const bytes = Buffer.from(record)
  const end = bytes.indexOf('\r\n\r\n')
  const lines = bytes.toString('utf8', 0, end).split('\r\n')
  expectEqual(
    lines.map((line) => /^[\w/.-]+/.exec(line)?.[0]),
    ['WARC/1.1', 'WARC-Type', 'WARC-Target-URI', 'WARC-Block-Digest', 'Content-Length'],
    'fields',
  )
  expectEqual(Number(/^Content-Length: (\d+)$/.exec(lines.at(-1) ?? '')?.[1]), block.length, 'length')
  if (!bytes.subarray(end + 4, -4).equals(block)) throw new Error('the block is not the one that was given')
  expectEqual(bytes.toString('latin1', bytes.length - 4), '\r\n\r\n', 'end')
}

const pickle: FuzzTarget = {
  name: 'pickle',
  about: "the reader of Python's pickles: never throws, and reads what it wrote as the same",
  seeds: [
    writePickle(
      new Map<string, unknown>([
        ['url', 'http://a.test/1'],
        ['priority', -5],
        ['meta', new Map([['depth', 1]])],
        ['list', [1.5, null, true, 2n ** 70n, Buffer.from('x')]],
      ]) as never,
    ),
  ]
    .map((bytes) => Buffer.from(bytes).toString('latin1'))
    .concat([
      '(dp0\nS"a"\np1\nI1\ns.',
      '\x80\x04\x95\x0a\x00\x00\x00\x00\x00\x00\x00}\x94\x8c\x01a\x94K\x01s.',
    ]),
  tokens: pieces(
    ".¦(¦}¦]¦)¦K\x01¦M\x01\x02¦J\0\0\0\0¦I1\n¦L5L\n¦F1.5\n¦S'a'\n¦Va\n¦N¦\x88¦\x8c\x01a",
    'X\x01\0\0\0a¦C\x01a¦\x94¦p0\n¦g0\n¦q\0¦h\0¦e¦u¦s¦a¦t¦\x85¦\x86¦\x87¦\x8f¦\x90¦\x91¦R',
    'cos\nsystem\n¦\x80\x05¦\x8b¦\x8a\x01\x05¦2¦0¦1',
  ),
  check(input) {
    const reading = readPickle(input)
    if (!reading.ok) return
    const written = writePickle(reading.value)
    const again = readPickle(written)
    if (!again.ok) throw new Error(`cannot read what it wrote: ${again.reason}`)
    expectEqual(
      Buffer.from(writePickle(again.value)).toString('hex'),
      Buffer.from(written).toString('hex'),
      'round trip',
    )
    readScrapyRequest(reading.value)
  },
}

const redis: FuzzTarget = {
  name: 'redis',
  about:
    'readers of values that anyone may have written to Redis: never throw, and give requests that can be sent',
  seeds: [
    '{"url":"http://a.test/1","handler":"parse","depth":0,"headers":{"a":"b"},"meta":{"x":[1]},"priority":1}',
    '{"url":"http://a.test/1","method":"POST","form":{"a":"b"},"cookies":{"c":"d"},"json":{"x":1}}',
    'http://a.test/1',
    '{"key":"a.test","readyAt":1,"failures":2,"crawlDelayMs":0,"latencyMs":5,"parked":{"until":5,"reason":"x"}}',
  ],
  tokens: pieces(
    '{¦}¦[¦]¦"¦:¦,¦"url":¦"http://a.test/"¦"method":"PUT"¦"body":¦"headers":¦"meta":',
    '"__proto__":¦"dontFilter":true¦null¦NaN¦Infinity¦1e999¦-1¦\\u0000¦\\ud800¦true¦"priority":',
    '"notBefore":¦\r\n¦"\\r\\nx: y"',
  ),
  check(input) {
    const text = input.toString('utf8')
    const request = readRequest(text)
    if (request !== undefined) expectEqual(readRequest(JSON.stringify(request)), request, 'round trip')
    for (const reading of ['rich', 'strict'] as const) {
      const start = readStartMessage(input, { reading })
      if (start.ok) JSON.stringify(start)
    }
    const throttle = readThrottle('a.test', text, '5', { restMs: 1_000, now: 10_000 })
    if (throttle !== undefined && !Number.isFinite(throttle.readyAt))
      throw new Error(`readyAt is ${throttle.readyAt}`)
  },
}

export const WIRE_TARGETS: readonly FuzzTarget[] = [http1, warc, pickle, redis]
