import { describe, expect, it } from 'vitest'
import { FailureTally, failureKind } from './fetch-failure.ts'
import type { FetchRow } from './segment-rows.ts'

function row(more: Partial<FetchRow>): FetchRow {
  return { url: 'http://a.test/', status: 'fetch_retry', protocolStatus: 'EXCEPTION', fetchedAt: 0, ...more }
}

describe('failureKind', () => {
  it.each<[Partial<FetchRow>, string | undefined]>([
    [{ status: 'fetch_success' }, undefined],
    [{ status: 'fetch_notmodified' }, undefined],
    [{ status: 'fetch_redir_perm', redirectTo: 'http://a.test/2' }, undefined],
    [{ status: 'fetch_redir_perm', dropped: { scope: 1 } }, 'redirect not followed (scope)'],
    [{ reason: 'connect-refused: 127.0.0.1:80' }, 'connect-refused'],
    [
      { reason: 'robots.txt could not be fetched (network-failure: dns-not-found); fetched again after 1' },
      'dns-not-found',
    ],
    [{ reason: 'robots.txt could not be fetched (too-slow); next attempt after 1' }, 'too-slow'],
    [{ reason: 'robots.txt returned 503; fetched again after 1' }, 'HTTP 503 for robots.txt'],
    [
      { status: 'fetch_gone', protocolStatus: 'ROBOTS_DENIED', reason: 'robots.txt: line 2: Disallow: /' },
      'robots.txt disallows',
    ],
    [{ status: 'fetch_gone', httpStatus: 403, reason: 'HTTP 403' }, 'HTTP 403'],
    [{ status: 'not_reached', reason: 'time limit' }, 'time limit'],
    [{}, 'EXCEPTION'],
  ])('of %o is %s', (more, kind) => {
    expect(failureKind(row(more))).toBe(kind)
  })
})

it('FailureTally counts by kind, keeps the first of each, and gives the most frequent first', () => {
  const tally = new FailureTally()
  tally.add(row({ reason: 'tls: expired' }))
  tally.add(row({ httpStatus: 404, reason: 'HTTP 404', url: 'http://a.test/1' }))
  tally.add(row({ httpStatus: 404, reason: 'HTTP 404', url: 'http://a.test/2' }), 2)
  tally.add(row({ status: 'fetch_success' }))
  const failures = [
    {
      ...{ kind: 'HTTP 404', count: 3, url: 'http://a.test/1', reason: 'HTTP 404' },
      more: [{ url: 'http://a.test/2', reason: 'HTTP 404' }],
    },
    { kind: 'tls', count: 1, url: 'http://a.test/', reason: 'tls: expired' },
  ]
  expect(tally.failures()).toEqual(failures)
  tally.addAll(failures)
  expect(tally.failures().map(({ count }) => count)).toEqual([6, 2])
})

it('FailureTally keeps at most five examples of a kind', () => {
  const tally = new FailureTally()
  for (let i = 0; i < 9; i++) tally.add(row({ reason: 'tls: expired', url: `http://a.test/${i}` }))
  tally.addAll(tally.failures())
  const [{ count, url, more } = { count: 0, url: '', more: [] }] = tally.failures()
  expect({ count, url }).toEqual({ count: 18, url: 'http://a.test/0' })
  expect(more?.map((example) => example.url)).toEqual([1, 2, 3, 4].map((i) => `http://a.test/${i}`))
})
