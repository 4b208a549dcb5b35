import fc from 'fast-check'
import { beforeEach, describe, expect, it } from 'vitest'
import { FakeClock } from '../../../testing/fake-clock.ts'
import { HostQueues, type HostQueuesOptions } from './host-queues.ts'
import type { Taken } from './ticket.ts'

let clock: FakeClock
let queues: HostQueues<string>

beforeEach(() => {
  clock = new FakeClock()
  queues = new HostQueues(clock)
})

function queuesWith(options: HostQueuesOptions): HostQueues<string> {
  return new HostQueues(clock, options)
}

function taken(from = queues): Taken<string> {
  const next = from.take()
  return next.kind === 'taken' ? next : expect.fail(`had to wait until ${next.until}`)
}

function takeAll(from = queues): string[] {
  const items: string[] = []
  for (let next = from.take(); next.kind === 'taken'; next = from.take()) {
    items.push(next.item)
    from.release(next, { kind: 'not-sent' })
  }
  return items
}

describe('one host', () => {
  it('returns its items by priority, and equal priorities in order of arrival', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 5 }), { maxLength: 80, size: 'max' }), (priorities) => {
        const fresh = queuesWith({})
        for (const [i, priority] of priorities.entries()) fresh.add('a', `${i}`, priority)
        const order = [...priorities.keys()].sort(
          (x, y) => (priorities[y] ?? 0) - (priorities[x] ?? 0) || x - y,
        )
        expect(takeAll(fresh)).toEqual(order.map(String))
      }),
      { numRuns: 50 },
    )
  })

  it('holds a hundred thousand equal items without recursion and in order', () => {
    for (let i = 0; i < 100_000; i++) queues.add('a', `${i}`)
    const items = queues.drain('a', 'test')?.items
    expect([items?.length, items?.[0], items?.at(-1)]).toEqual([100_000, '0', '99999'])
  })

  it('is delayed from the end of the response, and returns the end of the delay', () => {
    queues.add('a', '1')
    queues.add('a', '2')
    const first = taken()
    expect(queues.take()).toEqual({ kind: 'wait', until: undefined })
    clock.advance(700)
    queues.release(first, { kind: 'success' })
    expect(queues.take()).toEqual({ kind: 'wait', until: clock.now() + 1_000 })
    clock.advance(1_000)
    expect(taken().item).toBe('2')
  })

  it('is delayed even if its queue was empty when the delay started', () => {
    queues.add('a', '1')
    queues.release(taken(), { kind: 'success' })
    for (let i = 0; i < 10; i++) queues.delayUntil(`other-${i}`, clock.now())
    queues.add('a', '2')
    expect(queues.take()).toEqual({ kind: 'wait', until: clock.now() + 1_000 })
  })

  it('may have maxInFlight requests at once, and the next one minDelayMs after each end', () => {
    queues = queuesWith({ maxInFlight: 2, minDelayMs: 300 })
    for (const item of ['1', '2', '3', '4']) queues.add('a', item)
    const [first] = [taken(), taken()]
    expect(queues.take()).toEqual({ kind: 'wait', until: undefined })
    queues.release(first, { kind: 'success' })
    expect(queues.take()).toEqual({ kind: 'wait', until: clock.now() + 300 })
    clock.advance(300)
    expect(taken().item).toBe('3')
    expect(queues.take()).toEqual({ kind: 'wait', until: undefined })
  })

  it('starts requests delayMs apart when several may be in flight', () => {
    queues = queuesWith({ maxInFlight: 2, delayMs: 5_000 })
    for (const item of ['1', '2', '3']) queues.add('a', item)
    const first = taken()
    expect(queues.take()).toEqual({ kind: 'wait', until: clock.now() + 5_000 })
    clock.advance(5_000)
    expect(taken().item).toBe('2')
    clock.advance(5_000)
    expect(queues.take()).toEqual({ kind: 'wait', until: undefined })
    queues.release(first, { kind: 'success' })
    expect(taken().item).toBe('3')
  })

  it('has no delay between starts after a request that was not sent', () => {
    queues = queuesWith({ maxInFlight: 2, delayMs: 5_000 })
    for (const item of ['1', '2']) queues.add('a', item)
    queues.release(taken(), { kind: 'not-sent' })
    expect(taken().item).toBe('2')
  })

  it('returns a requeued item again, after items of equal priority', () => {
    for (const item of ['1', '2']) queues.add('a', item)
    queues.requeue(taken())
    expect(takeAll()).toEqual(['2', '1'])
  })

  it('can have its own options', () => {
    queues = queuesWith({ overrides: (key) => (key === 'own' ? { delayMs: 0 } : undefined) })
    for (const item of ['1', '2']) queues.add('own', item)
    queues.release(taken(), { kind: 'success' })
    expect(taken().item).toBe('2')
  })

  it('returns all items with the reason after too many failures, and rejects items while it is parked', () => {
    queues = queuesWith({ maxFailures: 2, backoffMs: 0, delayMs: 0, parkMs: 60_000 })
    for (const item of ['1', '2', '3', '4']) queues.add('a', item)
    expect(queues.release(taken(), { kind: 'failure' })).toBeUndefined()
    const until = clock.now() + 60_000
    expect(queues.requeue(taken(), { kind: 'failure' })).toEqual({
      key: 'a',
      reason: 'too-many-failures',
      items: ['3', '4', '2'],
    })
    expect(queues.add('a', '5')).toEqual({ ok: false, reason: 'parked', why: 'too-many-failures', until })
    clock.advance(60_000)
    expect(queues.add('a', '5')).toEqual({ ok: true })
  })
})

