import type { TargetResult } from '../flows/cycle/index-pages.ts'
import { failureText } from './failure-text.ts'
import { formatCount, formatCounts, formatNumber, printableLine } from './format-values.ts'

export function didNothing(results: readonly TargetResult[]): boolean {
  return results.every(
    ({ ended, put, deleted, refused }) => ended === 'done' && put + deleted + refused === 0,
  )
}

/** A line for each index, and what went wrong. */
export function indexReport(results: readonly TargetResult[]): string {
  return results.map((result) => `${resultLines(result).join('\n')}\n`).join('')
}

function resultLines(result: TargetResult): string[] {
  const { target, ended, put, unindexed, refused, refusals, error } = result
  const leftOut = Object.values(unindexed).reduce((sum, n) => sum + n, 0)
  const numbers = [
    ...(put > 0 ? [`${formatCount(put, 'page')} put`] : []),
    ...(leftOut > 0 ? [`${formatNumber(leftOut)} taken or left out (${formatCounts(unindexed)})`] : []),
    ...(refused > 0 ? [`${formatNumber(refused)} refused`] : []),
  ]
  const ends = { done: '', interrupted: '; interrupted: the same command goes on', failed: '; failed' }
  return [
    `${printableLine(target)}: ${numbers.join(', ') || (ended === 'done' ? 'up to date' : 'nothing done')}${ends[ended]}`,
    ...(error === undefined ? [] : [`  ${printableLine(failureText(error), 1_000)}`]),
    ...refusals.map(
      ({ id, reason }) => `  refused: ${printableLine(id, 500)}: ${printableLine(reason, 500)}`,
    ),
  ]
}

/** Results as `--json` shows them. */
export function indexJson(results: readonly TargetResult[]): object[] {
  return results.map(({ error, ...result }) => ({
    ...result,
    ...(error !== undefined && { error: failureText(error) }),
  }))
}
