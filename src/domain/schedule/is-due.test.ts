import { expect, it } from 'vitest'
import { isDue } from './is-due.ts'

const NOW = Date.UTC(2026, 0, 1)

it.each([
  [-1, true],
  [0, true],
  [1, false],
  [100_000, false],
  [100_001, true],
])('says of a page due in %i ms, with a maximum of 100 s: %s', (inMs, due) => {
  expect(isDue({ fetchTime: NOW + inMs }, NOW, 100)).toBe(due)
})
