import { dropReason } from '../base/drop-counts.ts'
import { formatNumber } from '../base/format-values.ts'
import type { FetchFailure } from '../domain/segment/fetch-failure.ts'
import { failureLines } from './failure-report.ts'
import { wrapped } from './report-texts.ts'

/** The part of the result of a crawl or a fetch that counts outcomes. */
export interface Outcomes {
  readonly statuses: Readonly<Record<string, number>>
  readonly failures: readonly FetchFailure[]
  readonly notReached: Readonly<Record<string, number>>
}

/** Outcomes in plain words: `118 fetched, 7 redirected, 14 failed, 30 disallowed by robots.txt`; `''` if there are none. */
export function outcomeCounts({ statuses, failures }: Outcomes): string {
  const of = (...names: string[]) => names.reduce((sum, name) => sum + (statuses[name] ?? 0), 0)
  const disallowed = failures.find(({ kind }) => kind === DISALLOWED)?.count ?? 0
  const counts: ReadonlyArray<readonly [number, string]> = [
    [of('fetch_success'), 'fetched'],
    [of('fetch_notmodified'), 'not modified'],
    [of('parse_failed'), 'fetched but not parsed'],
    [of('fetch_redir_temp', 'fetch_redir_perm'), 'redirected'],
    [Math.max(0, of('fetch_gone', 'fetch_retry') - disallowed), 'failed'],
    [disallowed, 'disallowed by robots.txt'],
    [of('not_reached'), 'not reached'],
  ]
  return counts
    .filter(([n]) => n > 0)
    .map(([n, text]) => `${formatNumber(n)} ${text}`)
    .join(', ')
}

/** The counts, the kinds of failures with examples, and why URLs were not reached. @param more lists the other failures: a command */
export function outcomeLines(outcomes: Outcomes, more: string): string[] {
  const counts = outcomeCounts(outcomes)
  const failures = failedRequests(outcomes)
  return [
    ...(counts === '' ? [] : wrapped(counts)),
    ...(failures.length > 0 ? ['failed:', ...failureLines(failures, more)] : []),
    ...Object.entries(outcomes.notReached)
      .sort(([, a], [, b]) => b - a)
      .slice(0, MAX_REASONS)
      .flatMap(([reason, n]) =>
        wrapped(`not reached: ${formatNumber(n)} (${NOT_REACHED[reason] ?? reason})`),
      ),
  ]
}

/** Failures of requests: without URLs that were not reached, which are told apart, and those that robots.txt disallows, which are counted. */
function failedRequests({ failures, notReached }: Outcomes): FetchFailure[] {
  const unreached = new Set(Object.keys(notReached).map(dropReason))
  return failures.filter(({ kind }) => kind !== DISALLOWED && !unreached.has(kind))
}

/** Whether a run was given work, and could fetch nothing: neither a limit nor the user stopped it. */
export function couldFetchNothing(pages: number, { failures }: Pick<Outcomes, 'failures'>): boolean {
  return pages === 0 && failures.some(({ kind }) => !(kind in NOT_REACHED) || kind === 'too-many-failures')
}

const DISALLOWED = 'robots.txt disallows'
const MAX_REASONS = 3

/** Texts for the reasons of URLs that were not reached. */
const NOT_REACHED: Readonly<Record<string, string>> = {
  'time limit': '--max-time was reached',
  'too few pages per second': 'slower than --min-pages-per-second',
  'too-many-failures': 'too many failures of the host in a row',
  'rest-too-long': 'the server requires a long delay',
}
