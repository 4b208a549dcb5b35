import { appendAll } from '../../base/append-all.ts'
import type { Clock } from '../../base/clock.ts'
import { nextSecond } from '../../base/clock.ts'
import { CrawlError } from '../../base/crawl-error.ts'
import type { JsonObject } from '../../base/json.ts'
import type { DeadLetters } from '../../domain/frontier/dead-letters.ts'
import type { Fleet, FleetWorker } from '../../domain/frontier/fleet.ts'
import type { Frontier } from '../../domain/frontier/frontier.ts'
import type { ParseRules } from '../../domain/parse/parse-rules.ts'
import { notReachedRow } from '../../domain/segment/fetch-row.ts'
import type { FetchListEntry } from '../../domain/segment/segment-rows.ts'
import type { SegmentStore } from '../../domain/segment/segment-store.ts'
import { type FetchResult, FetchTally } from './fetch-result.ts'
import { fetchTask, type TaskEntry } from './fetch-task.ts'
import { listedRequest } from './listed-request.ts'
import { RedirectPolicy } from './redirect-policy.ts'

export interface OfferParts {
  /** The time of the fleet. */
  readonly clock: Clock
  readonly frontier: Frontier
  readonly fleet: Pick<Fleet, 'workers'>
  /** The dead letters of the fleet. */
  readonly deadLetters: Pick<DeadLetters, 'failed'>
  readonly segments: Pick<SegmentStore, 'remaining' | 'openRedirects' | 'append' | 'fetchCounts'>
  /** For redirects, which this process decides because it has the CrawlDb. */
  readonly rules: ParseRules
  /** As in `FetchParts`. @default every redirect may be followed */
  readonly shouldFollow?: (url: string) => boolean | Promise<boolean>
  /** Announces the offer to the fleet (`offerStatus`); called after URLs were queued. */
  readonly announce: () => Promise<void>
  /**
   * Fetches in this process, too (`workOnSegment`), until the signal aborts at the end of the offer. @default only other workers fetch
   */
  readonly work?: (over: AbortSignal) => Promise<unknown>
}

export interface OfferOptions {
  /** Redirects followed in a row; 0: their targets wait for a later round. @default 5 */
  readonly redirectMax?: number
  /** Maximum delay until the rows of a worker are visible here: network file systems cache directories. @default 90000 */
  readonly rowsAfterMs?: number
  /** Called every second. */
  readonly onProgress?: (progress: OfferProgress) => void
}

/** The progress of an offer, over all workers. */
export interface OfferProgress {
  readonly elapsedMs: number
  /** URLs without a row. */
  readonly left: number
  readonly workers: number
  /** As reported by the workers. */
  readonly pages: number
  readonly pagesPerSecond: number
}

/**
 * Offers the URLs of a segment that have no row yet to a fleet, and waits until all are fetched. After an interruption by `signal`, or a
 * crash, the remaining URLs stay queued; the same call resumes.
 * @throws RowsMissing
 */
export async function offerSegment(
  parts: OfferParts,
  name: string,
  options: OfferOptions = {},
  signal: AbortSignal = new AbortController().signal,
): Promise<FetchResult> {
  const startedAt = parts.clock.now()
  const over = new AbortController()
  const offer = new SegmentOffer(parts, name, options, AbortSignal.any([signal, over.signal]))
  const offering = offer.run().finally(() => over.abort())
  // If the fetch of this process fails, the offer is withdrawn.
  const working = (parts.work?.(AbortSignal.any([signal, over.signal])) ?? offering).finally(() =>
    over.abort(),
  )
  const [offered, worked] = await Promise.allSettled([offering, working])
  if (worked.status === 'rejected') throw worked.reason
  if (offered.status === 'rejected') throw offered.reason
  if (offered.value) await recordGivenUp(parts, name)
  return resultOf(parts, name, startedAt, offered.value)
}

