import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { HeaderList } from '../../domain/fetch/headers.ts'
import { type Http1Progress, Http1Response } from './http1-response.ts'

const MAX_HEADER_BYTES = 300

/** All that was told of a response, and how it ended. */
interface Told {
  readonly heads: Array<readonly [status: number, headers: HeaderList]>
  body: string
  progress: Http1Progress
  reusable: boolean
  keepAliveMs: number | undefined
  /** Whether it would be whole if the other end said no more. */
  endsWhole: boolean
}

/** Reads `pieces` until the response ends. */
function read(pieces: readonly string[], method = 'GET'): Told {
  const response = new Http1Response(MAX_HEADER_BYTES)
  const told: Told = {
    heads: [],
    body: '',
    progress: 'unfinished',
    reusable: false,
    keepAliveMs: undefined,
    endsWhole: false,
  }
  response.begin(method, {
    onHead: (status, headers) => void told.heads.push([status, headers]),
    onData: (chunk) => {
      expect(chunk.length).toBeGreaterThan(0)
      told.body += Buffer.from(chunk).toString('latin1')
    },
  })
  for (const piece of pieces) {
    if (told.progress !== 'unfinished') break
    told.progress = response.read(Buffer.from(piece, 'latin1'))
  }
  told.endsWhole = told.progress === 'unfinished' && response.end()
  told.reusable = told.progress === 'done' && response.mayBeReused
  told.keepAliveMs = response.keepAliveMs
  return told
}

const CHUNKED = 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n'

const ANSWERS = [
  'HTTP/1.1 200 OK\r\nA: 1\r\na:2\r\nContent-Length: 5\r\n\r\nhello',
  `${CHUNKED}5;x=y\r\nhello\r\n6\r\n world\r\n0\r\nT: u\r\n\r\n`,
  'HTTP/1.1 103 Hints\r\nLink: x\r\n\r\nHTTP/1.1 102\r\n\r\nHTTP/1.1 404 No\r\nContent-Length: 2\r\n\r\nno',
  'HTTP/1.0 200 OK\r\nX: gr\xc3\xbc\xc3\x9fe\r\nLocation: /gr\xfc\r\n\r\nuntil the end',
  'HTTP/1.1 204 None\r\nKeep-Alive: timeout=7, max=9\r\n\r\n',
  'HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 2\r\n\r\nhi',
  'HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\nhi',
  'HTTP/1.1 200 OK\r\nA: b\nC: d\r\n\r\n',
  'HTTP/1.0 200 Fine by me\nA: b\n\tc \n  d\nB:\n e\nContent-Length: 2\n\nhi',
  `${CHUNKED}2\r\nhi\r\nzz\r\n`,
  `HTTP/1.1 200 OK\r\nA: ${'b'.repeat(400)}\r\n\r\n`,
  `${CHUNKED}2;${'b'.repeat(400)}\r\nhi\r\n0\r\n\r\n`,
  `${CHUNKED}2\r\nhi\r\n0\r\nA: ${'b'.repeat(400)}\r\n\r\n`,
  'SSH-2.0-OpenSSH_9.6\r\n',
]

