import fc from 'fast-check'
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { makeCertificates, type TestCertificates } from '../../../testing/certificates.ts'
import {
  type IndexServerDouble,
  type IndexServerDoubleOptions,
  startIndexServerDouble,
} from '../../../testing/index-server-double.ts'
import { InstantClock } from '../../../testing/instant-clock.ts'
import { ConfigurationError } from '../../base/crawl-error.ts'
import { IndexUnavailable } from '../../domain/indexing/index-writer.ts'
import { IndexServer, type IndexServerOptions, inRequests } from './index-server.ts'

let clock: InstantClock
let certificates: TestCertificates
let closing: Array<{ close(): Promise<void> }>
beforeAll(() => {
  certificates = makeCertificates(['127.0.0.1'])
})
beforeEach(() => {
  clock = new InstantClock()
  closing = []
})
afterEach(async () => {
  for (const each of closing.reverse()) await each.close()
})

async function start(options: IndexServerDoubleOptions = {}): Promise<IndexServerDouble> {
  const double = await startIndexServerDouble(() => ({ status: 200, json: { well: true } }), options)
  closing.push(double)
  return double
}

function connect(origin: string, options: Partial<IndexServerOptions> = {}): IndexServer {
  const server = new IndexServer({ clock, name: 'solr:x', origin, ...options })
  closing.push(server)
  return server
}

const REQUEST = { method: 'POST', path: '/update', body: '{}' } as const
const WELL = { status: 200, text: '{"well":true}' }

it('sends the request with what it was given', async () => {
  const double = await start({ authorization: 'Basic abc' })
  expect(await connect(double.origin, { authorization: 'Basic abc' }).request(REQUEST)).toEqual(WELL)
  expect(double.requests).toMatchObject([
    { method: 'POST', target: '/update', body: '{}', headers: { 'content-type': 'application/json' } },
  ])
})

it.each([
  ['a refusal for now', { kind: 'response', status: 429 }],
  ['a server that starts', { kind: 'response', status: 503 }],
  ['a gateway without a server', { kind: 'response', status: 502 }],
  ['a connection that breaks before the request', { kind: 'drop before' }],
  ['a connection that breaks after the request', { kind: 'drop after' }],
] as const)('tries again after %s', async (_, fault) => {
  const double = await start()
  double.faults.push(fault, fault)
  expect(await connect(double.origin).request(REQUEST)).toEqual(WELL)
  expect(clock.waitsMs).toEqual([500, 1_000])
  expect(double.requests).toHaveLength(3)
})

it('does not wait for a response for ever', async () => {
  const double = await start()
  double.faults.push({ kind: 'silence' })
  expect(await connect(double.origin, { timeoutMs: 300 }).request(REQUEST)).toEqual(WELL)
})

it('obeys Retry-After in seconds and as a date, and not what it cannot read', async () => {
  const double = await start()
  const date = new Date(clock.now() + 60_000).toUTCString()
  for (const value of ['20', date, 'soon'])
    double.faults.push({ kind: 'response', status: 503, headers: { 'retry-after': value } })
  await connect(double.origin).request(REQUEST)
  expect(clock.waitsMs).toEqual([20_000, 60_000 - 20_000, 2_000])
})

it('gives up on a server that is not there', async () => {
  const double = await start()
  await double.close()
  closing = []
  const end = connect(double.origin).request(REQUEST)
  await expect(end).rejects.toThrow(IndexUnavailable)
  await expect(end).rejects.toThrow(/^solr:x: no response: .*ECONNREFUSED/)
})

it('breaks off when it is interrupted', async () => {
  const double = await start()
  double.faults.push({ kind: 'silence' })
  const interruption = new AbortController()
  const end = connect(double.origin, {
    signal: interruption.signal,
  }).request(REQUEST)
  interruption.abort()
  await expect(end).rejects.toThrow(IndexUnavailable)
})

describe('what waiting cannot mend', () => {
  it.each([
    [401, 'it wants a user and a password'],
    [403, 'it forbids this'],
    [301, 'it is elsewhere: it returned 301 to https://else.test/'],
  ])('is said at once: %d', async (status, advice) => {
    const double = await start()
    double.faults.push({ kind: 'response', status, headers: { location: 'https://else.test/' } })
    const end = connect(double.origin).request(REQUEST)
    await expect(end).rejects.toThrow(ConfigurationError)
    await expect(end).rejects.toThrow(advice)
    expect(clock.waitsMs).toEqual([])
  })

  it('is an untrusted certificate', async () => {
    const double = await start({ identity: certificates.good })
    const end = connect(double.origin).request(REQUEST)
    await expect(end).rejects.toThrow(ConfigurationError)
    await expect(end).rejects.toThrow('caFile')
  })

  it('is a certificate for another host', async () => {
    const double = await start({ identity: certificates.wrongHost })
    const end = connect(double.origin, { certificates: certificates.ca }).request(REQUEST)
    await expect(end).rejects.toThrow(ConfigurationError)
  })

  it('is TLS with a server that has none', async () => {
    const double = await start()
    const end = connect(double.origin.replace('http:', 'https:')).request(REQUEST)
    await expect(end).rejects.toThrow(ConfigurationError)
  })
})

it('trusts an authority that it is given', async () => {
  const double = await start({ identity: certificates.good })
  expect(await connect(double.origin, { certificates: certificates.ca }).request(REQUEST)).toEqual(WELL)
})

const PARTS = fc.array(fc.record({ id: fc.string(), text: fc.string({ unit: 'grapheme', maxLength: 30 }) }))

it('sends every part once, in order, and no request is larger than allowed unless it is one part', () => {
  fc.assert(
    fc.property(
      PARTS,
      fc.integer({ min: 1, max: 5 }),
      fc.integer({ min: 1, max: 60 }),
      (parts, maxParts, maxBytes) => {
        const requests = [...inRequests(parts, { maxParts, maxBytes })]
        expect(requests.flat()).toEqual(parts)
        for (const request of requests) {
          const bytes = Buffer.byteLength(request.map(({ text }) => text).join(''))
          expect(request.length).toBeGreaterThan(0)
          expect(request.length).toBeLessThanOrEqual(maxParts)
          expect(request.length === 1 || bytes <= maxBytes).toBe(true)
        }
      },
    ),
    { numRuns: 200 },
  )
})

it('fills requests up', () => {
  const parts = Array.from({ length: 7 }, (_, i) => ({ id: `${i}`, text: 'ää' }))
  const sizes = (maxParts: number, maxBytes: number) =>
    [...inRequests(parts, { maxParts, maxBytes })].map(({ length }) => length)
  expect(sizes(3, 100)).toEqual([3, 3, 1])
  expect(sizes(100, 8)).toEqual([2, 2, 2, 1])
})
