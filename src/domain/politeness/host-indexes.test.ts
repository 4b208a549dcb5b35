import { expect, it } from 'vitest'
import { HostIndexes } from './host-indexes.ts'

it('numbers hosts without gaps and finds them by key', () => {
  const hosts = new HostIndexes()
  expect(['a', 'b', 'c'].map((key) => hosts.add(key))).toEqual([0, 1, 2])
  expect([hosts.find('b'), hosts.keyOf(1), hosts.size]).toEqual([1, 'b', 3])
})

it('reuses a free index before a new one', () => {
  const hosts = new HostIndexes()
  for (const key of ['a', 'b', 'c']) hosts.add(key)
  hosts.delete(1)
  expect([hosts.find('b'), hosts.keyOf(1), [...hosts]]).toEqual([undefined, '', [0, 2]])
  expect([hosts.add('d'), hosts.add('e')]).toEqual([1, 3])
  expect(hosts.keyOf(1)).toBe('d')
})
