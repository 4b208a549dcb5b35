import { expect, it } from 'vitest'
import type { FetchOutcome } from '../fetch/fetch-outcome.ts'
import { hostOutcomeOf } from './host-outcome.ts'

const base = { url: 'http://a.test/', timings: { startedAt: 0, headersMs: 40, totalMs: 90 } }
const response = (status: number) => ({
  status,
  headers: [],
  requestHeaders: [],
  address: '127.0.0.1',
  protocol: 'http/1.1',
})
const body = { bytes: new Uint8Array(), wireBytes: 0, decoded: [] }

it.each<[string, FetchOutcome, ReturnType<typeof hostOutcomeOf>]>([
  [
    'a page',
    { ...base, kind: 'success', response: response(200), body },
    { kind: 'success', responseMs: 40 },
  ],
  ['a 404', { ...base, kind: 'not-found', response: response(404) }, { kind: 'success', responseMs: 40 }],
  ['a 401', { ...base, kind: 'access-denied', response: response(401) }, { kind: 'success', responseMs: 40 }],
  ['a 403', { ...base, kind: 'access-denied', response: response(403) }, { kind: 'failure', responseMs: 40 }],
  [
    'a 403 of robots.txt',
    { ...base, url: 'http://a.test/robots.txt', kind: 'access-denied', response: response(403) },
    { kind: 'success', responseMs: 40 },
  ],
  ['a 500', { ...base, kind: 'server-error', response: response(500) }, { kind: 'failure', responseMs: 40 }],
  [
    'a 429',
    { ...base, kind: 'rate-limited', response: response(429) },
    { kind: 'rate-limited', responseMs: 40 },
  ],
  [
    'a 429 with Retry-After',
    { ...base, kind: 'rate-limited', response: response(429), retryAt: 7 },
    { kind: 'rate-limited', responseMs: 40, retryAt: 7 },
  ],
  [
    'a reset',
    { ...base, kind: 'network-failure', cause: 'reset', detail: '' },
    { kind: 'failure', responseMs: 40 },
  ],
  [
    'a reset of a kept connection',
    { ...base, kind: 'network-failure', cause: 'reset', detail: '', repeatable: true },
    { kind: 'unknown' },
  ],
  ['our own abort', { ...base, kind: 'network-failure', cause: 'aborted', detail: '' }, { kind: 'unknown' }],
  ['a turn that never came', { ...base, kind: 'blocked', detail: '' }, { kind: 'not-sent' }],
  ['a refusal', { ...base, kind: 'refused', cause: 'address', detail: '' }, { kind: 'not-sent' }],
])('says what %s tells about the host', (_, outcome, expected) => {
  expect(hostOutcomeOf(outcome)).toEqual(expected)
})
