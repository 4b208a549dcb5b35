import { createServer as createHttpServer } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { gzipSync } from 'node:zlib'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { FakeClock } from '../../../testing/fake-clock.ts'
import { type RawServer, startRawServer } from '../../../testing/raw-server.ts'
import { ConfigurationError } from '../../base/crawl-error.ts'
import { withoutUndefined } from '../../base/without-undefined.ts'
import type { FetchedBody, FetchOutcome } from '../../domain/fetch/fetch-outcome.ts'
import type { FetchRequest } from '../../domain/fetch/fetcher.ts'
import { header, headerValues } from '../../domain/fetch/headers.ts'
import { CookieJar } from './cookie-jar.ts'
import { Exchange } from './exchange.ts'
import { HttpFetcher, type HttpFetcherOptions } from './http-fetcher.ts'

const cleanUp: Array<() => Promise<void>> = []

afterEach(async () => {
  for (const close of cleanUp.splice(0).toReversed()) await close()
})

function fetcher(options: Partial<HttpFetcherOptions> = {}): HttpFetcher {
  const made = new HttpFetcher({
    agent: { name: 'Weaver', version: '1.0', email: 'bot@weaver.example' },
    allowPrivateHosts: (host) => host === '127.0.0.1',
    ...options,
  })
  cleanUp.push(() => made.close())
  return made
}

async function serve(...args: Parameters<typeof startRawServer>): Promise<RawServer> {
  const server = await startRawServer(...args)
  cleanUp.push(() => server.close())
  return server
}

/** Serves one response, word for word, to every request. */
const say = (...response: string[]): Promise<RawServer> =>
  serve((socket) => socket.write(response.join('\r\n'), 'latin1'))

async function outcomeOf(response: string[], options?: Partial<HttpFetcherOptions>): Promise<FetchOutcome> {
  const { origin } = await say(...response)
  return fetcher(options).fetch({ url: `${origin}/dir/page?q` })
}

function textOf(outcome: FetchOutcome): string {
  if (outcome.kind !== 'success') throw new Error(`no success but ${JSON.stringify(outcome)}`)
  return Buffer.from(outcome.body.bytes).toString()
}

/** How far a request has come: all that arrived with the head of a response is read then. */
const SENT = 'onSend'
const HEAD_READ = 'onHead'

/** Fulfilled when the next request has come so far. */
function reached(stage: typeof SENT | typeof HEAD_READ): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  const original: (...args: never[]) => unknown = Exchange.prototype[stage]
  const spy = vi.spyOn(Exchange.prototype, stage).mockImplementation(function (
    this: Exchange,
    ...args: never[]
  ): never {
    spy.mockRestore()
    resolve()
    return original.apply(this, args) as never
  })
  return promise
}

describe('a response', () => {
  it('has status, headers in order, address, protocol, body and timings', async () => {
    const outcome = await outcomeOf(['HTTP/1.1 203 Fine', 'X-A: 1', 'x-a: 2', 'Content-Length: 2', '', 'hi'])
    expect(outcome).toMatchObject({
      kind: 'success',
      response: {
        status: 203,
        headers: [
          ['x-a', '1'],
          ['x-a', '2'],
          ['content-length', '2'],
        ],
        address: '127.0.0.1',
        protocol: 'http/1.1',
      },
      body: { wireBytes: 2, decoded: [] },
    })
    expect(textOf(outcome)).toBe('hi')
    const { connectMs = -1, headersMs = -1, totalMs } = outcome.timings
    expect(outcome.timings).not.toHaveProperty('dnsMs')
    expect(connectMs).toBeGreaterThanOrEqual(0)
    expect(headersMs).toBeGreaterThanOrEqual(connectMs)
    expect(totalMs).toBeGreaterThanOrEqual(headersMs)
  })

  it.each([
    [200, 'success'],
    [404, 'not-found'],
    [410, 'gone'],
    [403, 'access-denied'],
    [500, 'server-error'],
    [503, 'rate-limited'],
    [699, 'malformed'],
  ])('with status %i is %s', async (status, kind) => {
    expect((await outcomeOf([`HTTP/1.1 ${status}`, 'Content-Length: 2', '', 'hi'])).kind).toBe(kind)
  })

  it.each([204, 205])('with status %i is an empty success', async (status) => {
    expect(textOf(await outcomeOf([`HTTP/1.1 ${status} Nothing`, 'Content-Length: 0', '', '']))).toBe('')
  })

  it('reads header values as UTF-8 where they are, as Latin-1 where they are not', async () => {
    const outcome = await outcomeOf([
      'HTTP/1.1 200 OK',
      'A: gr\xc3\xbc\xc3\x9fe',
      'B: gr\xfc\xdfe',
      'Content-Length: 0',
      '',
      '',
    ])
    const headers = outcome.kind === 'success' ? outcome.response.headers : []
    expect([header(headers, 'a'), header(headers, 'b')]).toEqual(['grüße', 'grüße'])
  })

  it('flags a part without a Range request, and only that', async () => {
    const { origin } = await say(
      'HTTP/1.1 206 Partial',
      'Content-Range: bytes 0-1/9',
      'Content-Length: 2',
      '',
      'hi',
    )
    const web = fetcher()
    expect(await web.fetch({ url: origin })).toMatchObject({ body: { truncated: 'partial' } })
    const ranged = await web.fetch({ url: origin, headers: { Range: 'bytes=0-1' } })
    expect(ranged).toMatchObject({ kind: 'success' })
    expect(ranged.kind === 'success' && ranged.body.truncated).toBeUndefined()
  })
})

