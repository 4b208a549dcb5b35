import { beforeEach, describe, expect, it } from 'vitest'
import { LeapClock } from '../../../testing/leap-clock.ts'
import { MemoryFrontier } from '../../../testing/memory-frontier.ts'
import type { LeaseOptions } from '../../domain/frontier/frontier.ts'
import type { Settlement } from '../../domain/frontier/settlement.ts'
import { RequestSupply } from './request-supply.ts'

let clock: LeapClock
let frontier: MemoryFrontier
let leases: LeaseOptions[]
let supply: RequestSupply
beforeEach(() => {
  build(20, false)
})

function build(depth: number, strict: boolean): void {
  clock = new LeapClock()
  frontier = new MemoryFrontier(clock)
  leases = []
  const lease = frontier.lease.bind(frontier)
  frontier.lease = (options) => {
    leases.push(options)
    return lease(options)
  }
  supply = new RequestSupply(clock, frontier, { depth, strict })
}

function requests(count: number, hosts = 1) {
  return Array.from({ length: count }, (_, i) => ({
    url: `http://h${i % hosts}.test/${i}`,
    handler: 'parse',
    depth: 0,
  }))
}

function ended(id: string): Settlement {
  return { id, end: { kind: 'done' }, requests: [], items: [], rejected: [] }
}

/** Whether a promise is fulfilled already. */
async function isFulfilled(promise: Promise<unknown>): Promise<boolean> {
  let fulfilled = false
  void promise.then(() => {
    fulfilled = true
  })
  await Promise.resolve()
  await Promise.resolve()
  return fulfilled
}

describe('take', () => {
  it('takes at most depth requests, and counts them', async () => {
    await frontier.add(requests(50))
    expect(await supply.take(100)).toHaveLength(20)
    expect(supply.underWay).toBe(20)
    expect(await supply.take(100)).toEqual([])
  })

  it('takes at most max requests', async () => {
    await frontier.add(requests(50))
    expect(await supply.take(3)).toHaveLength(3)
    expect(await supply.take(0)).toEqual([])
    expect(await supply.take(-1)).toEqual([])
  })

  it('leases again when half of its requests are settled', async () => {
    await frontier.add(requests(50))
    const taken = await supply.take(100)
    await frontier.settle(taken.map(({ leased }) => ended(leased.id)))
    for (let i = 0; i < 9; i++) supply.ended()
    expect(await supply.take(100)).toEqual([])
    supply.ended()
    expect(await supply.take(100)).toHaveLength(10)
  })

  it('does not lease again from an empty frontier until requests may be available', async () => {
    expect(await supply.take(10)).toEqual([])
    expect(await supply.take(10)).toEqual([])
    expect(leases).toHaveLength(1)
    await frontier.add(requests(1))
    supply.mayHaveMore()
    expect(await supply.take(10)).toHaveLength(1)
  })

  it('announces a change when a delayed request is due', async () => {
    const [request] = requests(1)
    await frontier.add([
      { ...request, url: 'http://a.test/', handler: 'x', depth: 0, notBefore: clock.now() + 5_000.5 },
    ])
    expect(await supply.take(10)).toEqual([])
    const change = supply.change()
    clock.advance(5_000)
    expect(await isFulfilled(change)).toBe(false)
    clock.advance(1)
    expect(await isFulfilled(change)).toBe(true)
    expect(await supply.take(10)).toHaveLength(1)
  })

  it('takes one request per host at a time in strict order', async () => {
    build(4, true)
    await frontier.add(requests(10, 2))
    const taken = await supply.take(100)
    expect(taken.map(({ host }) => host).sort()).toEqual(['h0.test', 'h1.test'])
    expect(await supply.take(100)).toEqual([])
    await frontier.settle([ended(taken[0]?.leased.id ?? '')])
    supply.ended()
    expect((await supply.take(100)).map(({ host }) => host)).toEqual([taken[0]?.host])
  })
})

describe('change', () => {
  it('is fulfilled by ended and by mayHaveMore', async () => {
    await frontier.add(requests(1))
    await supply.take(1)
    const first = supply.change()
    expect(await isFulfilled(first)).toBe(false)
    supply.ended()
    expect(await isFulfilled(first)).toBe(true)
    const second = supply.change()
    supply.mayHaveMore()
    expect(await isFulfilled(second)).toBe(true)
  })
})

describe('room', () => {
  it('waits while more than twice the depth is ready', async () => {
    await frontier.add(requests(60))
    let welcome = false
    const room = supply.room().then(() => {
      welcome = true
    })
    await supply.take(20)
    supply.mayHaveMore()
    await room
    expect(welcome).toBe(true)
    await frontier.add(requests(200).slice(60))
    expect(await isFulfilled(supply.room())).toBe(false)
  })
})

describe('close', () => {
  it('cancels the timer', async () => {
    await frontier.add([{ url: 'http://a.test/', handler: 'x', depth: 0, notBefore: clock.now() + 5_000 }])
    await supply.left()
    expect(clock.timers).toBe(1)
    supply.close()
    expect(clock.timers).toBe(0)
  })
})

describe('takeUnstored', () => {
  const settlement = { ...ended('a'), requests: requests(1) }
  let given: LeaseOptions[]
  beforeEach(() => {
    given = []
    Object.assign(frontier, {
      leaseUnstored(_: readonly Settlement[], options: LeaseOptions) {
        given.push(options)
        const [request] = settlement.requests
        return [{ host: 'h0.test', requests: [{ id: 'b', request, attempt: 1, rank: 0 }] }]
      },
    })
  })

  it('takes requests that are not stored, and counts them', async () => {
    await supply.take(100)
    expect(supply.takeUnstored([settlement], 5)).toMatchObject([{ host: 'h0.test', leased: { id: 'b' } }])
    expect(given).toMatchObject([{ requests: 5 }])
    expect(supply.underWay).toBe(1)
  })

  it('takes none while the frontier may have others', async () => {
    await supply.take(100)
    supply.settled(undefined)
    expect(supply.takeUnstored([settlement], 5)).toBeUndefined()
    await supply.take(100)
    supply.settled(0)
    expect(supply.takeUnstored([settlement], 5)).toHaveLength(1)
  })

  it('takes none from a frontier that cannot', async () => {
    Object.assign(frontier, { leaseUnstored: undefined })
    await supply.take(100)
    expect(supply.takeUnstored([settlement], 5)).toBeUndefined()
  })
})
