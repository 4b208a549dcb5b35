import { describe, expect, it } from 'vitest'
import type { FetchOutcome } from '../../domain/fetch/fetch-outcome.ts'
import { failureClass, failureCode, failureReason, retryAt, retryPolicy } from './retry-policy.ts'

const NOW = 1_800_000_000_000

describe('retryAt', () => {
  const policy = retryPolicy({
    retries: { serverError: 3 },
    delaySeconds: { serverError: 1 },
    maxDelaySeconds: 3,
  })

  it('doubles the pause with each try, up to the longest', () => {
    const pauses = [1, 2, 3].map((attempt) => (retryAt(policy, 'serverError', attempt, NOW) ?? 0) - NOW)
    expect(pauses).toEqual([1_000, 2_000, 3_000])
  })

  it('gives up when the tries are used up', () => {
    expect(retryAt(policy, 'serverError', 4, NOW)).toBeUndefined()
    expect(retryAt(retryPolicy({ retries: { network: 0 } }), 'network', 1, NOW)).toBeUndefined()
  })

  it('waits as long as the server requires, even beyond the longest pause, and never shorter than its own', () => {
    expect(retryAt(policy, 'serverError', 1, NOW, NOW + 60_000)).toBe(NOW + 60_000)
    expect(retryAt(policy, 'serverError', 1, NOW, NOW + 10)).toBe(NOW + 1_000)
  })
})

describe('retryPolicy', () => {
  it('has a default for what is not said', () => {
    const { retries, delaySeconds, maxDelaySeconds } = retryPolicy({ retries: { network: 7 } })
    expect(retries).toEqual({ rateLimited: 5, serverError: 2, network: 7, tooSlow: 1, robots: 2, blocked: 3 })
    expect(delaySeconds.rateLimited).toBe(30)
    expect(maxDelaySeconds).toBe(3_600)
  })
})

describe('failureClass', () => {
  const base = { url: 'http://a.test/', timings: { startedAt: NOW, totalMs: 1 }, detail: '' }
  const response = { status: 1, headers: [], requestHeaders: [], address: '', protocol: '' }

  it.each<[FetchOutcome, string | undefined]>([
    [{ kind: 'rate-limited', ...base, response }, 'rateLimited'],
    [{ kind: 'server-error', ...base, response }, 'serverError'],
    [{ kind: 'too-slow', ...base }, 'tooSlow'],
    [{ kind: 'network-failure', ...base, cause: 'reset' }, 'network'],
    [{ kind: 'blocked', ...base }, 'network'],
    [{ kind: 'network-failure', ...base, cause: 'aborted' }, undefined],
    [{ kind: 'not-found', ...base, response }, undefined],
    [{ kind: 'gone', ...base, response }, undefined],
    [{ kind: 'access-denied', ...base, response }, undefined],
    [{ kind: 'refused', ...base, cause: 'address' }, undefined],
    [{ kind: 'too-large', ...base, cause: 'bomb' }, undefined],
  ])('is told by the kind of the outcome: %o', (outcome, expected) => {
    expect(failureClass(outcome)).toBe(expected)
  })
})

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
