import { DropCounter, type DropCounts, dropReason } from '../../base/drop-counts.ts'
import type { FetchOutcome } from '../../domain/fetch/fetch-outcome.ts'
import { FailureTally, type FetchFailure, truncationReason } from '../../domain/segment/fetch-failure.ts'
import { type HostFailures, HostTally, type HostTime } from '../../domain/segment/host-tally.ts'
import { hostOf } from '../../domain/url/host-of.ts'
import type { ItemFile } from './file-options.ts'
import { failureCode } from './retry-policy.ts'

/** Counts of a spider run so far. Counts by kind have only the kinds that occurred. */
export interface SpiderStats {
  /** Pages that went to a handler. */
  readonly pages: number
  readonly items: number
  /** Rejected by the schema. */
  readonly rejected: number
  /** The first of them; at most five. */
  readonly rejectedExamples: readonly RejectedExample[]
  /** Dropped by pipelines, by reason. */
  readonly dropped: Readonly<Record<string, number>>
  /** Requests sent, including retries and redirects. */
  readonly requests: number
  readonly redirects: number
  /** By failure class. */
  readonly retries: Readonly<Record<string, number>>
  /** Requests that finally failed, by code. */
  readonly failed: Readonly<Record<string, number>>
  /** Requests without a page, by kind: those in `failed`, and those that robots.txt disallows; with the first URL of each kind. */
  readonly failures: readonly FetchFailure[]
  /** Requests that were not sent, by rule. */
  readonly skipped: DropCounts
  /** Truncated bodies, by reason. */
  readonly truncated: DropCounts
  /** Requests that were already in the frontier. */
  readonly duplicates: number
  /** Files of items, by what became of them. */
  readonly files: Readonly<Record<ItemFile['status'], number>>
  /** Bytes received on the wire. */
  readonly bytes: number
  readonly durationMs: number
  readonly hosts: number
  /** Those that took longest to respond, on average; at most ten. */
  readonly slowest: readonly HostTime[]
  /** Those with the most failed requests; at most ten. */
  readonly failing: readonly HostFailures[]
}

/** An item that the schema rejected. */
export interface RejectedExample {
  /** The page that it was found on. */
  readonly url: string
  readonly reason: string
}

/** Counts while the crawl runs. */
export class StatsCounter {
  pages = 0
  items = 0
  rejected = 0
  duplicates = 0
  readonly #dropped = new Map<string, number>()
  readonly #retries = new Map<string, number>()
  readonly #failed = new Map<string, number>()
  readonly #skipped = new DropCounter()
  readonly #truncated = new DropCounter()
  readonly #failures = new FailureTally()
  readonly #hosts = new HostTally()
  readonly #rejectedExamples: RejectedExample[] = []
  readonly #files = { downloaded: 0, 'not-modified': 0, cached: 0, failed: 0 }
  #requests = 0
  #redirects = 0
  #bytes = 0

  fetched(outcome: FetchOutcome): void {
    this.#requests++
    if (outcome.kind === 'moved') this.#redirects++
    const body = 'body' in outcome ? outcome.body : undefined
    this.#bytes += body?.wireBytes ?? 0
    if (body?.truncated !== undefined) this.#truncated.add(truncationReason(body.truncated))
    const failure = isFailure(outcome) ? failureCode(outcome) : undefined
    this.#hosts.add(hostOf(outcome.url), outcome.timings.totalMs, failure)
  }

  /** Items of one page that the schema rejected. */
  rejects(url: string, reasons: readonly string[]): void {
    this.rejected += reasons.length
    for (const reason of reasons)
      if (this.#rejectedExamples.length < MAX_EXAMPLES) this.#rejectedExamples.push({ url, reason })
  }

  fileEnded({ status }: ItemFile): void {
    this.#files[status]++
  }

  dropped(reason: string): void {
    count(this.#dropped, reason)
  }

  /** Retries of all kinds. */
  get retries(): number {
    return this.#retries.values().reduce((sum, n) => sum + n, 0)
  }

  retried(failure: string): void {
    count(this.#retries, failure)
  }

  failed(code: string, url: string, reason: string): void {
    count(this.#failed, code)
    this.#failures.count({ kind: code, count: 1, url, reason })
  }

  disallowed(url: string, reason: string): void {
    this.skipped(reason)
    this.#failures.count({ kind: 'robots.txt disallows', count: 1, url, reason })
  }

  /** @param rule counted by its part before the first colon: `scope: …` */
  skipped(rule: string, times = 1): void {
    this.#skipped.add(dropReason(rule), times)
  }

  snapshot(durationMs: number): SpiderStats {
    const { count: hosts, slowest, failing } = this.#hosts.figures()
    return {
      pages: this.pages,
      items: this.items,
      rejected: this.rejected,
      rejectedExamples: [...this.#rejectedExamples],
      dropped: Object.fromEntries(this.#dropped),
      requests: this.#requests,
      redirects: this.#redirects,
      retries: Object.fromEntries(this.#retries),
      failed: Object.fromEntries(this.#failed),
      failures: this.#failures.failures(),
      skipped: this.#skipped.counts(),
      truncated: this.#truncated.counts(),
      duplicates: this.duplicates,
      files: { ...this.#files },
      bytes: this.#bytes,
      durationMs: Math.round(durationMs),
      ...{ hosts, slowest, failing },
    }
  }
}

function isFailure({ kind }: FetchOutcome): boolean {
  return kind !== 'success' && kind !== 'moved' && kind !== 'not-modified'
}

const MAX_EXAMPLES = 5
/** Reasons are given by the user and may contain numbers: bounds the number of kinds. */
const MAX_KINDS = 100

function count(kinds: Map<string, number>, kind: string): void {
  const known = kinds.has(kind) || kinds.size < MAX_KINDS
  const name = known ? kind : 'other'
  kinds.set(name, (kinds.get(name) ?? 0) + 1)
}
