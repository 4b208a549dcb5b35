import { expect, it } from 'vitest'
import { HostIds } from './host-ids.ts'

it('numbers hosts without gaps and finds them by key', () => {
  const slots = new HostIds()
  expect(['a', 'b', 'c'].map((key) => slots.add(key))).toEqual([0, 1, 2])
  expect([slots.find('b'), slots.keyOf(1), slots.size]).toEqual([1, 'b', 3])
})

it('gives a free slot out again before a new one', () => {
  const slots = new HostIds()
  for (const key of ['a', 'b', 'c']) slots.add(key)
  slots.delete(1)
  expect([slots.find('b'), slots.keyOf(1), [...slots]]).toEqual([undefined, '', [0, 2]])
  expect([slots.add('d'), slots.add('e')]).toEqual([1, 3])
  expect(slots.keyOf(1)).toBe('d')
})
