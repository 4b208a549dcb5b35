import { expect, it } from 'vitest'
import type { ChangeState } from './change-state.ts'
import type { ChangeEvidence, FetchSchedule, ScheduledPage } from './fetch-schedule.ts'
import type { RateFigures } from './freshness-plan.ts'
import { createFreshnessSchedule } from './freshness-schedule.ts'
import { parseChanges } from './stored-changes.ts'

const DAY = 86_400
const NOW = Date.UTC(2026, 0, 1)
const HTML = { contentType: 'text/html' }

function page(own: Partial<ScheduledPage> = {}): ScheduledPage {
  return {
    url: 'http://a.test/',
    metadata: {},
    fetchTime: NOW,
    fetchInterval: 0,
    modifiedTime: 0,
    retries: 0,
    ...own,
  }
}

/** Fetches a page when it is due, `changes.length` times. */
function history(
  schedule: FetchSchedule,
  changes: readonly ChangeState[],
  evidence: ChangeEvidence | ((fetchedAt: number) => ChangeEvidence) = HTML,
  start = page(),
): ScheduledPage {
  let current = start
  let now = NOW
  for (const change of changes) {
    const { metadata, ...timing } = schedule.onFetched(
      current,
      now,
      change,
      typeof evidence === 'function' ? evidence(now) : evidence,
    )
    current = { ...current, ...timing, metadata: { ...current.metadata, ...metadata } }
    now = current.fetchTime
  }
  return current
}

const NO_FIGURES: RateFigures = { buckets: [], withoutEstimate: 0, unfetched: 0, types: [], hosts: [] }

it('starts with about the default interval, and a part of it for the first wait', () => {
  const first = history(createFreshnessSchedule(), ['unknown'])
  expect(first.fetchInterval / DAY).toBeCloseTo(30, 0)
  expect(first.fetchTime).toBeGreaterThan(NOW)
  expect(first.fetchTime).toBeLessThanOrEqual(NOW + first.fetchInterval * 1000)
  const waits = Array.from({ length: 1_000 }, (_, i) => {
    const one = history(createFreshnessSchedule(), ['unknown'], HTML, page({ url: `http://a.test/${i}` }))
    return (one.fetchTime - NOW) / (one.fetchInterval * 1000)
  })
  const early = waits.filter((part) => part < 0.5).length
  expect(early).toBeGreaterThan(400)
  expect(early).toBeLessThan(560)
})

it('fetches a page that sometimes changes more often, and a static one more rarely', () => {
  const schedule = createFreshnessSchedule()
  const still = history(schedule, ['unknown', ...Array(6).fill('not-modified')])
  const moving = history(schedule, ['unknown', ...Array(6).fill(['modified', 'not-modified']).flat()])
  expect(still.fetchInterval).toBeGreaterThan(35 * DAY)
  expect(moving.fetchInterval).toBeLessThan(still.fetchInterval / 2)
})

it('hardly fetches a page that changes all the time', () => {
  const plan = createFreshnessSchedule({ budget: 100 }).planning?.makePlan({
    ...NO_FIGURES,
    buckets: [4, 40, 400, 4_000].map((days) => ({ shape: 20, days, pages: 250 })),
  })
  const schedule = createFreshnessSchedule({ budget: 100 }).planning?.withPlan(plan ?? never())
  const dated = (fetchedAt: number) => ({ ...HTML, changedAt: fetchedAt - 3_600_000 })
  const changing = history(schedule ?? never(), ['unknown', ...Array(9).fill('modified')], dated)
  expect(changing.fetchInterval).toBe(90 * DAY)
  expect(schedule?.explain?.(changing).join()).toContain('changes too often for the budget of 100 fetches')
})

