import { expect, it } from 'vitest'
import { cacheLifetime } from './cache-lifetime.ts'

const DATE: [string, string] = ['date', 'Tue, 17 Nov 2026 10:00:00 GMT']

it.each<[number | undefined, [string, string][]]>([
  [3600, [['cache-control', 'public, max-age=3600']]],
  [60, [['cache-control', 'Max-Age="60"']]],
  [
    60,
    [
      ['cache-control', 'public'],
      ['cache-control', 'max-age = 60'],
    ],
  ],
  [undefined, [['cache-control', 'max-age=3600, no-cache']]],
  [
    undefined,
    [
      ['cache-control', 'no-store'],
      ['cache-control', 'max-age=3600'],
    ],
  ],
  [undefined, [['cache-control', 'max-age=0']]],
  [undefined, [['cache-control', 'max-age=soon']]],
  [undefined, [['cache-control', 'max-age=-5']]],
  [7200, [DATE, ['expires', 'Tue, 17 Nov 2026 12:00:00 GMT']]],
  [10, [DATE, ['expires', 'Tue, 17 Nov 2026 12:00:00 GMT'], ['cache-control', 'max-age=10']]],
  [undefined, [DATE, ['expires', '0']]],
  [undefined, [DATE, ['expires', 'Tue, 17 Nov 2020 12:00:00 GMT']]],
  [undefined, [['expires', 'Tue, 17 Nov 2026 12:00:00 GMT']]],
  [undefined, []],
])('is %s seconds for %j', (expected, headers) => {
  expect(cacheLifetime(headers)).toBe(expected)
})
