import { formatCount, formatCounts, formatNumber, printableLine } from '../base/format-values.ts'
import type { InjectSummary } from '../flows/cycle/inject.ts'

/** Whether no seed was accepted: none was given, or all were rejected. */
export function isNothingInjected({ injected, merged, repeated }: InjectSummary): boolean {
  return injected + merged + repeated === 0
}

/** The reason for a crawl without a seed. */
export function rejectedSeedsText({ seeds, rejected, examples }: InjectSummary): string {
  if (seeds === 0) return 'nothing to do: no URL was given\n'
  const [first] = examples
  const example = first === undefined ? '' : ` (${printableLine(first.url)}: ${printableLine(first.reason)})`
  return `nothing to do: all seeds were rejected: ${formatCounts(rejected)}${example}\n`
}

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
