import { expect, it } from 'vitest'
import type { FetchResult } from './fetch-result.ts'
import { RoundHistory } from './round-history.ts'

const RESULT: FetchResult = {
  ...{ segment: 's1', complete: true, statuses: { fetch_success: 24, fetch_redir_temp: 4 } },
  ...{ protocolStatuses: {}, notReached: {}, failures: [], bytes: 0, durationMs: 1 },
}

it('counts the URLs of the fetch list, not the redirect targets', () => {
  const recorded = new Map([['s1', 7]])
  const history = new RoundHistory(
    () => 1_000,
    () => ({ fetchedOf: (segment) => recorded.get(segment) }),
  )
  history.add({ kind: 'generated', segment: 's1', urls: 25, round: 1 })
  expect(history.rounds()).toEqual([{ round: 1, segment: 's1', urls: 25, fetched: 7, startedAt: 1_000 }])
  expect(history.left).toBe(18)
  history.add({ kind: 'fetched', result: { ...RESULT, redirectTargets: 4 } })
  expect(history.rounds()).toMatchObject([{ urls: 25, fetched: 24, endedAt: 1_000 }])
  expect(history.left).toBe(0)
})

it('never counts more URLs than a list has, as the rows of a fleet include redirect targets', () => {
  const history = new RoundHistory(
    () => 1_000,
    () => undefined,
  )
  history.add({ kind: 'generated', segment: 's1', urls: 24, round: 1 })
  history.add({ kind: 'fetched', result: RESULT })
  expect(history.rounds()).toMatchObject([{ urls: 24, fetched: 24 }])
})
