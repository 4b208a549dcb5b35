import { describe, expect, it } from 'vitest'
import { readPage } from '../../src/domain/content/read-page.ts'
import type { FetchOutcome } from '../../src/domain/fetch/fetch-outcome.ts'
import { normalizeUrl } from '../../src/domain/url/normalize-url.ts'
import { routes } from '../../testing/misbehaving-web.ts'
import { useHostileWeb } from './hostile-web.ts'

const hostile = useHostileWeb()
const PACKED = Buffer.from('<title>packed</title>')

describe('27: the content type is detected from the bytes, and both types are stored', () => {
  it.each([
    ['/type/html-as-image', 'html', 'text/html', 'image/png'],
    ['/type/pdf-as-html', 'pdf', 'application/pdf', 'text/html'],
    ['/type/png-as-html', 'other', 'image/png', 'text/html'],
    ['/type/missing', 'html', 'text/html', undefined],
    ['/type/empty', 'html', 'text/html', undefined],
    ['/type/broken', 'html', 'text/html', 'text/html'],
  ])('%s', async (route, kind, type, declared) => {
    const reading = read(success(await hostile.request(route)))
    expect(reading).toMatchObject({ kind, type })
    expect(reading.declaredType).toBe(declared)
  })
})

describe('28: content codings', () => {
  it.each([
    ['gzip is undone', '/coding/gzip', ['gzip']],
    ['gzip under its old name is undone', '/coding/x-gzip', ['x-gzip']],
    ['deflate in zlib is undone', '/coding/deflate', ['deflate']],
    ['raw deflate is undone', '/coding/deflate-raw', ['deflate']],
    ['brotli is undone', '/coding/br', ['br']],
    ['zstd is undone', '/coding/zstd', ['zstd']],
    ['identity is nothing to undo', '/coding/identity', []],
    ['gzip that is plain text is plain text', '/coding/gzip-but-plain', []],
    ['two codings are undone', '/coding/2', ['br', 'gzip']],
    ['three codings are undone', '/coding/3', ['gzip', 'gzip', 'gzip']],
  ])('%s', async (_, route, decoded) => {
    const { body } = success(await hostile.request(route))
    expect(body).toMatchObject({ bytes: PACKED, decoded })
    expect(body.truncated).toBeUndefined()
  })

  it('an unknown coding is unsupported, and the bytes are kept as sent', async () => {
    expect(await hostile.request('/coding/unknown')).toMatchObject({
      kind: 'unsupported',
      body: { bytes: PACKED, decoded: [] },
    })
  })

  it('ten codings are unsupported', async () => {
    expect(await hostile.request('/coding/10')).toMatchObject({ kind: 'unsupported' })
  })
})

it.each(['/bomb/gzip', '/bomb/deflate', '/bomb/br', '/bomb/zstd', '/bomb/gzip-in-gzip'])(
  '31: calls %s a bomb',
  async (route) => {
    expect(await hostile.request(route)).toMatchObject({ kind: 'too-large', cause: 'bomb' })
  },
)

it('31: decompresses at most the maximum body size of a 10 GB bomb', async () => {
  const outcome = await hostile.request('/bomb/10-gb')
  if (outcome.kind === 'success') expect(outcome.body.bytes.length).toBeLessThanOrEqual(1024 * 1024)
  else expect(outcome).toMatchObject({ kind: 'too-large' })
})

it.each(['/endless', '/endless/chunked'])('32: keeps the beginning of %s and flags it', async (route) => {
  const { body } = success(await hostile.request(route))
  expect(body).toMatchObject({ truncated: 'size' })
  expect(body.bytes.length).toBe(1024 * 1024)
})

it('32: keeps the beginning of an endless event stream', async () => {
  const { body } = success(await hostile.fetch(hostile.web.url('/endless/events'), { totalTimeoutMs: 400 }))
  expect(body).toMatchObject({ truncated: 'time' })
})

it('33: stops reading a slow body long before the total timeout', async () => {
  const limits = { minBytesPerSecond: 1_000, rateWindowMs: 200, totalTimeoutMs: 60_000 }
  const outcome = await hostile.fetch(hostile.web.url('/drip'), limits)
  expect(outcome).toMatchObject({ kind: 'too-slow' })
  expect(outcome.timings.totalMs).toBeLessThan(30_000)
})

