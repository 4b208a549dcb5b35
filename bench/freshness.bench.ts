/**
 * How fresh the copies of a crawl are with each schedule and the same number of fetches: a simulated web with known change rates, 60 days.
 * The schedules and the update rule are those of the program; the clock and the web are not real.
 */
import { type CrawlRecord, unfetchedRecord } from '../src/domain/crawldb/crawl-record.ts'
import { type FetchEvent, updateRecord } from '../src/domain/crawldb/update-record.ts'
import { createAdaptiveSchedule } from '../src/domain/schedule/adaptive-schedule.ts'
import { gainForBudget, type RateBucket } from '../src/domain/schedule/allocate-fetches.ts'
import { DAY_MS } from '../src/domain/schedule/change-history.ts'
import { meanRate } from '../src/domain/schedule/change-rate.ts'
import { createDefaultSchedule } from '../src/domain/schedule/default-schedule.ts'
import type { FetchSchedule } from '../src/domain/schedule/fetch-schedule.ts'
import { expectedFreshness, intervalFor } from '../src/domain/schedule/freshness-gain.ts'
import type { RateFigures } from '../src/domain/schedule/freshness-plan.ts'
import { createFreshnessSchedule } from '../src/domain/schedule/freshness-schedule.ts'
import { parseChanges } from '../src/domain/schedule/stored-changes.ts'
import { createOpicScoring } from '../src/domain/scoring/opic-scoring.ts'
import { chosenSize, chosenSizes } from './chosen-sizes.ts'
import { isPdf, type SimulatedPages, simulatedPages } from './simulated-pages.ts'
import { Random } from './web/random.ts'

const PAGES = chosenSize('FRESHNESS_PAGES', 100_000)
const DAYS = 60
/** Rounds of a day. */
const ROUNDS = 4
const START = Date.UTC(2026, 0, 1)
const DAY_SECONDS = 86_400

export function run(): void {
  const pages = simulatedPages(PAGES, 18)
  for (const days of chosenSizes('FRESHNESS_DAYS', '7,14,30')) {
    const perDay = PAGES / days
    const best = optimum(pages, perDay)
    console.log(
      `\n${PAGES.toLocaleString('en')} pages, ${DAYS} days, ${Math.round(perDay).toLocaleString('en')} fetches per day: each page every ${days} days on average`,
    )
    console.log('schedule               freshness   of the optimum   mean age, days   fetches of the budget')
    print(
      { name: 'optimum, rates known', freshness: best, age: Number.NaN, fetches: perDay * DAYS },
      best,
      perDay,
    )
    for (const [name, schedule] of schedules(pages, days, perDay)) {
      print({ name, ...simulate(pages, schedule, perDay) }, best, perDay)
    }
  }
}

function schedules(pages: SimulatedPages, days: number, perDay: number): [string, FetchSchedule][] {
  const defaultIntervalSeconds = days * DAY_SECONDS
  return [
    ['default', createDefaultSchedule({ defaultIntervalSeconds })],
    ['adaptive', createAdaptiveSchedule({ defaultIntervalSeconds })],
    ['proportional, rates known', proportional(pages, perDay)],
    ['freshness', createFreshnessSchedule({ defaultIntervalSeconds, budget: perDay })],
  ]
}

interface Figures {
  /** Part of the copies that were fresh, on average over the days. */
  readonly freshness: number
  /** Days since the first change that the copy lacks, 0 if it is fresh; on average. */
  readonly age: number
  readonly fetches: number
}

function print({ name, freshness, age, fetches }: Figures & { name: string }, best: number, perDay: number) {
  const cells = [
    name.padEnd(26),
    freshness.toFixed(4).padStart(6),
    `${((100 * freshness) / best).toFixed(1)} %`.padStart(16),
    (Number.isNaN(age) ? '' : age.toFixed(2)).padStart(16),
    `${((100 * fetches) / (perDay * DAYS)).toFixed(0)} %`.padStart(23),
  ]
  console.log(cells.join(' '))
}

/** The freshness of the optimal allocation with known rates (Cho and Garcia-Molina), without bounds for the intervals. */
function optimum({ rates, count }: SimulatedPages, perDay: number): number {
  const buckets: RateBucket[] = []
  const sorted = rates.toSorted()
  // Pages with almost the same rate together.
  for (let from = 0; from < count; from += 100) {
    const some = sorted.subarray(from, from + 100)
    const rate = some.reduce((sum, one) => sum + one, 0) / some.length
    buckets.push({ shape: 1e9, days: 1e9 / rate, pages: some.length })
  }
  const range = { min: 1e-4, max: 1e7 }
  const gain = gainForBudget(buckets, perDay, range)
  const fresh = (one: RateBucket) => one.pages * expectedFreshness(one, intervalFor(one, gain, range))
  return buckets.reduce((sum, one) => sum + fresh(one), 0) / count
}

/** Fetches pages as often as they change, as far as the budget allows: intuitive, and worse than the same interval for all. */
function proportional({ rates }: SimulatedPages, perDay: number): FetchSchedule {
  const usual = createDefaultSchedule()
  const factor = perDay / rates.reduce((sum, rate) => sum + rate, 0)
  return {
    ...usual,
    onFetched(page, fetchedAt, change) {
      const days = 1 / (factor * (rates[numberOf(page.url)] ?? 0))
      const fetchInterval = Math.max(1, Math.min(Math.round(days * DAY_SECONDS), usual.maxIntervalSeconds))
      return { ...usual.onFetched({ ...page, fetchInterval }, fetchedAt, change), fetchInterval }
    },
  }
}

