import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { FakeClock } from '../../../testing/fake-clock.ts'
import type { FetchOutcome, HttpResponse } from '../../domain/fetch/fetch-outcome.ts'
import type { FetchRequest } from '../../domain/fetch/fetcher.ts'
import { CookieJar } from './cookie-jar.ts'
import { FileResponseCache, type FileResponseCacheOptions } from './file-response-cache.ts'

const PAGE: FetchRequest = { url: 'http://a.test/page' }

let folder: string
let clock: FakeClock

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'responses-'))
  clock = new FakeClock()
})
afterEach(() => rmSync(folder, { recursive: true }))

const cache = (options: Partial<FileResponseCacheOptions> = {}): FileResponseCache =>
  new FileResponseCache({ directory: join(folder, 'new'), clock, ...options })

const ANSWER: HttpResponse = {
  status: 200,
  headers: [
    ['content-type', 'text/html'],
    ['set-cookie', 'id=1'],
  ],
  requestHeaders: [['cookie', 'id=0']],
  address: '192.0.2.1',
  protocol: 'h2',
}

const base = (request = PAGE) => ({
  url: request.url,
  timings: { startedAt: clock.now(), dnsMs: 0.25, totalMs: 20.5 },
  response: ANSWER,
})

const body = (text: string) => ({ bytes: Buffer.from(text), wireBytes: text.length, decoded: [] })

const success = (text: string, request = PAGE): FetchOutcome => ({
  ...base(request),
  kind: 'success',
  body: body(text),
})

/** The one file with this ending. */
function fileOf(ending: '.json' | '.body'): string {
  const [found = '', ...more] = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith(ending),
  )
  expect(more).toEqual([])
  return join(folder, found)
}

describe('an outcome', () => {
  const text = fc.string({ unit: 'binary' })
  const headers = fc.array(fc.tuple(text, text), { maxLength: 4 })
  const ms = fc.double({ min: 0, max: 1e6, noNaN: true }).map((value) => value + 0)
  const common = {
    url: fc.constant(PAGE.url),
    timings: fc.record(
      { startedAt: ms, dnsMs: ms, connectMs: ms, headersMs: ms, totalMs: ms },
      { requiredKeys: ['startedAt', 'totalMs'], noNullPrototype: true },
    ),
    response: fc.record(
      { status: fc.nat(999), headers, requestHeaders: headers, address: text, protocol: text },
      { noNullPrototype: true },
    ),
  }
  const bodies = fc.record(
    {
      bytes: fc.uint8Array({ maxLength: 50 }).map((bytes) => Buffer.from(bytes)),
      wireBytes: fc.nat(),
      decoded: fc.array(text, { maxLength: 2 }),
      truncated: fc.constantFrom('size', 'encoding', 'partial'),
    },
    { requiredKeys: ['bytes', 'wireBytes', 'decoded'], noNullPrototype: true },
  )
  const error = (kind: string) =>
    fc.record(
      { ...common, kind: fc.constant(kind), body: bodies },
      { requiredKeys: ['url', 'timings', 'response', 'kind'], noNullPrototype: true },
    )
  const outcome = fc.oneof(
    fc.record({ ...common, kind: fc.constant('success'), body: bodies }, { noNullPrototype: true }),
    fc.record(
      { ...common, kind: fc.constant('moved'), to: text, permanent: fc.boolean() },
      { noNullPrototype: true },
    ),
    error('not-found'),
    error('gone'),
    error('access-denied'),
  ) as fc.Arbitrary<FetchOutcome>

  it('is found as it was kept, by another process too, whatever was kept before', async () => {
    await fc.assert(
      fc.asyncProperty(outcome, async (kept) => {
        await cache().keep(PAGE, kept)
        expect(await cache().find(PAGE)).toEqual(kept)
      }),
      { numRuns: 150 },
    )
  })

  it('was never kept for another request', async () => {
    const requests: FetchRequest[] = [
      PAGE,
      { url: 'http://a.test/other' },
      { ...PAGE, method: 'HEAD' },
      { ...PAGE, method: 'POST' },
      { ...PAGE, method: 'POST', body: 'a=1' },
      { ...PAGE, method: 'POST', body: Buffer.from('a=2') },
    ]
    for (const [i, request] of requests.entries()) {
      expect(await cache().find(request)).toBeUndefined()
      await cache().keep(request, success(String(i), request))
    }
    for (const [i, request] of requests.entries())
      expect(await cache().find(request)).toMatchObject({ body: { bytes: Buffer.from(String(i)) } })
  })

  it.each<[string, () => FetchOutcome]>([
    ['a broken line', () => ({ ...base(), kind: 'network-failure', cause: 'reset', detail: '' })],
    ['a busy server', () => ({ ...base(), kind: 'rate-limited' })],
    ['a broken server', () => ({ ...base(), kind: 'server-error' })],
    ['nothing new', () => ({ ...base(), kind: 'not-modified' })],
    [
      'half a page',
      () => ({ ...base(), kind: 'success', body: { ...body('half'), truncated: 'disconnect' } }),
    ],
    ['a slow page', () => ({ ...base(), kind: 'success', body: { ...body('half'), truncated: 'time' } })],
    ['half an error', () => ({ ...base(), kind: 'not-found', body: { ...body('half'), truncated: 'time' } })],
  ])('is not kept when it is %s', async (_, outcome) => {
    await cache().keep(PAGE, outcome())
    expect(await cache().find(PAGE)).toBeUndefined()
    expect(readdirSync(folder)).toEqual([])
  })

  it('is found for ever, or as long as it may be', async () => {
    await cache().keep(PAGE, success('text'))
    clock.advance(1_000)
    expect(await cache({ maxAgeMs: 1_000 }).find(PAGE)).toMatchObject({ kind: 'success' })
    clock.advance(1)
    expect(await cache({ maxAgeMs: 1_000 }).find(PAGE)).toBeUndefined()
    clock.advance(10 * 365 * 86_400_000)
    expect(await cache().find(PAGE)).toMatchObject({ timings: { startedAt: 1_800_000_000_000 } })
  })

  it('is not found when its body was not wanted then and is now', async () => {
    const wanting = { ...PAGE, keepErrorBody: true }
    await cache().keep(PAGE, { ...base(), kind: 'not-found' })
    expect(await cache().find(wanting)).toBeUndefined()
    // A response that had none, although it was wanted.
    await cache().keep(wanting, { ...base(), kind: 'not-found' })
    expect(await cache().find(wanting)).toMatchObject({ kind: 'not-found' })
    await cache().keep(PAGE, success('text'))
    expect(await cache().find(wanting)).toMatchObject({ kind: 'success' })
  })

  it('sets its cookies again', async () => {
    await cache().keep(PAGE, success('text'))
    const cookies = new CookieJar(clock)
    await cache({ cookies }).find({ url: 'http://a.test/other' })
    expect(cookies.snapshot()).toEqual([])
    await cache({ cookies }).find(PAGE)
    expect(cookies.headerFor(new URL('http://a.test/'))).toBe('id=1')
  })
})

