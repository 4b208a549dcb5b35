import type { InjectSummary } from '../flows/cycle/inject.ts'
import { formatCount, formatCounts, formatNumber, printableLine } from './format-values.ts'

/** The result of `inject`, and of the first step of `crawl`. */
export function injectReport(dir: string, summary: InjectSummary): string {
  const { seeds, injected, merged, repeated, rejected, badItems, examples } = summary
  if (seeds === 0) return 'no URL was given\n'
  const parts = [
    `${formatCount(injected, 'new URL')} in ${dir}`,
    ...(merged > 0 ? [`${formatNumber(merged)} known`] : []),
    ...(repeated > 0 ? [`${formatNumber(repeated)} repeated`] : []),
    ...(Object.keys(rejected).length > 0 ? [`rejected: ${formatCounts(rejected)}`] : []),
    ...(badItems > 0 ? [`${formatCount(badItems, 'item')} left out`] : []),
  ]
  const problems = examples.map(
    ({ at, url, reason }) => `  ${printableLine(at)}  ${printableLine(url)}  ${printableLine(reason)}`,
  )
  return `${[parts.join('; '), ...problems].join('\n')}\n`
}
