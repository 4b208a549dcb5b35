import { describe, expect, it } from 'vitest'
import { DEFAULT_NOVELTY_LIMITS, NoveltyBudget, type NoveltyRule } from './novelty-budget.ts'
import { addPage, noEvidence, type PatternEvidence } from './pattern-evidence.ts'

const NOW = Date.UTC(2026, 10, 17)
const DAY_MS = 86_400_000

function evidence(pattern: string, pages: number, novelty: number): PatternEvidence {
  let one = noEvidence(pattern)
  for (let i = 0; i < pages; i++) one = addPage(one, { novelty, leads: 0 })
  return one
}

function admitted(
  patterns: readonly PatternEvidence[],
  pattern: string,
  limits = {},
  rule?: NoveltyRule,
): number {
  const hosts = [{ host: 'a.test', fetched: 500, novelty: 400 }]
  const budget = new NoveltyBudget({ patterns, hosts }, { ...DEFAULT_NOVELTY_LIMITS, ...limits }, NOW, rule)
  let count = 0
  for (let i = 0; i < 10_000; i++) if (budget.admits(pattern)) count++
  expect(budget.held.get(pattern) ?? 0).toBe(10_000 - count)
  return count
}

describe('NoveltyBudget', () => {
  const page = 'a.test/page?id=*'
  const diff = 'a.test/page?do=diff&id=*'

  it('tries a few URLs of a pattern that it does not know', () => {
    expect(admitted([], diff)).toBe(2)
    expect(admitted([], 'a.test/doc/*.html')).toBe(30)
  })

  it('lets a pattern grow that brings new content', () => {
    expect(admitted([evidence(page, 100, 0.9)], page)).toBe(200)
  })

  it('gives a pattern that brings nothing less than it had, and less with each page', () => {
    const few = admitted([evidence(diff, 10, 0)], diff)
    const many = admitted([evidence(diff, 40, 0)], diff)
    expect(few).toBeLessThan(10)
    expect(many).toBeLessThan(few)
  })

  it('holds a pattern back when its host has nothing left, and tries it again after some days', () => {
    const spent = evidence(diff, 1_000, 0)
    expect(admitted([spent], diff)).toBe(0)
    expect(admitted([{ ...spent, exploredAt: NOW - DAY_MS / 2 }], diff)).toBe(0)
    expect(admitted([{ ...spent, exploredAt: NOW - DAY_MS }], diff)).toBe(1)
  })

  it('completes a pattern of much content that has little left when it is first held back', () => {
    let one = evidence(page, 300, 1)
    for (let i = 0; i < 1_000; i++) one = addPage(one, { novelty: 0, leads: 0 })
    expect(admitted([one], page)).toBe(30)
    expect(admitted([{ ...one, exploredAt: NOW }], page)).toBe(0)
  })

  it('tries many patterns of a few URLs on one list', () => {
    const budget = new NoveltyBudget({ patterns: [], hosts: [] }, DEFAULT_NOVELTY_LIMITS, NOW)
    const patterns = Array.from({ length: 100 }, (_, i) => `a.test/section-${i}/index.html`)
    expect(patterns.filter((one) => budget.admits(one))).toHaveLength(DEFAULT_NOVELTY_LIMITS.basePages)
  })

  it('judges a pattern by its last pages', () => {
    let one = evidence(page, 300, 1)
    for (let i = 0; i < 300; i++) one = addPage(one, { novelty: 0, leads: 0 })
    expect(admitted([{ ...one, exploredAt: NOW }], page)).toBeLessThan(10)
  })

  it('values pages that lead to new content', () => {
    let hub = noEvidence('a.test/index?n=#')
    for (let i = 0; i < 10; i++) hub = addPage(hub, { novelty: 0, leads: 10 })
    expect(admitted([hub], hub.pattern)).toBe(20)
  })

  it('does not limit a released pattern', () => {
    expect(admitted([{ ...evidence(diff, 1_000, 0), released: true }], diff)).toBe(10_000)
  })

  it('counts URLs on open lists', () => {
    const budget = new NoveltyBudget({ patterns: [], hosts: [] }, DEFAULT_NOVELTY_LIMITS, NOW)
    for (let i = 0; i < 2; i++) budget.addPending(diff)
    expect(budget.admits(diff)).toBe(false)
  })

  it('calls the rule of the user instead', () => {
    const rule: NoveltyRule = ({ fetched }, { allowance }) => (allowance > 0 ? fetched + 1 : 0)
    expect(admitted([evidence(diff, 6, 0)], diff, {}, rule)).toBe(7)
  })
})