describe('a file', () => {
  it.each<[string, '.json' | '.body', (content: Buffer) => Buffer]>([
    ['an empty description', '.json', () => Buffer.alloc(0)],
    ['half a description', '.json', (content) => content.subarray(0, content.length / 2)],
    ['another description', '.json', () => Buffer.from('{"outcome":{},"errorBodyWanted":false}')],
    [
      'a description without its body',
      '.json',
      (content) => Buffer.from(content.toString().replace('"body":', '"was":')),
    ],
    [
      'the description of another page',
      '.json',
      (content) => Buffer.from(content.toString().replace(PAGE.url, 'http://a.test/egap')),
    ],
    ['half a body', '.body', (content) => content.subarray(0, 2)],
    // What a kill leaves between the two writes of a later response.
    ['the body of a later response', '.body', () => Buffer.from('next')],
  ])('that is damaged is a miss, and is written anew: %s', async (_, ending, damage) => {
    await cache().keep(PAGE, success('text'))
    const file = fileOf(ending)
    writeFileSync(file, damage(readFileSync(file)))
    expect(await cache().find(PAGE)).toBeUndefined()
    await cache().keep(PAGE, success('anew'))
    expect(await cache().find(PAGE)).toMatchObject({ body: { bytes: Buffer.from('anew') } })
  })

  it('that is missing is a miss', async () => {
    await cache().keep(PAGE, success('text'))
    rmSync(fileOf('.body'))
    expect(await cache().find(PAGE)).toBeUndefined()
  })

  it('is never mixed from two responses that are kept at once', async () => {
    await Promise.all(Array.from({ length: 20 }, (_, i) => cache().keep(PAGE, success('x'.repeat(i)))))
    const found = await cache().find(PAGE)
    const { bytes, wireBytes } = found?.kind === 'success' ? found.body : body('')
    expect(bytes.length).toBe(wireBytes)
    expect(readdirSync(folder, { recursive: true, encoding: 'utf8' }).join('\n')).not.toContain('.tmp')
  })

  it('is named after the request, and holds the decoded body', async () => {
    await cache().keep(PAGE, success('text'))
    expect(fileOf('.json')).toMatch(/[/\\][0-9a-f]{2}[/\\][0-9a-f]{30}\.json$/)
    expect(fileOf('.body')).toBe(fileOf('.json').replace(/json$/, 'body'))
    expect(readFileSync(fileOf('.body'), 'utf8')).toBe('text')
  })

  it.runIf(process.platform !== 'win32')('is for the eyes of its owner alone', async () => {
    await cache().keep(PAGE, success('text'))
    const modes = [fileOf('.json'), fileOf('.body'), join(folder, 'new')].map(
      (file) => statSync(file).mode & 0o777,
    )
    expect(modes).toEqual([0o600, 0o600, 0o700])
  })
})
