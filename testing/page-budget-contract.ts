import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { PageBudget } from '../src/domain/frontier/page-budget.ts'

/** Contract tests of every page budget, for a worker that is alone. @param open a budget for a new run */
export function pageBudgetContract(name: string, open: (limit: number) => PageBudget): void {
  describe(`${name} as a page budget`, () => {
    it('reserves pages until pages and reservations are as many as the limit', async () => {
      const budget = open(10)
      expect(await budget.reserve({ pages: 0, kept: 0, wanted: 4 })).toEqual(reservation(4, 10))
      expect(await budget.reserve({ pages: 0, kept: 4, wanted: 20 })).toEqual(reservation(10, 10))
      expect(await budget.reserve({ pages: 3, kept: 7, wanted: 20 })).toEqual(reservation(7, 7))
      expect(await budget.reserve({ pages: 7, kept: 0, wanted: 1 })).toEqual(reservation(0, 0))
    })

    it('reserves again what was returned', async () => {
      const budget = open(3)
      await budget.reserve({ pages: 0, kept: 0, wanted: 3 })
      expect(await budget.reserve({ pages: 1, kept: 0, wanted: 0 })).toEqual(reservation(0, 2))
      expect(await budget.reserve({ pages: 0, kept: 0, wanted: 9 })).toEqual(reservation(2, 2))
    })

    it('never allows more than the limit, for any sequence of calls', async () => {
      const step = fc.record({ used: fc.nat(9), returned: fc.nat(9), more: fc.nat(9) })
      const check = fc.asyncProperty(
        fc.integer({ min: 1, max: 30 }),
        fc.array(step),
        async (limit, steps) => {
          const budget = open(limit)
          let held = 0
          let pages = 0
          for (const { used, returned, more } of steps) {
            const fetched = Math.min(used, held)
            const kept = Math.max(0, held - fetched - returned)
            pages += fetched
            const { reserved, left } = await budget.reserve({ pages: fetched, kept, wanted: kept + more })
            expect(reserved).toBeGreaterThanOrEqual(kept)
            expect(reserved).toBeLessThanOrEqual(kept + more)
            expect(pages + reserved).toBeLessThanOrEqual(limit)
            expect(left).toBe(limit - pages)
            held = reserved
          }
        },
      )
      await fc.assert(check, { numRuns: 50 })
    })
  })
}

function reservation(reserved: number, left: number) {
  return { reserved, left, isLost: false }
}
