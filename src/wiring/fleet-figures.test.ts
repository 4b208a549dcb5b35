import { describe, expect, it } from 'vitest'
import type { CrawlSnapshot } from '../adapters/redis/inspect-crawl.ts'
import type { JsonObject } from '../base/json.ts'
import type { FleetCounts } from '../domain/frontier/fleet.ts'
import { FleetFigures } from './fleet-figures.ts'

const START = 1_800_000_000_000

/** A snapshot, some seconds after the start. */
function snapshot(
  second: number,
  counts: Partial<FleetCounts> = {},
  workers: ReadonlyArray<{
    readonly fence: number
    readonly heardAt?: number
    readonly status?: JsonObject
  }> = [],
): CrawlSnapshot {
  return {
    now: START + second * 1_000,
    shards: 1,
    counts: {
      ...{ waiting: 0, delayed: 0, leased: 0, added: 0, duplicates: 0, done: 0, retried: 0, failed: 0 },
      ...{ malformed: 0, seen: 0, items: 0, itemsLeft: 0, freeHosts: 0, restingHosts: 0, heldHosts: 0 },
      ...counts,
    },
    ...{ activeAt: START, failures: {}, retries: {}, startMessages: 0 },
    delays: { retries: 0, scheduled: 0, hosts: { paused: 0, backOff: 0, crawlDelay: 0, delay: 0 } },
    workers: workers.map(({ fence, heardAt = second, ...rest }) => ({
      ...{ fence, name: `w${fence}`, joinedAt: START, expiresAt: START + 60_000, leased: 0, hosts: 0 },
      ...{ heardAt: START + heardAt * 1_000, ...rest },
    })),
  }
}

describe('FleetFigures', () => {
  it('computes rates from differences, not from what happened before it watched', () => {
    const figures = new FleetFigures()
    figures.record(snapshot(0, { done: 1_000, items: 500 }))
    expect(figures.rates.pagesPerSecond).toBe(0)
    for (let i = 1; i <= 4; i++)
      figures.record(snapshot(i, { done: 1_000 + 10 * i, items: 500 + 2 * i, failed: i, leased: 3 }))
    expect(figures.rates).toMatchObject({ pagesPerSecond: 10, itemsPerSecond: 2, errorsPerSecond: 1 })
    expect(figures.points).toHaveLength(4)
    expect(figures.points[0]).toMatchObject({ pages: 10, items: 2, errors: 1, inFlight: 3, seconds: 1 })
    const last = snapshot(4, { done: 1_040, items: 508, failed: 4, retried: 2 })
    expect(figures.totals(last)).toMatchObject({ pages: 1_040, items: 508, errors: 4, retries: 2 })
  })

  it('begins again when the crawl was cleared', () => {
    const figures = new FleetFigures()
    figures.record(snapshot(0, { done: 1_000 }))
    figures.record(snapshot(1, { done: 1_010 }))
    figures.record(snapshot(2, { done: 3 }))
    expect(figures.points).toEqual([])
    figures.record(snapshot(3, { done: 5 }))
    expect(figures.points.map(({ pages }) => pages)).toEqual([2])
  })

  it('gives the rate of a worker between its last two reports; at first, the average that it sent', () => {
    const figures = new FleetFigures()
    const view = (second: number, heardAt: number, pages: number) =>
      snapshot(second, {}, [{ fence: 1, heardAt, status: { pages, pagesPerSecond: 4 } }])
    figures.record(view(0, 0, 100))
    expect(figures.workers(view(0, 0, 100).workers)[0]).toMatchObject({ pages: 100, pagesPerSecond: 4 })
    // The same report again.
    figures.record(view(1, 0, 100))
    const later = view(5, 5, 150)
    figures.record(later)
    expect(figures.workers(later.workers)[0]?.pagesPerSecond).toBe(10)
    const again = view(6, 5, 150)
    figures.record(again)
    expect(figures.workers(again.workers)[0]?.pagesPerSecond).toBe(10)
  })

  it('leaves out what a worker of another version does not report, or reports as nonsense', () => {
    const figures = new FleetFigures()
    const status = { pages: 'many', items: -1, bytes: null, pagesPerSecond: Number.NaN }
    const view = snapshot(0, {}, [{ fence: 1 }, { fence: 2, status }])
    figures.record(view)
    for (const worker of figures.workers(view.workers))
      expect(Object.keys(worker)).toEqual(['name', 'joinedAt', 'heardAt', 'expiresAt', 'hosts', 'leased'])
    expect(figures.totals(view).bytes).toBe(0)
  })

  it('keeps the bytes of workers that have left', () => {
    const figures = new FleetFigures()
    figures.record(snapshot(0, {}, [{ fence: 1, status: { bytes: 100 } }]))
    figures.record(snapshot(5, {}, [{ fence: 1, status: { bytes: 300 } }]))
    const view = snapshot(10, {}, [{ fence: 2, status: { bytes: 50 } }])
    figures.record(view)
    expect(figures.totals(view).bytes).toBe(350)
  })
})
