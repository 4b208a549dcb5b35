import { describe, expect, it } from 'vitest'
import { withoutUndefined } from '../../base/without-undefined.ts'
import type { FetchOutcome, Truncation } from '../fetch/fetch-outcome.ts'
import { PROTOCOL_STATUSES } from '../fetch/fetch-status.ts'
import { contentRow, fetchRow, notReachedRow, type ParseFindings, parsedRow } from './fetch-row.ts'

const fetched = { url: 'http://a.test/' }
const base = { url: fetched.url, timings: { startedAt: 1_000.4, totalMs: 30, headersMs: 20.2 } }
const headers = [
  ['content-type', 'text/plain'],
  ['etag', '"1"'],
  ['last-modified', 'yesterday'],
] as const
const response = { status: 200, headers, requestHeaders: [], address: '192.0.2.1', protocol: 'h2' }
const success = (truncated?: Truncation) =>
  ({
    ...base,
    kind: 'success',
    response,
    body: {
      bytes: new TextEncoder().encode('<html>'),
      wireBytes: 4,
      decoded: ['gzip'],
      ...withoutUndefined({ truncated }),
    },
  }) as const

it('says where the response came from, what it is, and how long it took', () => {
  expect(fetchRow(fetched, success())).toEqual({
    url: 'http://a.test/',
    status: 'fetch_success',
    protocolStatus: 'SUCCESS',
    fetchedAt: 1_000,
    httpStatus: 200,
    address: '192.0.2.1',
    protocol: 'h2',
    responseMs: 20,
    wireBytes: 4,
    bytes: 6,
    contentType: 'text/plain',
    validators: { etag: '"1"', lastModified: 'yesterday' },
  })
  expect(contentRow(success()).fetchedAt).toBe(1_000)
})

describe('validators', () => {
  it.each(['disconnect', 'time', 'encoding', 'partial'] as const)(
    'of a body cut short by %s are not kept: it would stay cut short for ever',
    (truncated) => {
      expect(fetchRow(fetched, success(truncated)).validators).toBeUndefined()
    },
  )

  it('of a page whose parser crashed are not kept: its links would never be found', () => {
    const crashed = { status: 'failed', contentType: 'text/html', scoreGiven: 0, dropped: {} } as const
    const row = fetchRow(fetched, success())
    expect(fetchRow(fetched, success(), { parsed: crashed }).validators).toBeUndefined()
    expect(parsedRow(row, crashed, false).validators).toBeUndefined()
    const invalid = { ...crashed, signature: '00' }
    expect(fetchRow(fetched, success(), { parsed: invalid }).validators).toEqual(row.validators)
    expect(parsedRow(row, invalid, false).validators).toEqual(row.validators)
  })

  it('of a body cut at our own limit are', () => {
    expect(fetchRow(fetched, success('size'))).toMatchObject({
      truncated: 'size',
      validators: { etag: '"1"' },
    })
  })
})

it.each<[FetchOutcome, string]>([
  [
    { ...base, kind: 'refused', cause: 'address', detail: '10.0.0.1 is private' },
    'address: 10.0.0.1 is private',
  ],
  [{ ...base, kind: 'too-large', cause: 'bomb', detail: 'x' }, 'bomb: x'],
  [{ ...base, kind: 'too-slow', detail: '3 bytes per second' }, '3 bytes per second'],
  [{ ...base, kind: 'access-denied', response: { ...response, status: 401 } }, 'HTTP 401'],
])('explains %o', (outcome, reason) => {
  const row = fetchRow(fetched, outcome)
  expect(row.reason).toBe(reason)
  const status: string = PROTOCOL_STATUSES[row.protocolStatus as keyof typeof PROTOCOL_STATUSES].fetchStatus
  expect(row.status).toBe(status)
})

it('tells a parked host from the end of a run', () => {
  expect(notReachedRow(fetched, 'too-many-failures', 5, 99.5)).toMatchObject({
    status: 'not_reached',
    protocolStatus: 'BLOCKED',
    retryAt: 100,
  })
  expect(notReachedRow(fetched, 'time limit', 5)).toMatchObject({
    status: 'not_reached',
    protocolStatus: 'WOULDBLOCK',
    reason: 'time limit',
  })
})

describe('a page that could not be read', () => {
  const failed: ParseFindings = {
    ...{ contentType: 'application/pdf', status: 'failed', reason: 'not a PDF' },
    ...{ scoreGiven: 0, dropped: {} },
  }

  it('gets its own status and the reason, parsed during the fetch or later', () => {
    const marked = { status: 'parse_failed', protocolStatus: 'SUCCESS', reason: 'not a PDF' }
    expect(fetchRow(fetched, success(), { parsed: failed, markFailed: true })).toMatchObject(marked)
    expect(parsedRow(fetchRow(fetched, success()), failed, true)).toMatchObject(marked)
  })

  it('counts as fetched without markFailed', () => {
    const { status, reason } = fetchRow(fetched, success(), { parsed: failed })
    expect([status, reason]).toEqual(['fetch_success', undefined])
  })

  it('is not a page that was skipped', () => {
    const parsed = { ...failed, status: 'skipped' } as const
    expect(fetchRow(fetched, success(), { parsed, markFailed: true }).status).toBe('fetch_success')
  })
})

it.each([
  [403, 'fetch_retry'],
  [406, 'fetch_retry'],
  [999, 'fetch_retry'],
  [401, 'fetch_gone'],
  [402, 'fetch_gone'],
  [407, 'fetch_gone'],
  [451, 'fetch_gone'],
])('gives a page that was refused with %i the status %s', (httpStatus, status) => {
  const refused = { ...base, kind: 'access-denied', response: { ...response, status: httpStatus } } as const
  expect(fetchRow({ url: base.url }, refused)).toMatchObject({
    status,
    protocolStatus: 'ACCESS_DENIED',
    httpStatus,
  })
})
