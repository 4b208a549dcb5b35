import { columnWidth, formatCount, formatNumber, printableLine } from '../base/format-values.ts'
import type { FetchFailure } from '../domain/segment/fetch-failure.ts'
import { causeText, detailOf, kindText, remedyFor } from '../wiring/failure-words.ts'

/** The code of a run that was given work and fetched nothing. */
export const NOTHING_FETCHED = 'NOTHING_FETCHED'

/** The error of a run that was given work and fetched nothing, for `--json`. */
export function nothingFetched(failures: readonly FetchFailure[]) {
  return { error: { code: NOTHING_FETCHED, message: nothingFetchedText(failures) } }
}

/** One line for a run without a fetched page: the cause, other causes, and what to do next. */
export function nothingFetchedText(failures: readonly FetchFailure[]): string {
  const [first, ...others] = failures
  if (first === undefined) return '0 pages: no page could be fetched'
  const same =
    first.count > 1 ? [`${formatCount(first.count - 1, 'more request')} failed in the same way`] : []
  const kinds = others.slice(0, 4).map(({ kind, count }) => `${formatNumber(count)} × ${kindText(kind)}`)
  const more = others.length > 4 ? [formatCount(others.length - 4, 'more kind')] : []
  const also = kinds.length > 0 ? [`also ${[...kinds, ...more].join(', ')}`] : []
  return `0 pages: ${[causeText(first), ...same, ...also].join('; ')}. ${remedyFor(first.kind)}`
}

/**
 * A line per kind of failure: count, kind, the first URL. If there are few kinds, more examples follow.
 * @param more where the others are listed: a command
 */
export function failureLines(failures: readonly FetchFailure[], more?: string): string[] {
  if (failures.length === 0) return []
  const shown = failures.slice(0, MAX_EXAMPLES)
  const spare = MAX_EXAMPLES - shown.length
  const counts = columnWidth(shown.map(({ count }) => formatNumber(count)))
  const kinds = columnWidth(shown.map(({ kind }) => kindText(kind)))
  let examples = 0
  const lines = shown.flatMap((failure, i) => {
    const { count, kind, url } = failure
    const next = i === 0 ? (failure.more ?? []).slice(0, spare) : []
    examples += 1 + next.length
    const head = `  ${formatNumber(count).padStart(counts)}  ${kindText(kind).padEnd(kinds)}  `
    const rows = [{ url, detail: detailText(failure) }, ...next.map((one) => ({ url: one.url, detail: '' }))]
    return rows.map((row, at) =>
      fitLine(`${at === 0 ? head : ' '.repeat(head.length)}${printableLine(row.url, 300)}${row.detail}`),
    )
  })
  const total = failures.reduce((sum, { count }) => sum + count, 0)
  if (total === examples) return lines
  const remaining = `  and ${formatNumber(total - examples)} more`
  return [...lines, more === undefined ? remaining : `${remaining}: ${more}`]
}

/** The first failed requests of a spider, one of each kind: code, URL, reason. If there are few kinds, more examples follow. */
export function exampleLines(failures: readonly FetchFailure[]): string[] {
  const first = failures.slice(0, MAX_EXAMPLES)
  const more = first.flatMap(({ kind, more: others = [] }) => others.map((one) => ({ kind, ...one })))
  const shown = [...first, ...more.slice(0, Math.max(0, FEW_EXAMPLES - first.length))]
  const width = columnWidth(shown.map(({ kind }) => kind))
  const total = failures.reduce((sum, { count }) => sum + count, 0)
  return [
    ...shown.map(({ kind, url, reason }) =>
      fitLine(`  ${kind.padEnd(width)}  ${printableLine(url, 300)}  ${printableLine(reason, 300)}`),
    ),
    ...moreLines(total - shown.length),
  ]
}

/** `and 120 more`, if there are more. */
export function moreLines(n: number): string[] {
  return n > 0 ? [`  and ${formatNumber(n)} more`] : []
}

const FEW_EXAMPLES = 3
const MAX_EXAMPLES = 5

/** What the reason says in addition to the kind. */
function detailText(failure: FetchFailure): string {
  const detail = printableLine(detailOf(failure), 200)
  const isKnown = /^HTTP \d+$|^the server returned \d+$/.test(detail) || detail === failure.kind
  return isKnown ? '' : `  ${detail}`
}

/** At most 80 columns. */
export function fitLine(line: string): string {
  return line.length <= MAX_COLUMNS ? line : `${line.slice(0, MAX_COLUMNS - 1)}…`
}

export const MAX_COLUMNS = 80