describe('many hosts', () => {
  it('come in the order in which they became ready', () => {
    for (const key of ['a', 'b', 'c']) {
      for (const n of [1, 2]) queues.add(key, `${key}${n}`)
      clock.advance(1)
    }
    const items: string[] = []
    for (let i = 0; i < 6; i++) {
      const next = queues.take()
      if (next.kind === 'wait') clock.advance((next.until ?? 0) - clock.now())
      const item = next.kind === 'taken' ? next : taken()
      items.push(item.item)
      clock.advance(1)
      queues.release(item, { kind: 'success' })
    }
    expect(items).toEqual(['a1', 'b1', 'c1', 'a2', 'b2', 'c2'])
  })

  it('do not starve because of a host with many requests in flight', () => {
    queues = queuesWith({ overrides: (key) => (key === 'wide' ? { maxInFlight: 9, delayMs: 0 } : undefined) })
    for (const n of [1, 2, 3]) queues.add('wide', `wide${n}`)
    clock.advance(1)
    queues.add('a', 'a1')
    clock.advance(1)
    expect([taken().item, taken().item, taken().item]).toEqual(['wide1', 'a1', 'wide2'])
  })

  it('share one limit of items, including those in flight', () => {
    queues = queuesWith({ maxItems: 2 })
    for (const key of ['a', 'b']) queues.add(key, key)
    const first = taken()
    expect(queues.add('c', 'c')).toEqual({ ok: false, reason: 'full' })
    queues.release(first, { kind: 'success' })
    expect(queues.add('c', 'c')).toEqual({ ok: true })
  })

  it('are drained with the reason, except items in flight', () => {
    for (const key of ['a', 'b']) for (const n of [1, 2]) queues.add(key, `${key}${n}`)
    const first = taken()
    const left = queues.drainAll('time-limit').flatMap(({ key, reason, items }) => [key, reason, ...items])
    const expected = { a: ['a2', 'b1', 'b2'], b: ['a1', 'a2', 'b2'] }[first.key]
    expect(left.filter((word) => /\d/.test(word)).sort()).toEqual(expected)
    expect(left.filter((word) => word === 'time-limit')).toHaveLength(2)
    expect(queues.release(first, { kind: 'success' })).toBeUndefined()
  })

  it('are counted for the status line', () => {
    queues.add('busy', '1')
    taken()
    for (const key of ['ready', 'delayed', 'parked']) queues.add(key, key)
    queues.delayUntil('delayed', clock.now() + 9)
    queues.park('parked', clock.now() + 9, 'test')
    queues.delayUntil('idle', clock.now() + 9)
    const counts = { queues: 3, queued: 2, inFlight: 1, delayed: 1, parked: 1, idle: 1 }
    expect(queues.counts()).toEqual(counts)
    clock.advance(9)
    expect(queues.counts()).toEqual({ ...counts, delayed: 0, parked: 0, idle: 2 })
  })

  it('are deleted when they have no state to keep, for any number of hosts', () => {
    for (let i = 0; i < 10_000; i++) {
      queues.add(`host-${i}`, 'x')
      queues.release(taken(), { kind: 'success' })
      clock.advance(100)
    }
    // One second of delay and 30 s for robots.txt at ten hosts per second, and the few that no new host has deleted yet.
    expect(queues.counts().idle).toBeLessThan(330)
  })

  it('are not deleted before their robots.txt can request a longer delay', () => {
    queues.add('a', 'robots.txt')
    queues.release(taken(), { kind: 'success' })
    clock.advance(1_500)
    // A new host, which deletes expired hosts.
    queues.add('b', 'x')
    queues.setCrawlDelay('a', 10_000)
    queues.add('a', 'page')
    queues.release(taken(), { kind: 'success' })
    clock.advance(8_499)
    expect(queues.take()).toMatchObject({ kind: 'wait' })
    clock.advance(1)
    expect(taken().item).toBe('page')
  })

  it('are kept for keepStateMs after a failure', () => {
    queues = queuesWith({ keepStateMs: 60_000 })
    queues.add('a', '1')
    queues.release(taken(), { kind: 'failure' })
    clock.advance(5_000 + 59_999)
    expect(queues.snapshot()).toMatchObject([{ key: 'a', failures: 1 }])
    clock.advance(1)
    expect(queues.snapshot()).toEqual([])
  })
})

