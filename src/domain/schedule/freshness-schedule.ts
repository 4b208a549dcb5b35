import { ConfigurationError } from '../../base/crawl-error.ts'
import { hostOf } from '../url/host-of.ts'
import { addFetch, NO_HISTORY } from './change-history.ts'
import { type RateBelief, updatedBelief } from './change-rate.ts'
import {
  createDefaultSchedule,
  type DefaultScheduleOptions,
  firstTiming,
  goneTiming,
  intervalLimits,
  modifiedTimeAfter,
  retryTiming,
} from './default-schedule.ts'
import { explainFreshness } from './explain-freshness.ts'
import { DAY_SECONDS, type FetchSchedule } from './fetch-schedule.ts'
import { fixedInterval } from './fixed-interval.ts'
import { freshnessGain, intervalFor } from './freshness-gain.ts'
import { type FreshnessPlan, firstPlan, groupPrior, makePlan, type PlanOptions } from './freshness-plan.ts'
import { CHANGEFREQ_KEY, statedChange } from './listed-page.ts'
import { CHANGES_KEY, formatChanges, parseChanges } from './stored-changes.ts'

/** Options of {@link createFreshnessSchedule}. */
export interface FreshnessScheduleOptions extends DefaultScheduleOptions {
  /** Shortest interval of any page. @default 3600 */
  readonly minIntervalSeconds?: number
  /** Budget: fetches of known pages per day, on average. @default every page once per default interval */
  readonly budget?: number
}

/**
 * Fetches pages so that the largest possible part of the copies is fresh, with a budget of fetches per day. The change rate of each page is estimated
 * from its fetches, and at first from those of its host and content type. Pages that change so often that a copy is hardly ever
 * fresh get few fetches; pages of which little is known are explored.
 * @example
 * const schedule: FetchSchedule = createFreshnessSchedule({ budget: 10_000 })
 */
export function createFreshnessSchedule(options: FreshnessScheduleOptions = {}): FetchSchedule {
  const limits = intervalLimits(options)
  const plain = createDefaultSchedule(options)
  const { minIntervalSeconds = 3_600, budget } = options
  const { defaultIntervalSeconds, maxIntervalSeconds } = limits
  if (!(minIntervalSeconds >= 1 && minIntervalSeconds <= maxIntervalSeconds))
    throw new ConfigurationError(
      'SETTING_INVALID',
      `minIntervalSeconds is ${minIntervalSeconds}; give 1 to maxIntervalSeconds (${maxIntervalSeconds})`,
    )
  if (budget !== undefined && !(budget > 0))
    throw new ConfigurationError('SETTING_INVALID', `budget is ${budget}; give fetches per day, above 0`)
  const planOptions: PlanOptions = {
    ...(budget !== undefined && { fetchesPerDay: budget }),
    defaultIntervalDays: defaultIntervalSeconds / DAY_SECONDS,
    range: { min: minIntervalSeconds / DAY_SECONDS, max: maxIntervalSeconds / DAY_SECONDS },
  }
  return scheduleFor(firstPlan(planOptions))

  function scheduleFor(plan: FreshnessPlan): FetchSchedule {
    const gain = plan.gain ?? Number.POSITIVE_INFINITY
    const { range } = planOptions
    return {
      maxIntervalSeconds,
      planning: { makePlan: (figures) => makePlan(figures, planOptions), withPlan: scheduleFor },
      initialise: (now) => firstTiming(now, limits),

      onFetched(page, fetchedAt, change, evidence) {
        // A redirect has no content.
        if (evidence === undefined) return plain.onFetched(page, fetchedAt, change)
        const stored = parseChanges(page.metadata)
        const contentType = evidence.contentType ?? stored?.contentType ?? '-'
        const changedAt = evidence.changedAt ?? statedChange(page.metadata, fetchedAt)
        const history = addFetch(stored?.history ?? NO_HISTORY, fetchedAt, change, changedAt)
        const belief = updatedBelief(priorOf(page, contentType, plan), history)
        const fixed = fixedInterval(page)
        const days = intervalFor(belief, gain, range)
        const interval = fixed ?? Math.round(days * DAY_SECONDS)
        const fetchInterval = Math.min(interval, maxIntervalSeconds)
        const isFirst = stored === undefined && fixed === undefined
        const wait = isFirst ? fetchInterval * firstPart(page.url) : fetchInterval
        const kept = Math.min(evidence.maxAgeSeconds ?? 0, MAX_AGE_KEPT_SECONDS, maxIntervalSeconds)
        const waitSeconds = Math.max(wait, Math.min(minIntervalSeconds, fetchInterval), fixed ? 0 : kept)
        return {
          fetchTime: fetchedAt + Math.round(waitSeconds * 1000),
          fetchInterval,
          modifiedTime: modifiedTimeAfter(page, fetchedAt, change),
          retries: 0,
          metadata: { [CHANGES_KEY]: formatChanges({ history, belief, contentType }) },
        }
      },

      onListed(page, lastFetchTime, now) {
        const belief = parseChanges(page.metadata)?.belief
        // The copy is stale for certain. A page that changes so often that fetches bring too little keeps its time.
        const isWorthIt = belief === undefined || freshnessGain(belief, CERTAINLY_CHANGED_DAYS) > gain
        return isWorthIt ? Math.max(now, lastFetchTime + minIntervalSeconds * 1000) : page.fetchTime
      },

      onGone: (page, fetchedAt) => goneTiming(page, fetchedAt, limits),
      onRetry: (page, fetchedAt) => retryTiming(page, fetchedAt, limits),
      explain: (page) => explainFreshness(page, plan),
    }
  }
}

/** A response that claims to be fresh for a year is usually an error of the server's settings; it is believed for a week. */
const MAX_AGE_KEPT_SECONDS = 7 * DAY_SECONDS

/** An interval after which every page has changed. */
const CERTAINLY_CHANGED_DAYS = 1e6

/** The belief about a page of this host and content type that was never fetched. */
function priorOf(
  { url, metadata }: { readonly url: string; readonly metadata: Readonly<Record<string, string>> },
  contentType: string,
  plan: FreshnessPlan,
): RateBelief {
  const kind = groupPrior(plan, hostOf(url), contentType)
  const period = FREQUENCY_DAYS[metadata[CHANGEFREQ_KEY] ?? '']
  // A claim of the site counts as much as one change.
  return period === undefined ? kind : { shape: kind.shape + 1, days: kind.days + period }
}

const FREQUENCY_DAYS: Readonly<Record<string, number>> = {
  ...{ always: 1 / 24, hourly: 1 / 24, daily: 1, weekly: 7, monthly: 30, yearly: 365, never: 1_000 },
}

/**
 * The part of the interval that a page waits after its first fetch, 5 to 100 %, by its URL: pages that were first fetched in one hour do not
 * all come due in another.
 */
function firstPart(url: string): number {
  let hash = 0x811c9dc5
  for (let i = 0; i < url.length; i++) hash = Math.imul(hash ^ url.charCodeAt(i), 0x01000193)
  // Mixes the last characters into the high bits.
  hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d)
  return 0.05 + 0.95 * (((hash ^ (hash >>> 13)) >>> 0) / 0x1_0000_0000)
}