it('33: stops reading slow headers', async () => {
  expect(await hostile.request('/drip/headers')).toMatchObject({
    kind: 'network-failure',
    cause: 'headers-timeout',
  })
})

it('34: does not read a body with a Content-Length of 5 GB', async () => {
  expect(await hostile.request('/huge/declared')).toMatchObject({
    kind: 'too-large',
    cause: 'declared-length',
  })
})

it('35: flags a 206 without a Range request', async () => {
  expect(await hostile.request('/partial')).toMatchObject({
    kind: 'success',
    response: { status: 206 },
    body: { truncated: 'partial' },
  })
})

it('35: accepts a 206 for a Range request', async () => {
  const { body } = success(
    await hostile.fetch(hostile.web.url('/partial'), {}, { headers: { range: 'bytes=0-4' } }),
  )
  expect(body.truncated).toBeUndefined()
})

it('35: accepts a 200 for a Range request', async () => {
  const outcome = await hostile.fetch(
    hostile.web.url('/chunked/good'),
    {},
    { headers: { range: 'bytes=0-1' } },
  )
  expect(outcome).toMatchObject({
    kind: 'success',
    response: { status: 200 },
    body: { bytes: Buffer.from('hello') },
  })
})

describe('36: damaged gzip', () => {
  it('keeps the text before the cut, and flags it', async () => {
    const { body } = success(await hostile.request('/gzip/truncated'))
    expect(body.truncated).toBe('encoding')
    expect(Buffer.from(body.bytes).toString()).toMatch(/^16807 282475249 1622650073 /)
    expect(body.bytes.length).toBeGreaterThan(5_000)
  })

  it('keeps text whose checksum is wrong, and flags it', async () => {
    expect(await hostile.request('/gzip/crc')).toMatchObject({
      kind: 'success',
      body: { bytes: PACKED, truncated: 'encoding' },
    })
  })

  it('keeps text before trailing bytes', async () => {
    expect(await hostile.request('/gzip/trailing')).toMatchObject({
      kind: 'success',
      body: { bytes: PACKED },
    })
  })
})

it.each(['/empty', '/whitespace', '/bom'])('37: reads %s as an empty page', async (route) => {
  const { status, title, text, links } = read(success(await hostile.request(route)))
  expect({ status, title, text, links }).toEqual({ status: 'parsed', title: '', text: '', links: [] })
})

describe('38: text is decoded as in the Encoding standard', () => {
  it.each([
    ['/charset/unknown', 'caf\u00e9'],
    ['/charset/lying', 'caf\ufffd'],
    ['/charset/utf-16', 'wide'],
    ['/charset/utf-16-bom', 'wide'],
    ['/charset/utf-7', '+ADw-script+AD4-'],
    ['/charset/iso-2022-jp', '\u3053\u3093\u306b\u3061\u306f'],
    ['/charset/meta', '\u041f\u0440\u0438\u0432\u0435\u0442'],
    ['/charset/conflict', 'caf\u00e9'],
  ])('%s', async (route, title) => {
    expect(read(success(await hostile.request(route))).title).toBe(title)
    expect(read(success(await hostile.request(route))).title).toBe(title)
  })

  it('/charset/broken: replaces invalid bytes and does not throw', async () => {
    expect(read(success(await hostile.request('/charset/broken'))).title).toMatch(/^a.?b\ufffd+$/)
  })

  it('has a route for each charset tried here', () => {
    expect(Object.keys(routes).filter((path) => path.startsWith('/charset/'))).toHaveLength(9)
  })
})

type Success = Extract<FetchOutcome, { kind: 'success' }>

function success(outcome: FetchOutcome): Success {
  if (outcome.kind !== 'success')
    throw new Error(`${outcome.kind}: ${'detail' in outcome ? outcome.detail : ''}`)
  return outcome
}

function read({ url, response, body }: Success) {
  return readPage(
    { url, headers: response.headers, bytes: body.bytes },
    { agent: 'Orbweaver', normalize: normalizeUrl },
  )
}