describe('a redirect', () => {
  it.each([
    [301, 'other', '/dir/other', true],
    [302, '/other', '/other', false],
    [303, '?x', '/dir/page?x', false],
    [307, '//127.0.0.9/', 'http://127.0.0.9/', false],
    [308, 'https://a.test/b c', 'https://a.test/b%20c', true],
    [300, '/gr\xc3\xbc\xc3\x9fe', '/gr%C3%BC%C3%9Fe', true],
    [301, '/gr\xfc\xdfe', '/gr%FC%DFe', true],
    [301, 'ftp://a.test/', 'ftp://a.test/', true],
  ])('with status %i to %s leads to %s', async (status, location, to, permanent) => {
    const { origin } = await say(
      `HTTP/1.1 ${status} Over there`,
      `Location: ${location}`,
      'Content-Length: 2',
      '',
      'hi',
    )
    const outcome = await fetcher().fetch({ url: `${origin}/dir/page?q` })
    expect(outcome).toMatchObject({ kind: 'moved', to: to.startsWith('/') ? origin + to : to, permanent })
  })

  it.each([
    [['HTTP/1.1 301 Where?', 'Content-Length: 0', '', '']],
    [['HTTP/1.1 302 Where?', 'Location: http://[', 'Content-Length: 0', '', '']],
  ])('to nowhere is malformed: %j', async (response) => {
    expect((await outcomeOf(response)).kind).toBe('malformed')
  })
})

describe('a conditional request', () => {
  it('sends both validators and understands 304', async () => {
    const server = await say('HTTP/1.1 304 Same', 'ETag: "v2"', '', '')
    const validators = { etag: 'W/"v1"', lastModified: 'Sun, 15 Nov 2026 08:00:00 GMT' }
    expect((await fetcher().fetch({ url: server.origin, validators })).kind).toBe('not-modified')
    expect(server.heads[0]).toContain('if-none-match: W/"v1"')
    expect(server.heads[0]).toContain('if-modified-since: Sun, 15 Nov 2026 08:00:00 GMT')
  })

  it('leaves out a validator that no header can have', async () => {
    const server = await say('HTTP/1.1 200 OK', 'Content-Length: 0', '', '')
    await fetcher().fetch({ url: server.origin, validators: { etag: '"世界"', lastModified: 'a\r\nX: y' } })
    expect(server.heads[0]).not.toMatch(/if-none-match|if-modified-since|x: y/i)
  })

  it('takes a 304 without a conditional request as malformed', async () => {
    const { origin } = await say('HTTP/1.1 304 Same', '', '')
    const web = fetcher()
    expect((await web.fetch({ url: origin })).kind).toBe('malformed')
    expect((await web.fetch({ url: origin, validators: {} })).kind).toBe('malformed')
    expect((await web.fetch({ url: origin, headers: { 'If-None-Match': '"v1"' } })).kind).toBe('not-modified')
  })

  it('reports when a busy server wants the next request', async () => {
    const clock = new FakeClock()
    const { origin } = await say('HTTP/1.1 429 Slowly', 'Retry-After: 120', 'Content-Length: 0', '', '')
    const outcome = await fetcher({ clock }).fetch({ url: origin })
    expect(outcome).toMatchObject({ kind: 'rate-limited', retryAt: clock.now() + 120_000 })
  })
})

