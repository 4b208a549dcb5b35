import { beforeEach, describe, expect, it } from 'vitest'
import { LeapClock, quiet } from '../../../testing/leap-clock.ts'
import type { Frontier, Settled } from '../../domain/frontier/frontier.ts'
import type { Settlement } from '../../domain/frontier/settlement.ts'
import { KnownRequests } from './known-requests.ts'
import { Settler } from './settler.ts'
import { StatsCounter } from './spider-stats.ts'

/** A frontier that stores when it is told to. */
class SlowFrontier implements Pick<Frontier, 'settle'> {
  readonly batches: string[][] = []
  readonly #waiting: PromiseWithResolvers<Settled>[] = []

  settle(settlements: readonly Settlement[]): Promise<Settled> {
    this.batches.push(settlements.map(({ id }) => id))
    const waiting = Promise.withResolvers<Settled>()
    this.#waiting.push(waiting)
    return waiting.promise
  }

  async stored(): Promise<void> {
    this.#waiting.shift()?.resolve({ added: 0, duplicates: 2, ignored: 0 })
    await quiet()
  }

  async broken(): Promise<void> {
    this.#waiting.shift()?.reject(new Error('the disk is full'))
    await quiet()
  }
}

let clock: LeapClock
let frontier: SlowFrontier
let stats: StatsCounter
let settled: number
let failures: unknown[]
let settler: Settler
let known: KnownRequests
beforeEach(() => {
  clock = new LeapClock()
  frontier = new SlowFrontier()
  stats = new StatsCounter()
  settled = 0
  failures = []
  known = new KnownRequests()
  settler = new Settler(frontier as unknown as Frontier, clock, stats, {
    everyMs: 1_600,
    maxWaiting: 5,
    onSettled: () => settled++,
    onFailed: (error) => failures.push(error),
    known,
  })
})

function settlement(id: string, items = 0): Settlement {
  return {
    id,
    end: { kind: 'done' },
    requests: [],
    items: Array.from({ length: items }, () => ({})),
    rejected: [{ item: {}, reason: '' }],
  }
}

describe('Settler', () => {
  it('waits for the given time, and before the first batch for a quarter of it', async () => {
    for (const [i, ms] of [400, 1_600, 1_600].entries()) {
      settler.add(settlement(String(i)), 'a.test')
      clock.advance(ms - 1)
      expect(frontier.batches).toHaveLength(i)
      clock.advance(1)
      expect(frontier.batches).toHaveLength(i + 1)
      await frontier.stored()
    }
  })

  it('settles what waits together, when it is time', async () => {
    settler.add(settlement('a', 1), 'a.test')
    clock.advance(399)
    settler.add(settlement('b'), 'a.test')
    expect(frontier.batches).toEqual([])
    clock.advance(1)
    expect(frontier.batches).toEqual([['a', 'b']])
    expect([stats.items, settled]).toEqual([0, 0])
    await frontier.stored()
    expect([stats.items, stats.rejected, stats.duplicates, settled]).toEqual([1, 2, 2, 1])
    expect(clock.timers).toBe(0)
  })

  it('tells at once which requests are on their way into the frontier', () => {
    const url = 'http://a.test/x'
    settler.add({ ...settlement('a'), requests: [{ url, handler: 'parse', depth: 1 }] }, 'a.test')
    expect(known.has(url, {})).toBe(true)
  })

  it('does not wait when a lot came in', () => {
    settler.add(settlement('a', 3), 'a.test')
    expect(frontier.batches).toEqual([])
    settler.add(settlement('b'), 'a.test')
    expect(frontier.batches).toEqual([['a', 'b']])
  })

  it('stores one batch after the other', async () => {
    settler.add(settlement('a'), 'a.test')
    const first = settler.flush()
    settler.add(settlement('b'), 'a.test')
    const second = settler.flush()
    expect(frontier.batches).toEqual([['a']])
    await frontier.stored()
    await first
    expect(frontier.batches).toEqual([['a'], ['b']])
    await frontier.stored()
    await second
    expect(settler.waiting).toBe(0)
  })

  it('returns each settlement that is not being stored once', async () => {
    const ids = () => settler.takeNew().map(({ id }) => id)
    settler.add(settlement('a'), 'a.test')
    settler.add(settlement('b'), 'a.test')
    expect(ids()).toEqual(['a', 'b'])
    settler.add(settlement('c'), 'a.test')
    expect(ids()).toEqual(['c'])
    settler.add(settlement('d'), 'a.test')
    void settler.flush()
    settler.add(settlement('e'), 'a.test')
    expect(ids()).toEqual(['e'])
    expect(settler.waiting).toBe(1)
  })

  it('fulfils a flush only when all that was added before it has taken effect', async () => {
    settler.add(settlement('a'), 'a.test')
    void settler.flush()
    settler.add(settlement('b'), 'a.test')
    const fulfilled: number[] = []
    for (const n of [1, 2, 3]) void settler.flush().then(() => fulfilled.push(n))
    await frontier.stored()
    expect(frontier.batches).toEqual([['a'], ['b']])
    expect(fulfilled).toEqual([])
    await frontier.stored()
    expect(fulfilled).toEqual([1, 2, 3])
  })

  it('has nothing to do without settlements', async () => {
    await settler.flush()
    expect(frontier.batches).toEqual([])
  })

  it('fails for ever when the frontier failed, and tells so at once', async () => {
    settler.add(settlement('a', 9), 'a.test')
    await frontier.broken()
    expect(failures).toMatchObject([{ message: 'the disk is full' }])
    await expect(settler.flush()).rejects.toThrow('the disk is full')
    settler.add(settlement('b'), 'a.test')
    await expect(settler.flush()).rejects.toThrow('the disk is full')
    expect(frontier.batches).toHaveLength(1)
    expect([stats.items, settled]).toEqual([0, 0])
  })
})
