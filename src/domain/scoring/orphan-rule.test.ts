import { expect, it } from 'vitest'
import { judgeOrphan, markLinked, orphanLimits } from './orphan-rule.ts'

const NOW = Date.UTC(2026, 0, 1)
const DAY_MS = 86_400_000
const LIMITS = { goneAfterSeconds: 2_592_000, orphanAfterSeconds: 3_456_000 }

it.each([
  [0, undefined],
  [30 * DAY_MS, undefined],
  [30 * DAY_MS + 1000, 'gone'],
  [40 * DAY_MS, 'gone'],
  [40 * DAY_MS + 1000, 'orphan'],
])('says of a page last linked %i ms ago: %s', (ago, verdict) => {
  expect(judgeOrphan(markLinked({}, NOW - ago), NOW, LIMITS)).toBe(verdict)
})

it('leaves pages alone that were never linked', () => {
  expect(judgeOrphan({}, NOW, LIMITS)).toBeUndefined()
  expect(judgeOrphan({ _orphan_: 'x' }, NOW, LIMITS)).toBeUndefined()
})

it('takes other limits', () => {
  const metadata = markLinked({ a: 'b' }, NOW - 100_000)
  expect(metadata).toMatchObject({ a: 'b' })
  expect(judgeOrphan(metadata, NOW, { goneAfterSeconds: 10, orphanAfterSeconds: 99 })).toBe('orphan')
  expect(judgeOrphan(metadata, NOW, { goneAfterSeconds: 10, orphanAfterSeconds: 100 })).toBe('gone')
  expect(() => orphanLimits({ goneAfterSeconds: 11, orphanAfterSeconds: 10 })).toThrow(/goneAfterSeconds/)
})