describe('a response in pieces', () => {
  /** The pieces of `text`, cut at `places`. */
  function cut(text: string, places: readonly number[]): string[] {
    const at = [0, ...places.map((place) => place % (text.length + 1)), text.length].toSorted((a, b) => a - b)
    return at.slice(1).map((end, i) => text.slice(at[i], end))
  }

  it('is the same as in one, wherever it is cut', () => {
    fc.assert(
      fc.property(fc.constantFrom(...ANSWERS), fc.array(fc.nat(), { maxLength: 6 }), (response, places) => {
        expect(read(cut(response, places))).toEqual(read([response]))
      }),
      { numRuns: 1_000 },
    )
  })

  it.each(ANSWERS)('is the same as in one, byte by byte: %j', (response) => {
    expect(read([...response])).toEqual(read([response]))
  })

  it('is told as it was sent', () => {
    const name = fc.stringMatching(/^x-[a-z0-9!#$%&'*+.^_`|~-]{1,8}$/)
    const value = fc.stringMatching(/^([!-~]([ -~]{0,10}[!-~])?)?$/)
    const chunk = fc.stringMatching(/^[\x00-\xff]{1,30}$/)
    fc.assert(
      fc.property(
        fc.integer({ min: 102, max: 999 }),
        fc.array(fc.tuple(name, value), { maxLength: 6 }),
        fc.array(chunk, { maxLength: 4 }),
        fc.constantFrom('length', 'chunked', 'until-close'),
        fc.array(fc.nat(), { maxLength: 4 }),
        (status, fields, chunks, framing, places) => {
          fc.pre(status >= 200 && status !== 204 && status !== 304)
          const whole = chunks.join('')
          const framings = {
            length: [['content-length', String(whole.length)]],
            chunked: [['transfer-encoding', 'chunked']],
            'until-close': [],
          }
          const headers = [...fields, ...framings[framing]]
          const body =
            framing === 'chunked'
              ? [...chunks, ''].map((text) => `${text.length.toString(16)}\r\n${text}\r\n`).join('')
              : whole
          const head = headers.map(([field, text]) => `${field?.toUpperCase()}: ${text}\r\n`).join('')
          const told = read(cut(`HTTP/1.1 ${status} So\r\n${head}\r\n${body}`, places))
          expect(told.heads).toEqual([[status, headers]])
          expect(told.body).toBe(whole)
          expect(told.reusable).toBe(framing !== 'until-close')
          expect(told.endsWhole).toBe(framing === 'until-close')
        },
      ),
      { numRuns: 300 },
    )
  })
})

it.each([
  ['another protocol', 'S'],
  ['a page', '<'],
  ['another version', 'HTTP/1.2 '],
  ['a status that is not a number', 'HTTP/1.1 2x'],
  ['a line that ends in CR', 'HTTP/1.1 200 OK\rA'],
  ['a folded status line', 'HTTP/1.1 200 OK\r\n '],
  ['a header without a name', 'HTTP/1.1 200 OK\r\n:'],
  ['a header without a colon', 'HTTP/1.1 200 OK\r\nnonsense\r'],
  ['a control character', 'HTTP/1.1 200 OK\r\nA: b\x00'],
  ['a chunk without a size', `${CHUNKED}\r`],
  ['a chunk longer than its size', `${CHUNKED}2\r\nhih`],
])('finds out at the first wrong byte that it is given %s', (_, text) => {
  expect(read([text.slice(0, -1)]).progress).toBe('unfinished')
  expect(read([text]).progress).toMatchObject({ kind: 'malformed' })
})

describe('a head', () => {
  it.each([
    [299, 'done'],
    [300, 'done'],
    [301, 'too-large'],
  ])('of %i bytes is %s', (bytes, verdict) => {
    const [before, after] = ['HTTP/1.1 204 None\r\nA: ', '\r\n\r\n']
    const response = before + 'b'.repeat(bytes - before.length - after.length) + after
    for (const pieces of [[response], [...response]]) {
      const { progress } = read(pieces)
      expect(typeof progress === 'string' ? progress : progress.kind).toBe(verdict)
    }
  })

  it.each([
    ['b\r\n c', 'b c'],
    ['b \t\r\n \tc\r\n d', 'b c d'],
    ['\r\n b', 'b'],
    ['b\n c', 'b c'],
    ['b\r\n ', 'b '],
  ])('reads the folded lines %j as %j', (lines, value) => {
    const { heads } = read([`HTTP/1.1 204 None\r\nA: ${lines}\r\nC: d\r\n\r\n`])
    expect(heads).toEqual([
      [
        204,
        [
          ['a', value],
          ['c', 'd'],
        ],
      ],
    ])
  })

  it.each([
    ['HTTP/1.0 200 Fine by me', 'http/1.0', 'Fine by me'],
    ['HTTP/1.1 200', 'http/1.1', ''],
    ['HTTP/1.1 200 ', 'http/1.1', ''],
    ['HTTP/1.1 200 \xfcber', 'http/1.1', '\xfcber'],
  ])('tells what its status line says: %j', (line, protocol, reasonPhrase) => {
    for (const pieces of [[line, '\r\n\r\n'], [`${line}\n\n`], [...`${line}\r\n\r\n`]]) {
      const lines: unknown[] = []
      const response = new Http1Response(MAX_HEADER_BYTES)
      response.begin('HEAD', { onHead: (_status, _headers, said) => void lines.push(said), onData: () => {} })
      for (const piece of pieces) response.read(Buffer.from(piece, 'latin1'))
      expect(lines).toEqual([{ protocol, reasonPhrase }])
    }
  })

  it('has no room for more than it may in what precedes it', () => {
    expect(read(['\r\n'.repeat(200)]).progress).toMatchObject({ kind: 'too-large' })
  })
})

describe('a connection', () => {
  it.each([
    ['may', 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi', true],
    ['may', 'HTTP/1.0 200 OK\r\nConnection: Keep-Alive\r\nContent-Length: 2\r\n\r\nhi', true],
    ['may', `${CHUNKED}0\r\n\r\n`, true],
    ['may', 'HTTP/1.1 304 Same\r\nContent-Length: 0\r\n\r\n', true],
    ['may not', 'HTTP/1.1 200 OK\r\nConnection: foo, Close\r\nContent-Length: 2\r\n\r\nhi', false],
    ['may not', 'HTTP/1.1 200 OK\r\nConnection: close, keep-alive\r\nContent-Length: 2\r\n\r\nhi', false],
    ['may not', 'HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\r\nhi', false],
    ['may not', 'HTTP/1.1 304 Same\r\nContent-Length: 2\r\n\r\n', false],
    ['may not', 'HTTP/1.1 204 None\r\nTransfer-Encoding: chunked\r\n\r\n', false],
    ['may not', 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi!', false],
    ['may not', `${CHUNKED}0\r\n\r\n\r\n`, false],
    // Where two readers may disagree about the end of a response, the next one may belong to another request.
    ['may not', 'HTTP/1.1 200 OK\nContent-Length: 2\n\nhi', false],
    ['may not', 'HTTP/1.1 200 OK\r\nA: b\r\n c\r\nContent-Length: 2\r\n\r\nhi', false],
    ['may not', `${CHUNKED}2\r\nhi\r\n0\r\n\n`, false],
    ['may', 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 2\r\n\r\nhi', true],
  ])('%s be used again after %j', (_, response, reusable) => {
    expect(read([response])).toMatchObject({ progress: 'done', reusable })
  })

  it('is kept for as long as the server says', () => {
    expect(read(['HTTP/1.1 204 None\r\nKeep-Alive: max=9, Timeout=7\r\n\r\n']).keepAliveMs).toBe(7_000)
    expect(read(['HTTP/1.1 204 None\r\nKeep-Alive: max=9\r\n\r\n']).keepAliveMs).toBeUndefined()
  })

  it('is read for one response after another', () => {
    const response = new Http1Response(MAX_HEADER_BYTES)
    const statuses: number[] = []
    const handler = { onHead: (status: number) => void statuses.push(status), onData: () => {} }
    for (const text of [
      `${CHUNKED}2\r\nhi\r\n0\r\n\r\n`,
      'HTTP/1.1 404 No\r\nContent-Length: 2\r\n\r\nno',
      CHUNKED,
    ]) {
      response.begin('GET', handler)
      response.read(Buffer.from(text))
    }
    expect(statuses).toEqual([200, 404, 200])
    expect(response.read(Buffer.from('0\r\n\r\n'))).toBe('done')
  })
})

it('expects no body after HEAD', () => {
  expect(read(['HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n'], 'HEAD')).toMatchObject({
    progress: 'done',
    body: '',
  })
})

it('tells the data of many small chunks as one', () => {
  const response = new Http1Response(MAX_HEADER_BYTES)
  const told: string[] = []
  response.begin('GET', { onHead: () => {}, onData: (data) => void told.push(Buffer.from(data).toString()) })
  const letters = 'abcdefghij'.repeat(100)
  const chunks = [...letters].map((letter) => `1\r\n${letter}\r\n`).join('')
  expect(response.read(Buffer.from(`${CHUNKED}${chunks}0\r\n\r\n`))).toBe('done')
  expect(told).toEqual([letters])
})

it('keeps neither the handler nor the header fields of a response that has ended', async () => {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  const response = new Http1Response(MAX_HEADER_BYTES)
  const kept: WeakRef<object>[] = []
  const readOne = () => {
    const handler = {
      onHead: (_status: number, headers: HeaderList) => void kept.push(new WeakRef(headers)),
      onData: () => {},
    }
    kept.push(new WeakRef(handler))
    response.begin('GET', handler)
    return response.read(Buffer.from('HTTP/1.1 200 OK\r\nA: 1\r\nContent-Length: 5\r\n\r\nhello'))
  }
  expect(readOne()).toBe('done')
  // A WeakRef keeps its target until the end of the turn.
  await new Promise((resolve) => setImmediate(resolve))
  collect()
  expect(kept.map((ref) => ref.deref())).toEqual([undefined, undefined])
  expect(response.mayBeReused).toBe(true)
})