/**
 * All pages are fetched on the first day, which is not counted. Then each round fetches the due pages, the most overdue first, up to the
 * budget.
 */
function simulate(pages: SimulatedPages, schedule: FetchSchedule, perDay: number): Figures {
  const { count, rates } = pages
  const random = new Random(7)
  const wait = (page: number) => -Math.log(1 - random.next()) / (rates[page] ?? 1)
  const scoring = createOpicScoring()
  const records: CrawlRecord[] = []
  /** When the page changes first after its last fetch (days). */
  const changes = new Float64Array(count)
  let planned = schedule
  let fetches = 0
  let fresh = 0
  let age = 0

  for (let page = 0; page < count; page++) {
    records.push(
      unfetchedRecord({ url: urlOf(pages, page), ...schedule.initialise(START), score: 1, metadata: {} }),
    )
    fetch(page, 0, -wait(page))
  }
  const { planning } = schedule
  for (let round = 1; round <= DAYS * ROUNDS; round++) {
    const from = (round - 1) / ROUNDS
    const to = round / ROUNDS
    for (const change of changes) {
      fresh += Math.max(0, Math.min(change, to) - from)
      if (change < to) age += ((to - change) ** 2 - Math.max(0, from - change) ** 2) / 2
    }
    if (planning !== undefined && round % ROUNDS === 1)
      planned = planning.withPlan(planning.makePlan(figuresOf(pages, records)))
    const now = START + to * DAY_MS
    const due = records.flatMap(({ fetchTime }, page) => (fetchTime <= now ? [page] : []))
    due.sort((a, b) => (records[a]?.fetchTime ?? 0) - (records[b]?.fetchTime ?? 0))
    const allowed = Math.round(perDay * to) - fetches
    for (const page of due.slice(0, Math.max(0, allowed))) {
      const first = changes[page] ?? 0
      // The last change before the fetch, if there was one: Poisson processes look the same backwards.
      fetch(page, to, first <= to ? Math.max(first, to - wait(page)) : undefined)
      fetches++
    }
  }
  return { freshness: fresh / count / DAYS, age: age / count / DAYS, fetches }

  /** @param changedAt the last change (days); `undefined`: none since the last fetch */
  function fetch(page: number, day: number, changedAt: number | undefined): void {
    const old = records[page]
    const fetchedAt = Math.round(START + day * DAY_MS)
    const isDated = pages.dated[page] === 1 && changedAt !== undefined
    const event: FetchEvent = {
      kind: 'success',
      fetchedAt,
      signature: changedAt === undefined ? (old?.signature ?? '') : day.toString(16),
      contentType: isPdf(page) ? 'application/pdf' : 'text/html',
      ...(isDated && { validators: { lastModified: new Date(START + changedAt * DAY_MS).toUTCString() } }),
    }
    const updated = updateRecord(
      old,
      { url: old?.url ?? '', fetch: event },
      { schedule: planned, scoring },
      fetchedAt,
    )
    if (updated !== undefined) records[page] = updated
    changes[page] = day + wait(page)
  }
}

function urlOf({ hosts }: SimulatedPages, page: number): string {
  return `http://host-${hosts[page]}.test/${page}`
}

function numberOf(url: string): number {
  return Number(url.slice(url.lastIndexOf('/') + 1))
}

/** What the CrawlDb computes in SQL: src/adapters/duckdb/plan-schedule.ts. */
function figuresOf({ hosts: hostOf }: SimulatedPages, records: readonly CrawlRecord[]): RateFigures {
  const buckets = new Map<string, { pages: number; shapes: number; rates: number }>()
  const types = new Map<string, { type: string; pages: number; logs: number }>()
  const hosts = new Map<string, { host: string; type: string; pages: number; logs: number }>()
  for (const [page, { metadata }] of records.entries()) {
    const stored = parseChanges(metadata)
    if (stored === undefined) continue
    const { belief, contentType: type } = stored
    const rate = Math.log(meanRate(belief))
    const shape = Math.log(belief.shape)
    const bucket = entry(buckets, `${Math.round(4 * rate)} ${Math.round(4 * shape)}`, () => ({
      ...{ pages: 0, shapes: 0, rates: 0 },
    }))
    bucket.pages++
    bucket.shapes += shape
    bucket.rates += rate
    const host = `host-${hostOf[page]}.test`
    for (const group of [
      entry(types, type, () => ({ type, pages: 0, logs: 0 })),
      entry(hosts, `${host} ${type}`, () => ({ host, type, pages: 0, logs: 0 })),
    ]) {
      group.pages++
      group.logs += rate
    }
  }
  const withMean = <Group extends { pages: number; logs: number }>(groups: Iterable<Group>) =>
    [...groups].map((group) => ({ ...group, meanLogRate: group.logs / group.pages }))
  return {
    buckets: [...buckets.values()].map(({ pages, shapes, rates }) => {
      const shape = Math.exp(shapes / pages)
      return { shape, days: shape / Math.exp(rates / pages), pages }
    }),
    ...{ withoutEstimate: 0, unfetched: 0 },
    types: withMean(types.values()),
    hosts: withMean(hosts.values())
      .toSorted((a, b) => b.pages - a.pages)
      .slice(0, 1_000),
  }
}

function entry<Value>(map: Map<string, Value>, key: string, make: () => Value): Value {
  const found = map.get(key) ?? make()
  map.set(key, found)
  return found
}
