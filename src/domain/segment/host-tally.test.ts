import { expect, it } from 'vitest'
import { HostTally } from './host-tally.ts'

it('names the slowest and the most failing hosts', () => {
  const tally = new HostTally()
  for (const ms of [100, 300]) tally.add('a.test', ms, undefined)
  tally.add('a.test', undefined, 'connect-refused')
  tally.add('b.test', 50, 'HTTP 500')
  tally.add('b.test', 50, 'HTTP 503')
  tally.add('down.test', undefined, 'dns-not-found')
  expect(tally.figures()).toEqual({
    count: 3,
    slowest: [
      { host: 'a.test', requests: 3, averageMs: 200 },
      { host: 'b.test', requests: 2, averageMs: 50 },
    ],
    failing: [
      { host: 'b.test', requests: 2, failed: 2, lastFailure: 'HTTP 503' },
      { host: 'a.test', requests: 3, failed: 1, lastFailure: 'connect-refused' },
      { host: 'down.test', requests: 1, failed: 1, lastFailure: 'dns-not-found' },
    ],
  })
})

it('is bounded', () => {
  const tally = new HostTally()
  for (let i = 0; i < 10_050; i++) tally.add(`${i}.test`, i, 'tls')
  const { count, slowest, failing } = tally.figures()
  expect({ count, slowest: slowest.length, failing: failing.length }).toEqual({
    ...{ count: 10_000, slowest: 10, failing: 10 },
  })
})
