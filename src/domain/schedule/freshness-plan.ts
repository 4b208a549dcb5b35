import { gainForBudget, type RateBucket } from './allocate-fetches.ts'
import type { RateBelief } from './change-rate.ts'
import { expectedFreshness, freshnessGain, type IntervalRange, intervalFor } from './freshness-gain.ts'

/** Figures of all fetched pages with content, as a database aggregates them from the estimates in their records. */
export interface RateFigures {
  /** Pages with an estimate, by similar estimates. */
  readonly buckets: readonly RateBucket[]
  /** Fetched pages without an estimate: the schedule was chosen after their last fetch. */
  readonly withoutEstimate: number
  /** Pages that were not fetched yet. They will need their share of the budget. */
  readonly unfetched: number
  /** Pages with an estimate, by content type. */
  readonly types: readonly RateGroup[]
  /** The same by host and content type, of the largest groups. */
  readonly hosts: readonly HostRateGroup[]
}

/** Pages of one content type. */
export interface RateGroup {
  readonly type: string
  readonly pages: number
  /** Mean of the natural logarithms of their rates. */
  readonly meanLogRate: number
}

/** Pages of one content type on one host. */
export interface HostRateGroup extends RateGroup {
  readonly host: string
}

/** What an update needs to know about all pages together. Plain data: it is stored with the CrawlDb. */
export interface FreshnessPlan {
  /** The gain that every fetch must bring: see `gainForBudget`. `null`: infinite. */
  readonly gain: number | null
  readonly fetchesPerDay: number
  /** Fetched pages. */
  readonly pages: number
  /** Expected part of the copies that are fresh at any time; 0 to 1. */
  readonly freshness: number
  /** The belief about a page without a fetch of its own, host and content type unknown. */
  readonly prior: RateBelief
  /** How many times more often than all pages those of a content type change. */
  readonly types: Readonly<Record<string, number>>
  /** The same for the pages of a host with a content type; the key is `host type`. */
  readonly hosts: Readonly<Record<string, number>>
}

export interface PlanOptions {
  /** Budget. @default one fetch of every page per default interval */
  readonly fetchesPerDay?: number
  readonly defaultIntervalDays: number
  readonly range: IntervalRange
}

/** A group counts as much as its pages compared with this number. */
const GROUP_WEIGHT = 20

export function makePlan(figures: RateFigures, options: PlanOptions): FreshnessPlan {
  const { range, defaultIntervalDays } = options
  const { withoutEstimate, unfetched } = figures
  const prior = fitPrior(figures.buckets, defaultIntervalDays)
  const fetched = [...figures.buckets, { ...prior, pages: withoutEstimate }]
  const pages = sumOf(fetched, () => 1)
  const fetchesPerDay = options.fetchesPerDay ?? (pages + unfetched) / defaultIntervalDays
  const gain =
    pages + unfetched === 0
      ? freshnessGain(prior, defaultIntervalDays)
      : gainForBudget([...fetched, { ...prior, pages: unfetched }], fetchesPerDay, range)
  const fresh = sumOf(fetched, (bucket) => expectedFreshness(bucket, intervalFor(bucket, gain, range)))
  const types = logFactors(figures.types, meanLogRate(figures.types))
  return {
    gain: Number.isFinite(gain) ? gain : null,
    fetchesPerDay,
    pages,
    freshness: pages === 0 ? 0 : fresh / pages,
    prior,
    types: factors(types),
    hosts: factors(hostLogFactors(figures.hosts, types, meanLogRate(figures.types))),
  }
}

/** The belief about pages of a host and content type of which nothing else is known. */
export function groupPrior({ prior, types, hosts }: FreshnessPlan, host: string, type: string): RateBelief {
  const factor = hosts[`${host} ${type}`] ?? types[type] ?? 1
  return { shape: prior.shape, days: prior.days / factor }
}

/** The plan of an empty CrawlDb. */
export function firstPlan(options: PlanOptions): FreshnessPlan {
  return makePlan({ buckets: [], withoutEstimate: 0, unfetched: 0, types: [], hosts: [] }, options)
}

function sumOf(buckets: readonly RateBucket[], weigh: (bucket: RateBucket) => number): number {
  return buckets.reduce((sum, bucket) => sum + bucket.pages * weigh(bucket), 0)
}

function meanLogRate(groups: readonly RateGroup[]): number {
  const pages = groups.reduce((sum, group) => sum + group.pages, 0)
  return pages === 0 ? 0 : groups.reduce((sum, group) => sum + group.pages * group.meanLogRate, 0) / pages
}

/** Logarithms of factors. Small groups stay near the group they are part of. */
function logFactors(groups: readonly RateGroup[], overall: number): Map<string, number> {
  return new Map(groups.map((group) => [group.type, (group.meanLogRate - overall) * weightOf(group)]))
}

function hostLogFactors(
  groups: readonly HostRateGroup[],
  types: ReadonlyMap<string, number>,
  overall: number,
): Map<string, number> {
  return new Map(
    groups.map((group) => {
      const ofType = types.get(group.type) ?? 0
      const own = (group.meanLogRate - overall - ofType) * weightOf(group)
      return [`${group.host} ${group.type}`, ofType + own]
    }),
  )
}

function weightOf({ pages }: RateGroup): number {
  return pages / (pages + GROUP_WEIGHT)
}

function factors(logs: ReadonlyMap<string, number>): Record<string, number> {
  return Object.fromEntries([...logs].map(([name, log]) => [name, Number(Math.exp(log).toPrecision(4))]))
}

/** The first belief is worth this many changes: some pages change every hour, most never. */
const FIRST_SHAPE = 0.5
/** Pages that an assumed first belief counts for, next to the pages with an estimate. */
const FIRST_WEIGHT = 100

/**
 * The gamma distribution of the rates of all pages: one step of its maximum-likelihood estimate (expectation-maximization). The estimates
 * of pages depend on the prior of the plan before, so that the plans of later updates come nearer.
 */
function fitPrior(buckets: readonly RateBucket[], defaultIntervalDays: number): RateBelief {
  const assumed = { shape: FIRST_SHAPE, days: FIRST_SHAPE * defaultIntervalDays, pages: FIRST_WEIGHT }
  let pages = 0
  let rates = 0
  let logs = 0
  for (const bucket of [assumed, ...buckets]) {
    pages += bucket.pages
    rates += (bucket.pages * bucket.shape) / bucket.days
    logs += bucket.pages * (digamma(bucket.shape) - Math.log(bucket.days))
  }
  const rate = rates / pages
  const shape = Math.min(Math.max(shapeFor(Math.log(rate) - logs / pages), 0.1), 5)
  return { shape, days: shape / rate }
}

/** Solves log(shape) − digamma(shape) = spread by the usual approximation and two steps of Newton. */
function shapeFor(spread: number): number {
  const s = Math.max(spread, 1e-6)
  let shape = (3 - s + Math.sqrt((s - 3) ** 2 + 24 * s)) / (12 * s)
  for (let step = 0; step < 4; step++) {
    const h = 1e-4 * shape
    const at = Math.log(shape) - digamma(shape) - s
    const slope = (Math.log(shape + h) - digamma(shape + h) - s - at) / h
    const next = shape - at / slope
    shape = next > 0 ? next : shape / 2
  }
  return shape
}

/** Derivative of the logarithm of the gamma function, for x > 0. */
function digamma(x: number): number {
  let value = 0
  let at = x
  for (; at < 6; at++) value -= 1 / at
  const square = 1 / (at * at)
  return value + Math.log(at) - 0.5 / at - square * (1 / 12 - square * (1 / 120 - square / 252))
}
