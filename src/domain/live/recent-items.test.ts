import { expect, it } from 'vitest'
import type { Settlement } from '../frontier/settlement.ts'
import { RecentItems, shortItem } from './recent-items.ts'

function settlement(items: readonly object[], rejected: readonly object[] = []): Settlement {
  return {
    ...{ id: '1', end: { kind: 'done' }, requests: [] },
    ...{ items, rejected: rejected.map((item) => ({ item, reason: 'price: missing' })) },
    fetch: { url: 'http://a.test/' },
  } as unknown as Settlement
}

it('has the latest twenty items and rejected items, newest first', () => {
  const recent = new RecentItems()
  recent.add([settlement([{ n: 1 }]), settlement(Array.from({ length: 30 }, (_, i) => ({ n: i + 2 })))], 5)
  recent.add([settlement([{ n: 32 }], [{ bad: true }])], 6)
  const { latest, rejected } = recent.report()
  expect(latest).toHaveLength(20)
  expect(latest[0]).toEqual({ at: 6, url: 'http://a.test/', item: { n: 32 } })
  expect(latest.map(({ item }) => item['n'])).toEqual(Array.from({ length: 20 }, (_, i) => 32 - i))
  expect(rejected).toEqual([{ at: 6, url: 'http://a.test/', item: { bad: true }, reason: 'price: missing' }])
})

it('shortens large items to about 10 kB', () => {
  const small = { text: 'x'.repeat(9_000) }
  expect(shortItem(small)).toBe(small)
  const long = shortItem({ id: 7, text: 'x'.repeat(50_000), list: Array.from({ length: 9_000 }, () => 1) })
  expect(long['id']).toBe(7)
  expect(String(long['text'])).toHaveLength(1_001)
  expect(String(long['list'])).toMatch(/^\[1,1,.*…$/)
  const wide = shortItem(
    Object.fromEntries(Array.from({ length: 500 }, (_, i) => [`field${i}`, 'y'.repeat(90)])),
  )
  expect(JSON.stringify(wide).length).toBeLessThan(10_100)
  expect(wide['…']).toMatch(/^\d+ more fields$/)
})