describe('a restart', () => {
  it('shortens no delay', () => {
    const history = fc.record({
      outcomes: fc.array(fc.constantFrom('success', 'failure', 'rate-limited'), { maxLength: 4 }),
      crawlDelayMs: fc.nat(20_000),
      inFlight: fc.boolean(),
      pauseMs: fc.nat(3_000),
    })
    fc.assert(
      fc.property(history, ({ outcomes, crawlDelayMs, inFlight, pauseMs }) => {
        const before = queuesWith({ maxFailures: 9 })
        before.setCrawlDelay('a', crawlDelayMs)
        for (const kind of outcomes) {
          before.add('a', 'x')
          let next = before.take()
          if (next.kind === 'wait') clock.advance((next.until ?? 0) - clock.now())
          next = next.kind === 'taken' ? next : taken(before)
          before.release(next, { kind } as { kind: 'success' | 'failure' | 'rate-limited' })
        }
        before.add('a', 'last')
        const due = before.take()
        const dueAt = due.kind === 'wait' ? (due.until ?? 0) : clock.now()
        if (due.kind === 'taken' && !inFlight) before.requeue(due)
        const saved = JSON.stringify(before.snapshot())
        clock.advance(pauseMs)
        const after = queuesWith({ maxFailures: 9 })
        after.restore(JSON.parse(saved))
        after.add('a', 'again')
        const next = after.take()
        const nextAt = next.kind === 'wait' ? (next.until ?? 0) : clock.now()
        expect(nextAt).toBeGreaterThanOrEqual(dueAt)
        if (due.kind === 'taken' && inFlight)
          expect(nextAt).toBeGreaterThanOrEqual(clock.now() - pauseMs + Math.max(1_000, crawlDelayMs))
      }),
    )
  })

  it('keeps a host parked', () => {
    queues.park('a', clock.now() + 60_000, 'legal notice')
    const after = queuesWith({})
    after.restore(JSON.parse(JSON.stringify(queues.snapshot())))
    expect(after.add('a', '1')).toMatchObject({ ok: false, why: 'legal notice' })
  })
})

describe('an error', () => {
  it('is a second release', () => {
    queues.add('a', '1')
    const first = taken()
    queues.release(first, { kind: 'success' })
    expect(() => queues.release(first, { kind: 'success' })).toThrow('released twice')
    expect(() => queues.requeue(first)).toThrow('released twice')
  })

  it('is a release of an item that was not taken', () => {
    const forged: Taken<string> = { kind: 'taken', key: 'a', item: '1', priority: 0 }
    expect(() => queues.release(forged, { kind: 'success' })).toThrow('no such item')
  })

  it('is a release of an item of other queues', () => {
    const others = queuesWith({})
    others.add('b', '1')
    queues.add('a', '1')
    taken()
    expect(() => queues.release(taken(others), { kind: 'success' })).toThrow('no such item')
  })

  it('is a priority that is not a number', () => {
    expect(() => queues.add('a', '1', Number.NaN)).toThrow(RangeError)
  })
})

it('uses the latest time if the clock goes back', () => {
  for (const item of ['1', '2']) queues.add('a', item)
  const first = taken()
  const until = clock.now() + 1_000
  clock.advance(-600_000)
  queues.release(first, { kind: 'success' })
  expect(queues.take()).toEqual({ kind: 'wait', until })
  clock.advance(600_999)
  expect(queues.take()).toEqual({ kind: 'wait', until })
})
