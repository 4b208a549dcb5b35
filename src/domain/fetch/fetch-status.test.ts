import { describe, expect, it } from 'vitest'
import type { FetchOutcome } from './fetch-outcome.ts'
import {
  FETCH_STATUS_CODES,
  meaningOfHttpStatus,
  PROTOCOL_STATUSES,
  protocolStatusOf,
} from './fetch-status.ts'

describe('meaningOfHttpStatus', () => {
  it.each([
    [[200, 201, 202, 203, 204, 205, 206, 226], 'success'],
    [[300, 301, 305, 306, 308, 399], 'moved-permanently'],
    [[302, 303, 307], 'moved-temporarily'],
    [[304], 'not-modified'],
    [[400, 405, 409, 410, 414, 418, 499], 'gone'],
    [[404], 'not-found'],
    [[401, 402, 403, 406, 407, 451, 999], 'access-denied'],
    [[420, 429, 503, 509, 529], 'rate-limited'],
    [[408, 421, 423, 425, 500, 501, 502, 504, 520, 599], 'server-error'],
    [[0, 99, 100, 199, 600, 998], 'malformed'],
  ] as const)('maps %j to %s', (statuses, meaning) => {
    for (const status of statuses) expect(meaningOfHttpStatus(status), `${status}`).toBe(meaning)
  })
})

describe('protocolStatusOf', () => {
  const base = { url: 'http://a.test/', timings: { startedAt: 0, totalMs: 1 } }
  const response = {
    status: 200,
    headers: [],
    requestHeaders: [],
    address: '192.0.2.1',
    protocol: 'http/1.1',
  }
  const body = { bytes: new Uint8Array(), wireBytes: 0, decoded: [] }

  it.each<[FetchOutcome, string, number, string]>([
    [{ ...base, kind: 'success', response, body }, 'SUCCESS', 1, 'fetch_success'],
    [{ ...base, kind: 'moved', response, to: '', permanent: true }, 'MOVED', 12, 'fetch_redir_perm'],
    [{ ...base, kind: 'moved', response, to: '', permanent: false }, 'TEMP_MOVED', 13, 'fetch_redir_temp'],
    [{ ...base, kind: 'not-modified', response }, 'NOTMODIFIED', 21, 'fetch_notmodified'],
    [{ ...base, kind: 'gone', response }, 'GONE', 11, 'fetch_gone'],
    [{ ...base, kind: 'not-found', response }, 'NOTFOUND', 14, 'fetch_gone'],
    [{ ...base, kind: 'access-denied', response }, 'ACCESS_DENIED', 17, 'fetch_gone'],
    [{ ...base, kind: 'rate-limited', response }, 'RETRY', 15, 'fetch_retry'],
    [{ ...base, kind: 'server-error', response }, 'EXCEPTION', 16, 'fetch_retry'],
    [{ ...base, kind: 'network-failure', cause: 'reset', detail: '' }, 'EXCEPTION', 16, 'fetch_retry'],
    [{ ...base, kind: 'network-failure', cause: 'aborted', detail: '' }, 'RETRY', 15, 'fetch_retry'],
    [{ ...base, kind: 'refused', cause: 'scheme', detail: '' }, 'PROTO_NOT_FOUND', 10, 'fetch_gone'],
    [{ ...base, kind: 'refused', cause: 'address', detail: '' }, 'RETRY', 15, 'fetch_retry'],
    [{ ...base, kind: 'refused', cause: 'port', detail: '' }, 'NOTFETCHING', 20, 'fetch_gone'],
    [{ ...base, kind: 'too-large', cause: 'bomb', detail: '' }, 'NOTFETCHING', 20, 'fetch_gone'],
    [{ ...base, kind: 'too-slow', detail: '' }, 'EXCEPTION', 16, 'fetch_retry'],
    [{ ...base, kind: 'malformed', detail: '' }, 'FAILED', 2, 'fetch_retry'],
    [{ ...base, kind: 'unsupported', response, detail: '', body }, 'FAILED', 2, 'fetch_retry'],
  ])('names %o', (outcome, name, code, fetchStatus) => {
    const status = protocolStatusOf(outcome)
    expect(status).toBe(name)
    expect(PROTOCOL_STATUSES[status]).toEqual({ code, fetchStatus })
  })

  it('gives fetch statuses codes in the range of fetch statuses', () => {
    for (const code of Object.values(FETCH_STATUS_CODES)) expect(code >= 0x20 && code <= 0x3f).toBe(true)
  })
})
