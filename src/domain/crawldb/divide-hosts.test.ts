import { expect, it } from 'vitest'
import { divideHosts } from './divide-hosts.ts'

it('puts each host into one part and keeps the parts about equal', () => {
  const sizes = new Map([
    ['a', 1],
    ['b', 5],
    ['c', 3],
    ['d', 2],
  ])
  expect(Object.fromEntries(divideHosts(sizes, 2))).toEqual({ b: 0, c: 1, d: 1, a: 0 })
  expect(divideHosts(new Map([...sizes].reverse()), 2)).toEqual(divideHosts(sizes, 2))
})

it('has one part for all when asked for one', () => {
  expect([
    ...divideHosts(
      new Map([
        ['a', 1],
        ['b', 2],
      ]),
      1,
    ).values(),
  ]).toEqual([0, 0])
})
