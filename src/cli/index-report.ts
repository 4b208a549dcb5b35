import { formatCount, formatCounts, formatNumber, printableLine } from '../base/format-values.ts'
import type { TargetResult } from '../flows/cycle/index-pages.ts'
import { failureText } from './failure-text.ts'

export function didNothing(results: readonly TargetResult[]): boolean {
  return results.every(
    ({ ended, put, deleted, refused }) => ended === 'done' && put + deleted + refused === 0,
  )
}

/** A line per index, then its errors. */
export function indexReport(results: readonly TargetResult[]): string {
  return results.map((result) => `${resultLines(result).join('\n')}\n`).join('')
}

function resultLines(result: TargetResult): string[] {
  const { target, ended, put, updated, unindexed, refused, refusals, error } = result
  const leftOut = Object.values(unindexed).reduce((sum, n) => sum + n, 0)
  const numbers = [
    ...(put > updated ? [`${formatCount(put - updated, 'page')} indexed`] : []),
    ...(updated > 0 ? [`${formatCount(updated, 'page')} updated`] : []),
    ...(leftOut > 0 ? [`${formatNumber(leftOut)} skipped or deleted (${formatCounts(unindexed)})`] : []),
    ...(refused > 0 ? [`${formatNumber(refused)} rejected by the index`] : []),
  ]
  const ends = { done: '', interrupted: '; interrupted: run the command again to resume', failed: '; failed' }
  return [
    `${printableLine(target)}: ${numbers.join(', ') || (ended === 'done' ? 'up to date' : 'no page indexed')}${ends[ended]}`,
    ...(error === undefined ? [] : [`  ${printableLine(failureText(error), 1_000)}`]),
    ...refusals.map(
      ({ id, reason }) => `  rejected: ${printableLine(id, 500)}: ${printableLine(reason, 500)}`,
    ),
  ]
}

/** Results for `--json`. */
export function indexJson(results: readonly TargetResult[]): object[] {
  return results.map(({ error, ...result }) => ({
    ...result,
    ...(error !== undefined && { error: failureText(error) }),
  }))
}
