import { expect, it } from 'vitest'
import type { FetchOutcome } from '../../domain/fetch/fetch-outcome.ts'
import { failureCode, failureReason } from './failure-code.ts'

const base = { url: 'http://a.test/', timings: { startedAt: 0, totalMs: 1 } }
const response = { status: 418, headers: [], requestHeaders: [], address: '', protocol: '' }
const body = { bytes: new Uint8Array(), wireBytes: 0, decoded: [] }

it.each<[FetchOutcome, string, string]>([
  [{ kind: 'not-found', ...base, response }, 'http-418', 'the server returned 418'],
  [{ kind: 'network-failure', ...base, cause: 'tls', detail: 'bad' }, 'network-tls', 'bad'],
  [{ kind: 'refused', ...base, cause: 'address', detail: 'private' }, 'refused-address', 'private'],
  [{ kind: 'too-slow', ...base, detail: 'slow' }, 'too-slow', 'slow'],
  [{ kind: 'too-large', ...base, cause: 'bomb', detail: 'large' }, 'too-large', 'large'],
  [{ kind: 'blocked', ...base, detail: 'parked' }, 'blocked', 'parked'],
  [{ kind: 'unsupported', ...base, response, body, detail: 'coding' }, 'unsupported', 'coding'],
])('names %o', (outcome, code, reason) => {
  expect(failureCode(outcome)).toBe(code)
  expect(failureReason(outcome)).toBe(reason)
})
