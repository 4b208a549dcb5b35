import { expect, it } from 'vitest'
import { LruMap } from './lru-map.ts'

it('forgets the entry not touched for longest', () => {
  const map = new LruMap<string, number>(2)
  map.set('a', 1)
  map.set('b', 2)
  map.get('a')
  map.set('c', 3)
  expect(map.size).toBe(2)
  expect([map.get('a'), map.get('b'), map.get('c')]).toEqual([1, undefined, 3])
})

it('counts a second set of the same key as a touch', () => {
  const map = new LruMap<string, number>(2)
  map.set('a', 1)
  map.set('b', 2)
  map.set('a', 3)
  map.set('c', 4)
  expect([map.get('a'), map.get('b')]).toEqual([3, undefined])
})

it('makes room by weight, and weighs a replaced value once', () => {
  const map = new LruMap<string, number>(10)
  map.set('a', 1, 4)
  for (let i = 0; i < 10; i++) map.set('b', i, 6)
  expect([map.get('a'), map.get('b')]).toEqual([1, 9])
  map.set('c', 3, 9)
  expect([map.get('a'), map.get('b'), map.get('c')]).toEqual([undefined, undefined, 3])
})

it('keeps the newest whatever it weighs', () => {
  const map = new LruMap<string, number>(10)
  map.set('a', 1, 99)
  expect(map.get('a')).toBe(1)
  map.set('b', 2, 1)
  expect([map.get('a'), map.get('b')]).toEqual([undefined, 2])
})