it('takes the rate of its host and content type for a page without changes of its own', () => {
  const planning = createFreshnessSchedule().planning ?? never()
  const buckets = [{ shape: 5, days: 150, pages: 10_000 }]
  const plan = planning.makePlan({
    ...{ ...NO_FIGURES, buckets },
    types: [
      { type: 'text/html', pages: 9_000, meanLogRate: Math.log(1 / 30) },
      { type: 'application/pdf', pages: 1_000, meanLogRate: Math.log(1 / 900) },
    ],
    hosts: [{ host: 'news.test', type: 'text/html', pages: 500, meanLogRate: Math.log(1 / 3) }],
  })
  const schedule = planning.withPlan(plan)
  const interval = (url: string, contentType: string) =>
    history(schedule, ['unknown'], { contentType }, page({ url })).fetchInterval
  expect(interval('http://a.test/x.pdf', 'application/pdf')).toBeGreaterThan(
    interval('http://a.test/', 'text/html'),
  )
  const news = parseChanges(history(schedule, ['unknown'], HTML, page({ url: 'http://news.test/' })).metadata)
  const other = parseChanges(history(schedule, ['unknown'], HTML).metadata)
  expect((other?.belief.days ?? 0) / (news?.belief.days ?? 1)).toBeGreaterThan(5)
})

it('believes a date, and a change frequency that a sitemap states', () => {
  const schedule = createFreshnessSchedule()
  const old = history(schedule, ['unknown'], { ...HTML, changedAt: NOW - 900 * DAY * 1000 })
  const stated = history(schedule, ['unknown'], HTML, page({ metadata: { lastmod: '2023-07-16T00:00:00Z' } }))
  const fresh = history(schedule, ['unknown'])
  expect(old.fetchInterval).toBeGreaterThan(1.5 * fresh.fetchInterval)
  expect(stated.fetchInterval).toBeGreaterThan(1.5 * fresh.fetchInterval)
  const daily = history(schedule, ['unknown'], HTML, page({ metadata: { changefreq: 'daily' } }))
  expect(parseChanges(daily.metadata)?.belief).not.toEqual(parseChanges(fresh.metadata)?.belief)
})

it('does not fetch a response again that is fresh by its headers, for at most a week', () => {
  const schedule = createFreshnessSchedule({ defaultIntervalSeconds: 2 * DAY })
  const wait = (maxAgeSeconds: number) =>
    (history(schedule, ['unknown'], { ...HTML, maxAgeSeconds }).fetchTime - NOW) / 1000
  expect(wait(4 * DAY)).toBe(4 * DAY)
  expect(wait(365 * DAY)).toBe(7 * DAY)
})

it('keeps a fixed interval, and the default one for a redirect', () => {
  const fixed = page({ metadata: { fixedInterval: '600' } })
  expect(history(createFreshnessSchedule(), ['unknown', 'modified'], HTML, fixed).fetchInterval).toBe(600)
  const redirect = createFreshnessSchedule().onFetched(page(), NOW, 'unknown')
  expect(redirect.fetchTime).toBe(NOW + 30 * DAY * 1000)
  expect(redirect.metadata).toBeUndefined()
})

it('fetches a page at once that a sitemap calls changed, but not again within the shortest interval', () => {
  const schedule = createFreshnessSchedule({ minIntervalSeconds: 600 })
  const known = history(schedule, ['unknown', 'not-modified'])
  expect(schedule.onListed?.(known, NOW, NOW + DAY * 1000)).toBe(NOW + DAY * 1000)
  expect(schedule.onListed?.(known, NOW, NOW + 1000)).toBe(NOW + 600_000)
})

it('explains the evidence, the estimate and the interval', () => {
  const schedule = createFreshnessSchedule()
  const known = history(schedule, ['unknown', 'not-modified', 'modified'])
  const text = schedule.explain?.(known).join('\n')
  expect(text).toContain('2 fetches compared: 1 change (0 with a date)')
  expect(text).toMatch(/estimate: changes every [\d.]+ days/)
  expect(text).toMatch(/interval [\d.]+ days: expected to be fresh \d+ % of the time/)
  expect(schedule.explain?.(page())).toEqual(['no fetch with content yet'])
})

it.each([
  [{ budget: 0 }, /budget is 0/],
  [{ budget: Number.NaN }, /budget is NaN/],
  [{ minIntervalSeconds: 0 }, /minIntervalSeconds is 0/],
  [{ minIntervalSeconds: 91 * DAY }, /minIntervalSeconds/],
])('refuses %o', (options, message) => {
  expect(() => createFreshnessSchedule(options)).toThrow(message)
})

it('reads no changes that another program wrote', () => {
  for (const changes of ['', 'x', '1 2 3', '-1 1 1 1 1 1 1 1 text/html', 'NaN 1 1 1 1 1 1 1 -'])
    expect(parseChanges({ changes })).toBeUndefined()
})

function never(): never {
  throw new Error('missing')
}
