import { appendAll } from '../../base/append-all.ts'
import { dropReason } from '../../base/drop-counts.ts'
import type { Truncation } from '../fetch/fetch-outcome.ts'
import { CONTENT_STATUSES, type FetchRow } from './segment-rows.ts'

/** Failed fetches with the same kind of reason, and the first of them. */
export interface FetchFailure {
  /** `dns-not-found`, `connect-refused`, `HTTP 403`, `robots.txt disallows`, … */
  readonly kind: string
  readonly count: number
  readonly url: string
  /** Reason of the first one, for display. */
  readonly reason: string
  /** The next ones; at most four. Absent if not known. */
  readonly more?: readonly FailureExample[]
}

/** One failed fetch. */
export interface FailureExample {
  readonly url: string
  readonly reason: string
}

type FailedRow = Pick<FetchRow, 'status' | 'protocolStatus' | 'reason' | 'httpStatus' | 'dropped'>

/** The kind of failure of a fetch; `undefined` for a page, or for a redirect that is followed now or later. */
export function failureKind(row: FailedRow): string | undefined {
  const { status, protocolStatus, httpStatus, reason = protocolStatus } = row
  if (CONTENT_STATUSES.includes(status) || status === 'fetch_notmodified') return undefined
  if (status === 'fetch_redir_temp' || status === 'fetch_redir_perm') {
    const [rule] = Object.keys(row.dropped ?? {})
    return rule === undefined ? undefined : `redirect not followed (${rule})`
  }
  if (protocolStatus === 'ROBOTS_DENIED') return 'robots.txt disallows'
  // If a host cannot be reached, the request for its robots.txt fails first.
  const cause =
    /\((?:network-failure|refused|too-large): ([\w-]+)/.exec(reason)?.[1] ??
    /^robots\.txt could not be fetched \(([\w-]+)\)/.exec(reason)?.[1]
  if (cause !== undefined) return cause
  const robotsStatus = /^robots\.txt returned (\d+)/.exec(reason)?.[1]
  if (robotsStatus !== undefined) return `HTTP ${robotsStatus} for robots.txt`
  return httpStatus === undefined ? dropReason(reason) : `HTTP ${httpStatus}`
}

/** Counts failures by kind. Kinds beyond `MAX_KINDS` are counted as `other`. */
export class FailureTally {
  readonly #failures = new Map<string, CountedFailure>()

  add(row: FailedRow & Pick<FetchRow, 'url'>, count = 1): void {
    const kind = failureKind(row)
    if (kind !== undefined)
      this.count({ kind, count, url: row.url, reason: row.reason ?? row.protocolStatus })
  }

  addAll(failures: readonly FetchFailure[]): void {
    for (const failure of failures) this.count(failure)
  }

  /** Most frequent first. */
  failures(): FetchFailure[] {
    return [...this.#failures]
      .map(([kind, { count, url, reason, more }]) => ({
        ...{ kind, count, url, reason },
        ...(more.length > 0 && { more: [...more] }),
      }))
      .sort((a, b) => b.count - a.count)
  }

  count({ kind, count, url, reason, more = [] }: FetchFailure): void {
    const name = this.#failures.has(kind) || this.#failures.size < MAX_KINDS ? kind : 'other'
    const known = this.#failures.get(name)
    if (known === undefined) {
      this.#failures.set(name, { count, url, reason, more: more.slice(0, MAX_MORE) })
      return
    }
    known.count += count
    if (known.more.length < MAX_MORE)
      appendAll(known.more, [{ url, reason }, ...more].slice(0, MAX_MORE - known.more.length))
  }
}

interface CountedFailure {
  count: number
  readonly url: string
  readonly reason: string
  readonly more: FailureExample[]
}

const MAX_KINDS = 50
const MAX_MORE = 4

/** The drop reason of a truncated body. */
export function truncationReason(truncated: Truncation | string): string {
  return truncated === 'size' ? 'http.maxBodyBytes' : `body cut short (${truncated})`
}
