import { formatCount, formatNumber } from '../../base/format-values.ts'
import { hostOf } from '../url/host-of.ts'
import { meanRate, ownRate } from './change-rate.ts'
import type { ScheduledPage } from './fetch-schedule.ts'
import { expectedFreshness, freshnessGain } from './freshness-gain.ts'
import { type FreshnessPlan, groupPrior } from './freshness-plan.ts'
import { CHANGEFREQ_KEY, LASTMOD_KEY, LASTMOD_WRONG_KEY } from './listed-page.ts'
import { parseChanges } from './stored-changes.ts'

/** The evidence about the changes of a page, the estimate, and the reason for its interval. */
export function explainFreshness(page: ScheduledPage, plan: FreshnessPlan): string[] {
  const stored = parseChanges(page.metadata)
  if (stored === undefined) return ['no fetch with content yet', ...claims(page)]
  const { history, belief, contentType } = stored
  const changes = history.datedChanges + history.undatedChanges
  const own = ownRate(history)
  const days = Math.max(page.fetchInterval, 1) / 86_400
  const gain = plan.gain ?? Number.POSITIVE_INFINITY
  const sources = [
    own === undefined || own === 0
      ? 'its own fetches alone: no change'
      : `its own fetches alone: ${every(own)}`,
    `pages of ${kindOf(page.url, contentType, plan)}: ${every(meanRate(groupPrior(plan, hostOf(page.url), contentType)))}`,
  ]
  return [
    history.fetches === 0
      ? 'one fetch, nothing to compare it with'
      : `${formatCount(history.fetches, 'fetch', 'fetches')} compared: ${formatCount(changes, 'change')} (${history.datedChanges} with a date), ${round(history.unchangedDays)} days without a change`,
    `estimate: changes ${every(meanRate(belief))} (${sources.join('; ')}); worth ${round(belief.shape)} observed changes`,
    ...claims(page),
    freshnessGain(belief, CERTAINLY_CHANGED_DAYS) <= gain
      ? `interval ${round(days)} days, the longest: it changes too often for the budget of ${formatNumber(Math.round(plan.fetchesPerDay))} fetches per day; they keep other pages fresher`
      : `interval ${round(days)} days: expected to be fresh ${Math.round(100 * expectedFreshness(belief, days))} % of the time; the budget is ${formatNumber(Math.round(plan.fetchesPerDay))} fetches per day`,
  ]
}

const CERTAINLY_CHANGED_DAYS = 1e6

function claims({ metadata }: ScheduledPage): string[] {
  const date = metadata[LASTMOD_KEY]
  const frequency = metadata[CHANGEFREQ_KEY]
  const parts = [
    ...(date === undefined ? [] : [`changed at ${date}`]),
    ...(frequency === undefined ? [] : [`changes: ${frequency}`]),
    ...(metadata[LASTMOD_WRONG_KEY] === undefined
      ? []
      : ['the date was wrong at the last fetch and is ignored']),
  ]
  return parts.length === 0 ? [] : [`a sitemap or feed states: ${parts.join(', ')}`]
}

/** The pages that the estimate starts from. */
function kindOf(url: string, type: string, { hosts, types }: FreshnessPlan): string {
  if (hosts[`${hostOf(url)} ${type}`] !== undefined) return `its host and content type (${type})`
  return types[type] === undefined ? 'the whole crawl' : `its content type (${type})`
}

function every(rate: number): string {
  return rate >= 1 ? `${round(rate)} times per day` : `every ${round(1 / rate)} days`
}

function round(value: number): string {
  return formatNumber(Number(value.toPrecision(value >= 100 ? 3 : 2)))
}
