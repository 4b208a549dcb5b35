import { expect, it } from 'vitest'
import { RecentRows } from './recent-rows.ts'

it('has the last 50,000 rows, and none before the last 100,000', () => {
  const rows = new RecentRows()
  for (let row = 1; row <= 220_000; row++) rows.set(BigInt(row), row)
  expect(rows.get(220_000n)).toBe(220_000)
  expect(rows.get(170_001n)).toBe(170_001)
  expect(rows.get(120_000n)).toBeUndefined()
})

it('has the last row of a URL', () => {
  const rows = new RecentRows()
  for (const row of [1, 2]) rows.set(7n, row)
  expect(rows.get(7n)).toBe(2)
})
