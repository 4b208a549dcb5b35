import { describe, expect, it } from 'vitest'
import { DropCounter, dropReason } from './drop-counts.ts'

describe('DropCounter', () => {
  it('adds up by reason, and counts reasons over its limit as one', () => {
    const drops = new DropCounter(2)
    drops.addAll({ scope: 2, depth: 1 })
    drops.add('scope', 3)
    drops.add('trap')
    drops.add('nofollow', 4)
    expect(drops.counts()).toEqual({ scope: 5, depth: 1, other: 5 })
  })
})

describe('dropReason', () => {
  it.each([
    ['scope: b.test is not a seed host', 'scope'],
    ['rules.txt:12 -\\.gif$', 'rules.txt'],
    ['nofollow', 'nofollow'],
    ['x'.repeat(200), 'x'.repeat(60)],
  ])('of %j is %j', (rule, reason) => {
    expect(dropReason(rule)).toBe(reason)
  })
})
