import { describe, expect, it } from 'vitest'
import { useHostileWeb } from './hostile-web.ts'

const hostile = useHostileWeb()
const MALFORMED = { kind: 'malformed' }
const BIG_HEADERS = { kind: 'too-large', cause: 'headers' }
const RESET = { kind: 'network-failure', cause: 'reset' }
const OK = { kind: 'success', response: { status: 200 } }
const CUT = { kind: 'success', body: { truncated: 'disconnect' } }

it.each([
  [18, 'a body without a head is malformed', '/http-0.9', MALFORMED],
  [18, 'bytes that mean nothing are malformed', '/garbage', MALFORMED],
  [18, 'HTTP/7.5 is malformed', '/bad-version', MALFORMED],
  [18, 'no byte at all is a reset', '/nothing', RESET],
  [19, 'a status needs no reason', '/status/no-reason', OK],
  [19, '099 is malformed', '/status/099', MALFORMED],
  [19, '600 is malformed', '/status/600', MALFORMED],
  [19, 'a word for a status is malformed', '/status/text', MALFORMED],
  [19, '999 says that we are not wanted', '/status/999', { kind: 'access-denied' }],
  [20, 'a 103 may precede the response', '/1xx/one', OK],
  [20, 'an unexpected 100 is ignored', '/1xx/continue', OK],
  [20, 'a flood of 103 is malformed', '/1xx/flood', MALFORMED],
  [20, 'an unexpected 101 is malformed', '/1xx/switch', MALFORMED],
  [21, 'a head of more than 64 KB is too large', '/headers/64-kb', BIG_HEADERS],
  [21, 'a header of 1 MB is too large', '/headers/1-mb', BIG_HEADERS],
  [21, '10,000 headers are too large', '/headers/10000', BIG_HEADERS],
  [21, 'headers without end are too large', '/headers/endless', BIG_HEADERS],
  [21, 'a header without colon is malformed', '/headers/no-colon', MALFORMED],
  [21, 'a header without name is malformed', '/headers/only-colon', MALFORMED],
  [21, 'a NUL in a header is malformed', '/headers/nul', MALFORMED],
  [21, 'a bare CR in a header is malformed', '/headers/cr', MALFORMED],
  [21, 'lines that end in LF are read', '/headers/lf-only', OK],
  [21, 'a header with obsolete line folding is read', '/headers/folded', OK],
  [21, 'bytes over 127 in a header are read', '/headers/latin1', OK],
  [22, 'two lengths are malformed', '/length/conflict', MALFORMED],
  [22, 'the same length twice is read', '/length/same-twice', OK],
  [22, 'the same length twice in one header is read', '/length/same-list', OK],
  [22, 'a list of two lengths is malformed', '/length/list', MALFORMED],
  [22, 'a length and chunks are malformed', '/length/and-chunked', MALFORMED],
  [23, 'less than was promised is flagged', '/length/larger', CUT],
  [23, 'a body broken off is flagged', '/drop-mid-body', CUT],
  [23, 'a body broken off by a reset is flagged', '/reset-mid-body', CUT],
  [23, 'a negative length is malformed', '/length/negative', MALFORMED],
  [23, 'a length of 2^64 is malformed', '/length/2-to-64', MALFORMED],
  [23, 'a word for a length is malformed', '/length/text', MALFORMED],
  [23, 'without a length the body ends with the connection', '/length/none', OK],
  [24, 'chunks as they should be are read', '/chunked/good', OK],
  [24, 'an invalid chunk size is malformed', '/chunked/bad-size', MALFORMED],
  [24, 'a chunk size of 2^68 is malformed', '/chunked/huge-size', MALFORMED],
  [24, 'a chunk longer than its size is malformed', '/chunked/no-crlf', MALFORMED],
  [24, 'chunks without a last one are flagged', '/chunked/no-end', CUT],
])('%i: %s', async (_, __, route, expected) => {
  expect(await hostile.request(route)).toMatchObject(expected)
})

