import { beforeEach, expect, it } from 'vitest'
import {
  LocalPageBudget,
  type PageBudget,
  type Reservation,
  type ReservationChange,
} from '../../domain/frontier/page-budget.ts'
import { PagePermits } from './page-permits.ts'

/** A local budget that other workers may use, too, and whose reservations can be lost. */
class TestBudget implements PageBudget {
  readonly calls: ReservationChange[] = []
  readonly #budget: PageBudget
  isLost = false
  failure: Error | undefined

  constructor(limit: number) {
    this.#budget = new LocalPageBudget(limit)
  }

  async reserve(change: ReservationChange): Promise<Reservation> {
    this.calls.push(change)
    await Promise.resolve()
    if (this.failure !== undefined) throw this.failure
    if (!this.isLost) return this.#budget.reserve(change)
    this.isLost = false
    return { ...(await this.#budget.reserve({ ...change, kept: 0, wanted: 0 })), isLost: true }
  }
}

let reached = 0
let failures: unknown[] = []
let budget: TestBudget

beforeEach(() => {
  reached = 0
  failures = []
})

function permitsOf(limit: number): PagePermits {
  budget = new TestBudget(limit)
  return new PagePermits(
    budget,
    () => reached++,
    (error) => failures.push(error),
  )
}

const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

/** Requests that have their permits by now. */
async function granted(waiting: readonly Promise<boolean>[]): Promise<number> {
  let n = 0
  for (const one of waiting) void one.then((isGranted) => isGranted && n++)
  await settled()
  return n
}

it('grants one permit for each page that the limit allows', async () => {
  const permits = permitsOf(3)
  const waiting = ['a', 'b', 'c', 'd', 'e'].map((id) => permits.take(id))
  expect(await granted(waiting)).toBe(3)
})

it('grants the permit of a request without a page to another one', async () => {
  const permits = permitsOf(1)
  expect(await permits.take('a')).toBe(true)
  const second = permits.take('b')
  expect(await granted([second])).toBe(0)
  expect(permits.ended('a')).toBe(true)
  expect(await second).toBe(true)
})

it('reports pages, and that the limit is reached', async () => {
  const permits = permitsOf(2)
  await Promise.all(['a', 'b'].map((id) => permits.take(id)))
  permits.spend('a')
  permits.ended('a')
  expect(permits.left).toBe(1)
  await permits.refresh()
  expect([permits.left, reached]).toEqual([1, 0])
  permits.spend('b')
  permits.ended('b')
  expect(permits.left).toBe(0)
  await permits.refresh()
  expect(reached).toBe(1)
  expect(budget.calls.reduce((sum, { pages }) => sum + pages, 0)).toBe(2)
})

it('includes pages that end during a call in the next call', async () => {
  const permits = permitsOf(5)
  await permits.take('a')
  await settled()
  const report = permits.refresh()
  permits.spend('a')
  permits.ended('a')
  await report
  expect(permits.left).toBe(4)
  await permits.refresh()
  expect(permits.left).toBe(4)
  expect(budget.calls.at(-1)).toEqual({ pages: 1, kept: 0, wanted: 0 })
})

it('reserves as many permits in advance as were taken in the last second, and returns others', async () => {
  const permits = permitsOf(1_000)
  for (let i = 0; i < 20; i++) await permits.take(`${i}`)
  permits.tick()
  await settled()
  expect(budget.calls.at(-1)).toEqual({ pages: 0, kept: 20, wanted: 40 })
  // These need no further calls.
  const calls = budget.calls.length
  for (let i = 20; i < 25; i++) await permits.take(`${i}`)
  expect(budget.calls.length).toBe(calls)
  permits.tick()
  await settled()
  expect(budget.calls.at(-1)).toEqual({ pages: 0, kept: 30, wanted: 30 })
})

it('calls the budget again every second while requests wait', async () => {
  const permits = permitsOf(0)
  void permits.take('a')
  await settled()
  const calls = budget.calls.length
  permits.tick()
  await settled()
  expect(budget.calls.length).toBe(calls + 1)
})

it('rejects the results of requests whose reservations were lost, and grants new permits', async () => {
  const permits = permitsOf(2)
  await Promise.all(['a', 'b'].map((id) => permits.take(id)))
  const third = permits.take('c')
  budget.isLost = true
  await permits.refresh()
  expect(await third).toBe(true)
  permits.spend('a')
  expect([permits.ended('a'), permits.ended('b'), permits.ended('c')]).toEqual([false, false, true])
  expect(permits.left).toBe(2)
})

it('grants nothing after the end of the run, and returns its reservations', async () => {
  const permits = permitsOf(1)
  await permits.take('a')
  const second = permits.take('b')
  permits.stop()
  expect([await second, await permits.take('c')]).toEqual([false, false])
  expect(permits.ended('c')).toBe(true)
  permits.ended('a')
  await permits.refresh()
  expect(budget.calls.at(-1)).toEqual({ pages: 0, kept: 0, wanted: 0 })
})

it('reports a budget that fails', async () => {
  const permits = permitsOf(1)
  budget.failure = new Error('no connection')
  void permits.take('a')
  await settled()
  expect(failures).toEqual([budget.failure])
  await expect(permits.refresh()).rejects.toThrow('no connection')
})