describe('a request', () => {
  it('sends the user agent and what it accepts, unless the caller overrides them', async () => {
    const server = await say('HTTP/1.1 200 OK', 'Content-Length: 0', '', '')
    const web = fetcher({ headers: { From: 'bot@weaver.example', 'Accept-Language': 'de' } })
    await web.fetch({ url: `${server.origin}/a?b#c`, headers: { ACCEPT: 'text/plain', 'X-One': '1' } })
    const [head = ''] = server.heads
    expect(head).toMatch(/^GET \/a\?b HTTP\/1\.1\r\nhost: 127\.0\.0\.1:\d+\r\n/)
    const fields = head.split('\r\n').slice(2)
    expect(fields).toEqual([
      'connection: keep-alive',
      'user-agent: Weaver/1.0 (bot@weaver.example)',
      'accept-language: de',
      'accept-encoding: gzip, deflate, br, zstd',
      'from: bot@weaver.example',
      'accept: text/plain',
      'x-one: 1',
    ])
  })

  it('does not send the credentials in a URL', async () => {
    const server = await say('HTTP/1.1 200 OK', 'Content-Length: 0', '', '')
    await fetcher().fetch({ url: `http://user:secret@127.0.0.1:${server.port}/` })
    expect(server.heads[0]).not.toMatch(/authorization|secret|user:/i)
  })

  it('carries a method and a body', async () => {
    const server = await say('HTTP/1.1 200 OK', 'Content-Length: 0', '', '')
    await fetcher().fetch({
      url: server.origin,
      method: 'POST',
      body: 'a=1',
      headers: { 'content-type': 'text/plain' },
    })
    expect(server.heads[0]).toMatch(/^POST \/ .*content-length: 3/s)
  })

  it.each([
    { 'bad name': '1' },
    { 'x-bad': 'a\r\nb' },
    { Host: 'other.test' },
    { 'Transfer-Encoding': 'chunked' },
  ])('with the header %j is the mistake of the caller', async (headers) => {
    const server = await say('HTTP/1.1 200 OK', 'Content-Length: 0', '', '')
    const web = fetcher()
    await expect(web.fetch({ url: server.origin, headers })).rejects.toThrow(ConfigurationError)
    expect((await web.fetch({ url: server.origin })).kind).toBe('success')
  })

  it('with a method that cannot be is the mistake of the caller', async () => {
    const server = await say('HTTP/1.1 200 OK', 'Content-Length: 0', '', '')
    await expect(fetcher().fetch({ url: server.origin, method: 'GET /' })).rejects.toThrow('method')
  })

  it.each([
    ['ftp://127.0.0.1/', 'scheme'],
    ['file:///etc/passwd', 'scheme'],
    ['data:text/html,hi', 'scheme'],
    ['not a url', 'url'],
    ['http://127.0.0.1:22/', 'port'],
    ['http://127.0.0.1:6379/', 'port'],
    ['https://127.0.0.1:25/', 'port'],
  ])('for %s is refused: %s', async (url, cause) => {
    expect(await fetcher().fetch({ url })).toMatchObject({ kind: 'refused', cause })
  })
})

