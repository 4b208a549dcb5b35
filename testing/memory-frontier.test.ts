import { describe, expect, it } from 'vitest'
import { FakeClock } from './fake-clock.ts'
import { frontierContract } from './frontier-contract.ts'
import { MemoryFrontier } from './memory-frontier.ts'

frontierContract(
  'MemoryFrontier',
  async (clock, options) => {
    const frontier = new MemoryFrontier(clock, options)
    return { frontier, items: frontier, deadLetters: frontier, close: () => frontier.close() }
  },
  { runs: 500, persists: false },
)

describe('MemoryFrontier', () => {
  it.each(['hosts', 'priority'] as const)(
    'hands out a hundred thousand requests in small leases, in the order %s',
    async (order) => {
      const clock = new FakeClock()
      const frontier = new MemoryFrontier(clock, { order })
      const requests = Array.from({ length: 100_000 }, (_, i) => ({
        url: `http://h${i % 50}.test/${i}`,
        handler: 'parse',
        depth: 0,
        priority: i % 7,
      }))
      await frontier.add(requests)
      let handedOut = 0
      for (let round = 0; round < 1000; round++) {
        const leases = await frontier.lease({ requests: 100, perHost: 1000, now: clock.now() })
        const leased = leases.flatMap((host) => host.requests)
        handedOut += leased.length
        await frontier.settle(
          leased.map(({ id }) => ({ id, end: { kind: 'done' }, requests: [], items: [], rejected: [] })),
        )
      }
      expect(handedOut).toBe(100_000)
    },
  )
})