it.each(['/chunked/extensions', '/chunked/trailers'])('24: stops reading endless %s', async (route) => {
  const outcome = await hostile.request(route)
  expect(['malformed', 'too-large', 'too-slow', 'network-failure', 'success']).toContain(outcome.kind)
  await expect.poll(() => hostile.web.judge.hits.every((hit) => hit.end !== undefined)).toBe(true)
})

it('21: removes terminal escapes from messages', async () => {
  for (const route of ['/status/text', '/garbage', '/headers/escape', '/headers/nul', '/moved/broken']) {
    const outcome = await hostile.request(route)
    expect('detail' in outcome ? outcome.detail : '').not.toMatch(/[\p{Cc}]/u)
  }
})

describe('a connection after a wrong length', () => {
  it.each([
    [22, '/length/conflict'],
    [23, '/length/smaller'],
    [23, '/length/smuggled'],
    [24, '/chunked/bad-size'],
    [25, '/body-of/204'],
    [25, '/body-of/304'],
  ])('%i: %s does not spoil the next response', async (_, route) => {
    const fetcher = hostile.fetcher({ maxConnectionsPerOrigin: 1 })
    const first = await fetcher.fetch({ url: hostile.web.url(route) })
    expect('body' in first ? Buffer.from(first.body.bytes).toString() : '').not.toContain('smuggled')
    const next = await fetcher.fetch({ url: hostile.web.url('/chunked/good') })
    expect(next).toMatchObject({ kind: 'success', body: { bytes: Buffer.from('hello') } })
  })

  it('25: ignores a body after HEAD and reads the next response correctly', async () => {
    const fetcher = hostile.fetcher({ maxConnectionsPerOrigin: 1 })
    const head = await fetcher.fetch({ url: hostile.web.url('/body-of/head'), method: 'HEAD' })
    expect(head).toMatchObject({ kind: 'success', body: { bytes: Buffer.alloc(0) } })
    const next = await fetcher.fetch({ url: hostile.web.url('/chunked/good') })
    expect(next).toMatchObject({ kind: 'success', body: { bytes: Buffer.from('hello') } })
  })
})

describe('26: HTTP/2', () => {
  it('is used when it is offered', async () => {
    const outcome = await hostile.fetch(`${hostile.web.secureOrigin('h2-good.test')}/`)
    const bytes = Buffer.from('<title>h2</title>')
    expect(outcome).toMatchObject({ kind: 'success', response: { protocol: 'h2' }, body: { bytes } })
  })

  it.each([
    ['a stream reset in the middle of the body is flagged', 'h2-reset-mid-body.test', CUT],
    ['a goodbye in the middle of the body is flagged', 'h2-goaway.test', CUT],
    [
      'a window that never opens is a body-timeout',
      'h2-stalled.test',
      { kind: 'network-failure', cause: 'body-timeout' },
    ],
    ['silence is a headers-timeout', 'h2-silent.test', { kind: 'network-failure', cause: 'headers-timeout' }],
  ])('%s', async (_, host, expected) => {
    expect(await hostile.fetch(`${hostile.web.secureOrigin(host)}/`)).toMatchObject(expected)
  })

  it.each([
    'h2-reset.test',
    'h2-goaway-at-once.test',
    'h2-push.test',
    'h2-continuation.test',
    'h2-ping.test',
    'h2-settings.test',
    'h2-hpack-bomb.test',
  ])('%s is left for HTTP/1.1, once', async (host) => {
    const [fetcher, url] = [hostile.fetcher(), `${hostile.web.secureOrigin(host)}/chunked/good`]
    expect(await fetcher.fetch({ url })).toMatchObject({ repeatable: true })
    expect(await fetcher.fetch({ url })).toMatchObject({
      kind: 'success',
      response: { protocol: 'http/1.1' },
    })
    expect(hostile.web.judge.hits).toHaveLength(1)
  })
})