/**
 * Workers have settled URLs whose rows are not in the segment.
 * Remedy: Check that all workers use the same crawl directory, or the same object store.
 */
export class RowsMissing extends CrawlError {
  readonly code = 'ROWS_MISSING'
  readonly retryable = true
}

/** One offer. */
class SegmentOffer {
  readonly #parts: OfferParts
  readonly #name: string
  readonly #options: OfferOptions
  readonly #signal: AbortSignal
  readonly #startedAt: number

  constructor(parts: OfferParts, name: string, options: OfferOptions, signal: AbortSignal) {
    this.#parts = parts
    this.#name = name
    this.#options = options
    this.#signal = signal
    this.#startedAt = parts.clock.now()
  }

  /** `false`: it was interrupted. */
  async run(): Promise<boolean> {
    const { redirectMax = 5 } = this.#options
    if (!(await this.#fetchList())) return false
    for (let hops = 0; hops < redirectMax; hops++) {
      const targets = await this.#wantedTargets()
      if (targets.length === 0) break
      await this.#add(targets)
      if (!(await this.#untilNothingIsLeft())) return false
    }
    return true
  }

  async #fetchList(): Promise<boolean> {
    let added = 0
    for await (const entries of this.#parts.segments.remaining(this.#name)) {
      if (this.#signal.aborted) return false
      added += await this.#add(entries)
    }
    if (!(await this.#untilNothingIsLeft())) return false
    if (await this.#hasAllRows(added === 0 ? 0 : (this.#options.rowsAfterMs ?? 90_000))) return true
    // An earlier offer had them: their rows are lost, or they were dropped for another segment.
    for await (const entries of this.#parts.segments.remaining(this.#name)) await this.#add(entries, true)
    if (!(await this.#untilNothingIsLeft())) return false
    if (await this.#hasAllRows(this.#options.rowsAfterMs ?? 90_000)) return true
    if (this.#signal.aborted) return false
    throw new RowsMissing(
      `workers say that they have fetched all of segment ${this.#name}, but some of it has no rows here: does each of them see this very directory?`,
    )
  }

  /** @param again also if they were offered before */
  async #add(entries: readonly TaskEntry[], again = false): Promise<number> {
    const requests = entries.map((entry) => listedRequest(this.#name, entry))
    const { added } = await this.#parts.frontier.add(
      again ? requests.map((request) => ({ ...request, dontFilter: true })) : requests,
    )
    await this.#parts.announce()
    return added
  }

  /** `false`: it was interrupted. */
  async #untilNothingIsLeft(): Promise<boolean> {
    for (;;) {
      const { clock, frontier } = this.#parts
      const { ready, delayed, leased, elsewhere = 0 } = await frontier.pending(clock.now())
      const left = ready + delayed + leased + elsewhere
      await this.#report(left)
      if (left === 0) return true
      if (this.#signal.aborted) return false
      await nextSecond(clock, this.#signal)
    }
  }

  /** Whether each URL of the list has a row, now or within `ms`; dead letters need none. */
  async #hasAllRows(ms: number): Promise<boolean> {
    const { clock } = this.#parts
    for (const until = clock.now() + ms; ; ) {
      if ((await missingRows(this.#parts, this.#name)).length === 0) return true
      if (clock.now() >= until || this.#signal.aborted) return false
      await nextSecond(clock, this.#signal)
    }
  }

  /** Redirect targets that may be fetched now. */
  async #wantedTargets(): Promise<TaskEntry[]> {
    const { segments, rules, shouldFollow = () => true } = this.#parts
    const { redirectMax = 5 } = this.#options
    const policy = new RedirectPolicy(rules, { redirectMax, shouldFollow, isInRun: () => false })
    const judged = await Promise.all(
      (await segments.openRedirects(this.#name)).map(async ({ url, chain, entry }) => {
        const { sortValue, score, metadata } = entry
        const from = chain.at(-1) ?? entry.url
        const task = fetchTask({ ...entry, url: from, redirectedFrom: chain.slice(0, -1) })
        const { kind } = await policy.judge(task, url)
        return kind === 'follow' ? { url, sortValue, score, metadata, redirectedFrom: chain } : undefined
      }),
    )
    return judged.filter((target) => target !== undefined)
  }

  async #report(left: number): Promise<void> {
    const { onProgress } = this.#options
    if (onProgress === undefined) return
    const { clock, fleet } = this.#parts
    const workers = (await fleet.workers()).filter(({ expiresAt }) => expiresAt > clock.now())
    const sumOf = (figure: string) =>
      workers.reduce((sum, { status }) => sum + (Number(status?.[figure] ?? 0) || 0), 0)
    onProgress({
      elapsedMs: clock.now() - this.#startedAt,
      left,
      workers: workers.length,
      pages: sumOf('pages'),
      pagesPerSecond: sumOf('pagesPerSecond'),
    })
  }
}

/** The fetch counts of the segment since the offer began, of all workers. */
async function resultOf(
  { clock, segments }: OfferParts,
  name: string,
  startedAt: number,
  complete: boolean,
): Promise<FetchResult> {
  const tally = new FetchTally()
  for (const group of await segments.fetchCounts(name, startedAt)) tally.addAll(group)
  return { segment: name, complete, ...tally.result(), durationMs: clock.now() - startedAt }
}

/** The status of a process that offers a segment (`FleetWorker.status`). The offer ends with the process. */
export function offerStatus(segment: string): JsonObject {
  return { offers: segment }
}

/** The segment that is offered at `now` (ms since the epoch), the newest offer if there are several; `undefined`: none is. */
export function offeredSegment(workers: readonly FleetWorker[], now: number): string | undefined {
  const offers = workers
    .filter(({ expiresAt }) => expiresAt > now)
    .sort((a, b) => b.fence - a.fence)
    .map(({ status }) => status?.['offers'])
  return offers.find(
    (segment): segment is string => typeof segment === 'string' && SEGMENT_NAME.test(segment),
  )
}

/** Checked because workers use the name as a path, and any program with access to Redis may have written it. */
const SEGMENT_NAME = /^\w[\w-]*$/

export interface MissingRowsParts {
  readonly clock: Clock
  readonly segments: Pick<SegmentStore, 'remaining' | 'append'>
  readonly deadLetters: Pick<DeadLetters, 'failed'>
}

/** Listed URLs that have no row and are not dead letters. */
export async function missingRows(parts: MissingRowsParts, segment: string): Promise<FetchListEntry[]> {
  const { missing, isGivenUp } = await look(parts, segment)
  return missing.filter((entry) => !isGivenUp(entry))
}

/** URLs on which too many workers crashed get rows with the reason. */
export async function recordGivenUp(parts: MissingRowsParts, segment: string): Promise<void> {
  const { missing, isGivenUp } = await look(parts, segment)
  const givenUp = missing.filter(isGivenUp)
  if (givenUp.length === 0) return
  const appender = await parts.segments.append(segment)
  try {
    for (const { url } of givenUp) {
      // `close` throws a write error.
      appender.add({ fetch: notReachedRow({ url }, WORKERS_LOST, parts.clock.now()) }).catch(() => {})
      await appender.room()
    }
  } finally {
    await appender.close()
  }
}

const WORKERS_LOST = 'every worker that was to fetch it was lost'

async function look({ segments, deadLetters }: MissingRowsParts, segment: string) {
  const missing: FetchListEntry[] = []
  for await (const entries of segments.remaining(segment)) appendAll(missing, entries)
  const failed = missing.length === 0 ? [] : await deadLetters.failed()
  const urls = new Set(failed.flatMap(({ request: { url, body } }) => (body === segment ? [url] : [])))
  return { missing, isGivenUp: ({ url }: FetchListEntry) => urls.has(url) }
}
