import { expect, it } from 'vitest'
import { HostMap } from './host-map.ts'

const map = new HostMap(
  [
    ['example.com', 1],
    ['*.example.com', 2],
    ['*.b.example.com', 3],
    ['*.Bücher.example', 4],
  ],
  'test',
)

it.each([
  ['example.com', 1],
  ['a.example.com', 2],
  ['b.example.com', 2],
  ['a.b.example.com', 3],
  ['x.xn--bcher-kva.example', 4],
  ['xn--bcher-kva.example', undefined],
  ['badexample.com', undefined],
])('finds the value of %s', (host, value) => expect(map.get(host)).toBe(value))

it.each(['', '*', '*.', 'a b', 'http://a.test', '*.*.test'])('rejects %j as a host name', (pattern) =>
  expect(() => new HostMap([[pattern, 1]], 'list')).toThrow(/^list: .* is not a host name/),
)
