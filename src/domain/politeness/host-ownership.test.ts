import { expect, it } from 'vitest'
import { LeapClock } from '../../../testing/leap-clock.ts'
import type { FetchOutcome } from '../fetch/fetch-outcome.ts'
import type { FetchSlots } from './fetch-slots.ts'
import { fetchOnClaim, type HostClaim, type HostOwnership } from './host-ownership.ts'
import type { HostState } from './host-throttle.ts'

const THROTTLE: HostState = { key: 'b.test', readyAt: 5, failures: 1, crawlDelayMs: 0, latencyMs: 0 }
const request = { url: 'http://b.test/robots.txt' }
const response: FetchOutcome = {
  kind: 'network-failure',
  url: request.url,
  timings: { startedAt: 0, totalMs: 1 },
  cause: 'reset',
  detail: '',
}

/** What happened, in order. @param claims what each claim gets */
function lab(holds: boolean, claims: Array<HostClaim | undefined> = []) {
  const log: string[] = []
  const clock = new LeapClock()
  const fleet: HostOwnership = {
    holds: () => holds,
    async claim(host) {
      log.push(`claim ${host}`)
      return claims.length > 1 ? claims.shift() : claims[0]
    },
    async release({ host }, throttle) {
      log.push(`release ${host} ${throttle?.failures}`)
    },
  }
  const slots: Pick<FetchSlots, 'fetchRobots' | 'restore' | 'stateOf'> = {
    async fetchRobots({ url }) {
      log.push(`fetch ${url}`)
      return response
    },
    restore: ([state] = [] as never) => void log.push(`restore ${(state as HostState | undefined)?.key}`),
    stateOf: () => ({ ...THROTTLE, failures: 2 }),
  }
  const work = fetchOnClaim(fleet, clock, slots as FetchSlots, 'b.test', request)
  return { log, outcome: () => clock.run(work) }
}

it('sends the request at once to a host that the worker owns', async () => {
  const { log, outcome } = lab(true)
  expect(await outcome()).toBe(response)
  expect(log).toEqual(['fetch http://b.test/robots.txt'])
})

it('claims a free host with its stored throttle state, and releases it with the new one', async () => {
  const { log, outcome } = lab(false, [{ host: 'b.test', throttle: THROTTLE }])
  await outcome()
  expect(log).toEqual([
    'claim b.test',
    'restore b.test',
    'fetch http://b.test/robots.txt',
    'release b.test 2',
  ])
})

it('waits for a host that another worker owns', async () => {
  const { log, outcome } = lab(false, [undefined, undefined, { host: 'b.test', throttle: undefined }])
  expect(await outcome()).toBe(response)
  expect(log.filter((step) => step === 'claim b.test')).toHaveLength(3)
})

it('does not wait forever', async () => {
  const { outcome } = lab(false, [undefined])
  expect(await outcome()).toMatchObject({ kind: 'blocked', detail: 'another worker has b.test' })
})
