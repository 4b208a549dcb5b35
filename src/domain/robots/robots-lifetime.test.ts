import { expect, it } from 'vitest'
import { robotsLifetimeMs } from './robots-lifetime.ts'

const NOW = Date.UTC(2026, 10, 15, 12)
const MINUTES = 60_000
const HOURS = 60 * MINUTES

it.each<[what: string, headers: [string, string][], lifetimeMs: number]>([
  ['nothing', [], 24 * HOURS],
  ['max-age', [['cache-control', 'public, max-age=7200']], 2 * HOURS],
  ['max-age in quotes and capitals', [['cache-control', 'Max-Age="7200"']], 2 * HOURS],
  [
    'max-age with an age',
    [
      ['cache-control', 'max-age=7200'],
      ['age', '3600'],
    ],
    1 * HOURS,
  ],
  [
    'max-age and Expires',
    [
      ['cache-control', 'max-age=7200'],
      ['expires', '0'],
    ],
    2 * HOURS,
  ],
  ['s-maxage, which is for shared caches', [['cache-control', 's-maxage=7200']], 24 * HOURS],
  ['an invalid max-age', [['cache-control', 'max-age=soon']], 24 * HOURS],
  ['a year', [['cache-control', 'max-age=31536000, immutable']], 24 * HOURS],
  ['a second', [['cache-control', 'max-age=1']], 5 * MINUTES],
  [
    'an age past the lifetime',
    [
      ['cache-control', 'max-age=7200'],
      ['age', '9999'],
    ],
    5 * MINUTES,
  ],
  ['no-store', [['cache-control', 'no-store, max-age=7200']], 5 * MINUTES],
  [
    'no-cache in a second header',
    [
      ['cache-control', 'max-age=7200'],
      ['cache-control', 'no-cache'],
    ],
    5 * MINUTES,
  ],
  ['Expires by our clock', [['expires', 'Sun, 15 Nov 2026 15:00:00 GMT']], 3 * HOURS],
  [
    'Expires by the clock of the server',
    [
      ['expires', 'Sun, 15 Nov 2020 15:00:00 GMT'],
      ['date', 'Sun, 15 Nov 2020 14:00:00 GMT'],
    ],
    1 * HOURS,
  ],
  ['an invalid Expires', [['expires', '0']], 5 * MINUTES],
])('keeps a file with %s for %3$s ms', (_, headers, lifetimeMs) => {
  expect(robotsLifetimeMs(headers, NOW)).toBe(lifetimeMs)
})