describe('a body', () => {
  it('that came in pieces has memory of its own, fit for another thread', async () => {
    const headRead = reached(HEAD_READ)
    const { origin } = await serve((socket) => {
      socket.write('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nso\r\n')
      headRead.then(() => socket.write('3\r\nfar\r\n0\r\n\r\n'))
    })
    const outcome = await fetcher().fetch({ url: origin })
    expect(textOf(outcome)).toBe('sofar')
    const { bytes } = outcome.kind === 'success' ? outcome.body : expect.fail()
    expect([bytes.byteOffset, bytes.buffer.byteLength]).toEqual([0, bytes.length])
  })

  it('is decoded', async () => {
    const page = '<p>hello</p>'.repeat(100)
    const wire = gzipSync(page)
    const { origin } = await serve((socket) => {
      socket.write(`HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: ${wire.length}\r\n\r\n`)
      socket.write(wire)
    })
    const outcome = await fetcher().fetch({ url: origin })
    expect(outcome).toMatchObject({ body: { wireBytes: wire.length, decoded: ['gzip'] } })
    expect(textOf(outcome)).toBe(page)
  })

  it('in an unknown coding is kept as sent', async () => {
    const outcome = await outcomeOf([
      'HTTP/1.1 200 OK',
      'Content-Encoding: foo',
      'Content-Length: 2',
      '',
      'hi',
    ])
    expect(outcome).toMatchObject({
      kind: 'unsupported',
      detail: 'content coding foo',
      body: { wireBytes: 2 },
    })
  })

  it('over the limit is cut and flagged, and its connection not used again', async () => {
    const server = await serve((socket) =>
      socket.write(`HTTP/1.1 200 OK\r\nContent-Length: 9999\r\n\r\n${'x'.repeat(2000)}`),
    )
    const web = fetcher({ maxBodyBytes: 1_000 })
    const outcome = await web.fetch({ url: server.origin })
    expect(outcome).toMatchObject({ kind: 'success', body: { truncated: 'size', wireBytes: 1_000 } })
    await web.fetch({ url: server.origin })
    expect(server.connections).toBe(2)
  })

  it('of exactly the limit is whole', async () => {
    const outcome = await outcomeOf(['HTTP/1.1 200 OK', 'Content-Length: 4', '', 'four'], { maxBodyBytes: 4 })
    expect(outcome.kind === 'success' && outcome.body.truncated).toBeUndefined()
  })

  it('obeys the limit of the request over that of the fetcher, in both directions', async () => {
    const { origin } = await say('HTTP/1.1 200 OK', 'Content-Length: 8', '', 'abcdefgh')
    const web = fetcher({ maxBodyBytes: 4 })
    expect(textOf(await web.fetch({ url: origin, maxBodyBytes: 2 }))).toBe('ab')
    expect(textOf(await web.fetch({ url: origin, maxBodyBytes: 6 }))).toBe('abcdef')
  })

  it('announced as far too long is not read, unless only its beginning was requested', async () => {
    const { origin } = await say('HTTP/1.1 200 OK', 'Content-Length: 5000000000', '', 'abcdefgh')
    const web = fetcher()
    expect(await web.fetch({ url: origin })).toMatchObject({ kind: 'too-large', cause: 'declared-length' })
    expect(textOf(await web.fetch({ url: origin, maxBodyBytes: 4 }))).toBe('abcd')
  })

  it('that decodes to far more than it was is a bomb', async () => {
    const wire = gzipSync(Buffer.alloc(20 * 1024 * 1024))
    const { origin } = await serve((socket) => {
      socket.write(`HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: ${wire.length}\r\n\r\n`)
      socket.write(wire)
    })
    expect(await fetcher().fetch({ url: origin })).toMatchObject({ kind: 'too-large', cause: 'bomb' })
  })

  it.each([
    ['a length', 'Content-Length: 9\r\n\r\npart'],
    ['chunks', 'Transfer-Encoding: chunked\r\n\r\n4\r\npart\r\n'],
    ['a length and close', 'Connection: close\r\nContent-Length: 9\r\n\r\npart'],
    ['chunks and close', 'Connection: close\r\nTransfer-Encoding: chunked\r\n\r\n4\r\npart\r\n'],
  ])('with %s that breaks off is kept and flagged', async (_, rest) => {
    const { origin } = await serve((socket) => socket.end(`HTTP/1.1 200 OK\r\n${rest}`))
    const outcome = await fetcher().fetch({ url: origin })
    expect(outcome).toMatchObject({ body: { truncated: 'disconnect' } })
    expect(textOf(outcome)).toBe('part')
  })

  it('that breaks off before it began is a reset', async () => {
    const { origin } = await serve((socket) => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n'))
    expect(await fetcher().fetch({ url: origin })).toMatchObject({ kind: 'network-failure', cause: 'reset' })
  })

  it('without a length ends with the connection', async () => {
    const { origin } = await serve((socket) => socket.end('HTTP/1.0 200 OK\r\n\r\nall of it'))
    const outcome = await fetcher().fetch({ url: origin })
    expect(textOf(outcome)).toBe('all of it')
    expect(outcome.kind === 'success' && outcome.body.truncated).toBeUndefined()
  })

  it('after HEAD is not expected, whatever its length', async () => {
    const server = await say(
      'HTTP/1.1 200 OK',
      'Content-Encoding: gzip',
      'Content-Length: 5000000000',
      '',
      'a body',
    )
    const web = fetcher()
    expect(textOf(await web.fetch({ url: server.origin, method: 'HEAD' }))).toBe('')
    expect(await web.fetch({ url: server.origin, method: 'HEAD' })).toMatchObject({
      kind: 'success',
      response: { status: 200 },
    })
  })
})

describe('the body of an error', () => {
  const keepErrorBody = true

  /** The outcome with an error body wanted, and without. */
  async function bothOf(
    response: string | ((socket: Socket) => void),
    options?: Partial<HttpFetcherOptions>,
  ): Promise<readonly [wanted: FetchOutcome, unwanted: FetchOutcome]> {
    const { origin } = await serve((socket) =>
      typeof response === 'string' ? void socket.write(response, 'latin1') : response(socket),
    )
    const web = fetcher(options)
    return [await web.fetch({ url: origin, keepErrorBody }), await web.fetch({ url: origin })]
  }

  const bodyIn = (outcome: FetchOutcome): FetchedBody | undefined =>
    'body' in outcome ? outcome.body : undefined

  it.each([
    [404, 'not-found'],
    [410, 'gone'],
    [400, 'gone'],
    [401, 'access-denied'],
    [429, 'rate-limited'],
    [503, 'rate-limited'],
    [500, 'server-error'],
  ])('with status %i comes with %s when it is wanted, and only then', async (status, kind) => {
    const [wanted, unwanted] = await bothOf(`HTTP/1.1 ${status} No\r\nContent-Length: 5\r\n\r\n{"a"}`)
    expect(wanted).toMatchObject({ kind, response: { status }, body: { wireBytes: 5, decoded: [] } })
    expect(Buffer.from(bodyIn(wanted)?.bytes ?? []).toString()).toBe('{"a"}')
    expect(unwanted.kind).toBe(kind)
    expect(unwanted).not.toHaveProperty('body')
  })

  it('leaves a Retry-After as it is', async () => {
    const clock = new FakeClock()
    const [wanted] = await bothOf('HTTP/1.1 429 No\r\nRetry-After: 9\r\nContent-Length: 2\r\n\r\nhi', {
      clock,
    })
    expect(wanted).toMatchObject({ retryAt: clock.now() + 9_000, body: { wireBytes: 2 } })
  })

  it('is decoded', async () => {
    const wire = gzipSync('<p>not here</p>')
    const [wanted] = await bothOf((socket) => {
      socket.write(`HTTP/1.1 404 No\r\nContent-Encoding: gzip\r\nContent-Length: ${wire.length}\r\n\r\n`)
      socket.write(wire)
    })
    expect(bodyIn(wanted)).toMatchObject({ wireBytes: wire.length, decoded: ['gzip'] })
    expect(Buffer.from(bodyIn(wanted)?.bytes ?? []).toString()).toBe('<p>not here</p>')
  })

  it('is cut where the body of a success would be', async () => {
    const long = 'HTTP/1.1 404 No\r\nContent-Length: 8\r\n\r\nabcdefgh'
    expect(bodyIn((await bothOf(long, { maxBodyBytes: 4 }))[0])).toMatchObject({
      wireBytes: 4,
      truncated: 'size',
    })
    const broken = await bothOf((socket) => socket.end('HTTP/1.1 404 No\r\nContent-Length: 9\r\n\r\npart'))
    expect(bodyIn(broken[0])).toMatchObject({ wireBytes: 4, truncated: 'disconnect' })
  })

  const bomb = gzipSync(Buffer.alloc(20 * 1024 * 1024)).toString('latin1')

  it.each([
    ['in an unknown coding', 'Content-Encoding: foo\r\nContent-Length: 2\r\n\r\nhi'],
    ['that is a bomb', `Content-Encoding: gzip\r\nContent-Length: ${bomb.length}\r\n\r\n${bomb}`],
    ['announced as far too long', 'Content-Length: 5000000000\r\n\r\nhi'],
    ['in bad chunks', 'Transfer-Encoding: chunked\r\n\r\n2\r\nhi\r\nzz\r\n'],
    ['that breaks off before it began', 'Content-Length: 9\r\n\r\n'],
  ])('%s is left out, and the outcome stays', async (_, rest) => {
    const [wanted, unwanted] = await bothOf((socket) =>
      socket.end(`HTTP/1.1 404 No\r\nConnection: close\r\n${rest}`, 'latin1'),
    )
    expect([wanted.kind, unwanted.kind]).toEqual(['not-found', 'not-found'])
    expect(wanted).not.toHaveProperty('body')
  })

  it('is none after HEAD', async () => {
    const { origin } = await say('HTTP/1.1 404 No', 'Content-Length: 5', '', '')
    const outcome = await fetcher().fetch({ url: origin, method: 'HEAD', keepErrorBody })
    expect(outcome.kind).toBe('not-found')
    expect(outcome).not.toHaveProperty('body')
  })

  it('leaves its connection fit for the next request', async () => {
    const server = await say('HTTP/1.1 404 No', 'Content-Length: 2', '', 'hi')
    const web = fetcher()
    for (let i = 0; i < 3; i++) await web.fetch({ url: server.origin, keepErrorBody })
    expect(server.connections).toBe(1)
  })

  it('does not hide that the caller ended the request', async () => {
    const controller = new AbortController()
    const { origin } = await say('HTTP/1.1 404 No', 'Content-Length: 9', '', 'part')
    const headRead = reached(HEAD_READ)
    const outcome = fetcher().fetch({ url: origin, keepErrorBody, signal: controller.signal })
    await headRead
    controller.abort()
    expect(await outcome).toMatchObject({ kind: 'network-failure', cause: 'aborted' })
  })

  it('changes nothing for successes and redirects', async () => {
    const [success, same] = await bothOf('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi')
    expect([textOf(success), textOf(same)]).toEqual(['hi', 'hi'])
    const [moved] = await bothOf('HTTP/1.1 301 Go\r\nLocation: /x\r\nContent-Length: 2\r\n\r\nhi')
    expect(moved.kind).toBe('moved')
    expect(moved).not.toHaveProperty('body')
  })
})

describe('what is not HTTP', () => {
  it.each([
    ['another protocol', ['SSH-2.0-OpenSSH_9.6', '']],
    ['a page without a head', ['<html>hi</html>']],
    ['a header without a colon', ['HTTP/1.1 200 OK', 'nonsense', '', '']],
    ['two lengths', ['HTTP/1.1 200 OK', 'Content-Length: 2', 'Content-Length: 3', '', 'hi!']],
    [
      'a length and chunks',
      ['HTTP/1.1 200 OK', 'Content-Length: 2', 'Transfer-Encoding: chunked', '', '0\r\n\r\n'],
    ],
    ['a bad chunk', ['HTTP/1.1 200 OK', 'Transfer-Encoding: chunked', '', '2', 'hi', 'zz', '']],
    ['a status below 100', ['HTTP/1.1 099 Low', 'Content-Length: 0', '', '']],
    ['an upgrade', ['HTTP/1.1 101 Up', 'Connection: upgrade', 'Upgrade: x', '', '']],
    ['a flood of 103', Array<string>(50).fill('HTTP/1.1 103 Early Hints\r\n')],
  ])('is malformed: %s', async (_, response) => {
    expect((await outcomeOf(response)).kind).toBe('malformed')
  })

  it('is too large when its head is', async () => {
    const outcome = await outcomeOf([
      'HTTP/1.1 200 OK',
      `X: ${'x'.repeat(70_000)}`,
      'Content-Length: 0',
      '',
      '',
    ])
    expect(outcome).toMatchObject({ kind: 'too-large', cause: 'headers' })
  })

  it('is shown without its escapes', async () => {
    const outcome = await outcomeOf([
      'HTTP/1.1 302 Go',
      'Location: http://\x1b[31m/',
      'Content-Length: 0',
      '',
      '',
    ])
    expect(outcome.kind === 'malformed' || outcome.kind === 'moved').toBe(true)
    expect('detail' in outcome ? outcome.detail : '').not.toContain('\x1b')
  })
})

describe('the limits of time', () => {
  /** One request; the clock is turned when the request has come so far. */
  async function outcomeAfter(
    response: string,
    stage: typeof SENT | typeof HEAD_READ,
    passedMs: number,
    options: Partial<HttpFetcherOptions> = {},
    request: Partial<FetchRequest> = {},
  ): Promise<FetchOutcome> {
    const clock = new FakeClock()
    const { origin } = await serve((socket) => void (response !== '' && socket.write(response)))
    const soFar = reached(stage)
    const outcome = fetcher({ clock, ...options }).fetch({ url: origin, ...request })
    await soFar
    clock.advance(passedMs)
    return outcome
  }

  it('end the wait for a head', async () => {
    const outcome = await outcomeAfter('', SENT, 20_000)
    expect(outcome).toMatchObject({ kind: 'network-failure', cause: 'headers-timeout' })
  })

  it('let a response come that is only just in time', async () => {
    const clock = new FakeClock()
    const sockets: Socket[] = []
    const { origin } = await serve((socket) => void sockets.push(socket))
    const [sent, headRead] = [reached(SENT), reached(HEAD_READ)]
    const outcome = fetcher({ clock }).fetch({ url: origin })
    await sent
    clock.advance(19_999)
    await vi.waitFor(() => expect(sockets).toHaveLength(1))
    sockets[0]?.write('HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\npa')
    await headRead
    clock.advance(14_999)
    sockets[0]?.write('ge')
    expect(textOf(await outcome)).toBe('page')
  })

  it('end the wait for a body', async () => {
    const outcome = await outcomeAfter('HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n', HEAD_READ, 15_000)
    expect(outcome).toMatchObject({ kind: 'network-failure', cause: 'body-timeout' })
  })

  it('keep what came of a body that fell silent', async () => {
    const outcome = await outcomeAfter('HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\npart', HEAD_READ, 15_000)
    expect(outcome).toMatchObject({ kind: 'success', body: { truncated: 'time' } })
    expect(textOf(outcome)).toBe('part')
  })

  it('do not wait for an unwanted body', async () => {
    const outcome = await outcomeAfter('HTTP/1.1 404 No\r\nContent-Length: 9\r\n\r\npart', HEAD_READ, 15_000)
    expect(outcome.kind).toBe('not-found')
  })

  it('leave an error what it is when its body does not come in time, wanted or not', async () => {
    const head = 'HTTP/1.1 404 No\r\nContent-Length: 9\r\n\r\n'
    const wanted = { keepErrorBody: true }
    const part = await outcomeAfter(`${head}part`, HEAD_READ, 15_000, {}, wanted)
    expect(part).toMatchObject({ kind: 'not-found', body: { wireBytes: 4, truncated: 'time' } })
    const silent = await outcomeAfter(head, HEAD_READ, 15_000, {}, wanted)
    expect(silent.kind).toBe('not-found')
    expect(silent).not.toHaveProperty('body')
    const limits = { bodyTimeoutMs: 50_000, totalTimeoutMs: 90_000 }
    const dripping = await outcomeAfter(`${head}part`, HEAD_READ, 30_000, limits, wanted)
    expect(dripping.kind).toBe('not-found')
    expect(dripping).not.toHaveProperty('body')
  })

  it('give up on a body that only drips', async () => {
    const limits = {
      minBytesPerSecond: 10,
      rateWindowMs: 30_000,
      bodyTimeoutMs: 50_000,
      totalTimeoutMs: 40_000,
    }
    const head = 'HTTP/1.1 200 OK\r\n\r\n'
    const slow = await outcomeAfter(head + 'x'.repeat(299), HEAD_READ, 40_000, limits)
    expect(slow).toMatchObject({ kind: 'too-slow', detail: '10 bytes per second' })
    const fastEnough = await outcomeAfter(head + 'x'.repeat(300), HEAD_READ, 40_000, limits)
    expect(fastEnough).toMatchObject({ kind: 'success', body: { truncated: 'time' } })
  })

  it('end everything, keeping what came', async () => {
    const outcome = await outcomeAfter('HTTP/1.1 200 OK\r\n\r\npart', HEAD_READ, 5_000, {
      totalTimeoutMs: 5_000,
    })
    expect(outcome).toMatchObject({ kind: 'success', body: { truncated: 'time' } })
  })

  it('end everything when nothing came', async () => {
    expect((await outcomeAfter('', SENT, 5_000, { totalTimeoutMs: 5_000 })).kind).toBe('too-slow')
  })
})

describe('the caller', () => {
  it('can end a request at any point', async () => {
    const server = await serve(
      (socket, _head, index) =>
        void (index === 1 && socket.write('HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\npart')),
    )
    const web = fetcher()
    for (const waitFor of [0, 1, 2]) {
      const controller = new AbortController()
      const outcome = web.fetch({ url: server.origin, signal: controller.signal })
      if (waitFor > 0) await server.requests(waitFor)
      controller.abort()
      expect(await outcome).toMatchObject({ kind: 'network-failure', cause: 'aborted' })
    }
  })

  it('is told at once when the request was ended before it began', async () => {
    const server = await say('HTTP/1.1 200 OK', 'Content-Length: 0', '', '')
    const outcome = await fetcher().fetch({ url: server.origin, signal: AbortSignal.abort() })
    expect(outcome).toMatchObject({ kind: 'network-failure', cause: 'aborted' })
    expect(server.heads).toEqual([])
  })

  it('decides, once connected, whether the request may still be sent', async () => {
    const server = await say('HTTP/1.1 200 OK', 'Content-Length: 0', '', '')
    let mayBeSent = true
    const web = fetcher({
      allowPrivateHosts: () => true,
      resolve: () => {
        mayBeSent = false
        return Promise.resolve({ ok: true, addresses: [{ address: '127.0.0.1', family: 4 }] })
      },
    })
    const url = `http://slow.test:${server.port}/`
    const outcome = await web.fetch({ url, mayBeSent: () => mayBeSent })
    expect(outcome).toMatchObject({ kind: 'network-failure', cause: 'aborted' })
    expect(server.connections).toBe(1)
    expect(server.heads).toEqual([])
    mayBeSent = true
    expect(await web.fetch({ url, mayBeSent: () => mayBeSent })).toMatchObject({ kind: 'success' })
  })

  it('gets an outcome for what was under way at the close, and for what comes after', async () => {
    const server = await serve(() => {})
    const web = fetcher()
    const outcome = web.fetch({ url: server.origin })
    await server.requests(1)
    await web.close()
    expect(await outcome).toMatchObject({ kind: 'network-failure', cause: 'aborted' })
    expect(await web.fetch({ url: server.origin })).toMatchObject({
      kind: 'network-failure',
      cause: 'aborted',
    })
  })

  it('is warned once when the user agent has no contact', () => {
    const onWarning = vi.fn()
    fetcher({ agent: { name: 'Weaver' }, onWarning })
    expect(onWarning).toHaveBeenCalledOnce()
    fetcher({ onWarning })
    expect(onWarning).toHaveBeenCalledOnce()
  })

  it.each<Partial<HttpFetcherOptions>>([
    { totalTimeoutMs: 0 },
    { maxBodyBytes: Number.NaN },
    { maxBodyBytes: 2 ** 40 },
    { minRetryAfterMs: 10, maxRetryAfterMs: 5 },
    { insecureHosts: ['*.example.com'] },
    { headers: { Host: 'x' } },
    { proxy: { url: 'ftp://proxy.test' } },
    { agent: { name: 'two words' } },
    Object.fromEntries([['maxBodySize', 5]]),
  ])('cannot start with %j', (options) => {
    expect(() => fetcher(options)).toThrow(ConfigurationError)
  })
})

describe('cookies', () => {
  async function cookieServer(): Promise<{ origin: string; seen: Array<string | undefined> }> {
    const seen: Array<string | undefined> = []
    const server = createHttpServer((request, response) => {
      seen.push(request.headers.cookie)
      response.setHeader('set-cookie', ['id=7; Path=/', 'lang=en']).end()
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    cleanUp.push(() => new Promise((resolve) => server.close(() => resolve()).closeAllConnections()))
    return { origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, seen }
  }

  it('are kept and sent only with the option', async () => {
    for (const [cookies, second] of [
      [false, undefined],
      [true, 'id=7; lang=en'],
    ] as const) {
      const { origin, seen } = await cookieServer()
      const web = fetcher({ cookies })
      await web.fetch({ url: origin })
      await web.fetch({ url: origin })
      expect(seen).toEqual([undefined, second])
    }
  })

  it('are kept in the jar of the caller, also when others use it', async () => {
    const { origin, seen } = await cookieServer()
    const cookies = new CookieJar(new FakeClock())
    await fetcher({ cookies }).fetch({ url: origin })
    await fetcher({ cookies }).fetch({ url: origin })
    expect(seen).toEqual([undefined, 'id=7; lang=en'])
  })

  it.each([
    ['in addition to those of the jar', { Cookie: 'a=1; b=2' }, {}, 'a=1; b=2; id=7; lang=en'],
    ['over those of the jar', { cookie: 'lang = de ;a=1' }, {}, 'lang = de ;a=1; id=7'],
    ['over those of every request', { cookie: 'a=1' }, { Cookie: 'b=2' }, 'a=1; id=7; lang=en'],
    ['when they are those of every request', undefined, { Cookie: 'b=2; id=8' }, 'b=2; id=8; lang=en'],
    ['when there are none of them', { cookie: '' }, {}, 'id=7; lang=en'],
  ])("of a request's own are sent in one header, %s", async (_, own, usual, sent) => {
    const server = await say(
      'HTTP/1.1 200 OK',
      'Set-Cookie: id=7',
      'Set-Cookie: lang=en',
      'Content-Length: 0',
      '',
      '',
    )
    const web = fetcher({ cookies: true, headers: usual })
    await web.fetch({ url: server.origin })
    const outcome = await web.fetch({ url: server.origin, ...withoutUndefined({ headers: own }) })
    expect(server.heads[1]?.match(/^cookie:.*$/gim)).toEqual([`cookie: ${sent}`])
    const { requestHeaders = [] } = 'response' in outcome ? outcome.response : {}
    expect(headerValues(requestHeaders, 'cookie')).toEqual([sent])
  })
})
