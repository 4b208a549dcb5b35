import type { Hit, HitEvent } from './hit.ts'

/** What one host saw. A hit that never ended is taken to last for ever. */
export interface HostVerdict {
  readonly hits: number
  /**
   * Smallest delay: from the latest end to the next start. `Infinity` when no request followed the end of another.
   * Requests that overlap do not count here but in `mostInParallel`.
   */
  readonly smallestGapMs: number
  /** The same, after a response that the client aborted. */
  readonly smallestGapAfterHangUpMs: number
  /** Smallest time between two starts; `Infinity` with fewer than two hits. */
  readonly smallestStartGapMs: number
  readonly mostInParallel: number
  /** Whether the first request was for /robots.txt and no other path was requested before its end. */
  readonly robotsFirst: boolean
  /** Disallowed paths that were requested. */
  readonly disallowed: readonly string[]
  /** "METHOD path" of repeated requests, with the number of hits. */
  readonly repeated: ReadonlyMap<string, number>
  /** Requests before the end of a Retry-After, with how much too early they were. */
  readonly early: ReadonlyArray<{ readonly path: string; readonly earlyMs: number }>
}

/** `events` are those of one host, in their order. */
export function hostVerdict(events: readonly HitEvent[], isDisallowed: (hit: Hit) => boolean): HostVerdict {
  const hits = events.filter((event) => event.kind === 'start').map((event) => event.hit)
  return {
    hits: hits.length,
    ...smallestGaps(events),
    smallestStartGapMs: smallestStartGap(hits),
    mostInParallel: mostInParallel(events),
    robotsFirst: robotsFirst(events),
    disallowed: hits.filter(isDisallowed).map((hit) => hit.path),
    repeated: repeated(hits),
    early: early(events),
  }
}

function smallestGaps(
  events: readonly HitEvent[],
): Pick<HostVerdict, 'smallestGapMs' | 'smallestGapAfterHangUpMs'> {
  let smallestGapMs = Number.POSITIVE_INFINITY
  let smallestGapAfterHangUpMs = Number.POSITIVE_INFINITY
  let latestEnd: HitEvent | undefined
  for (const event of events) {
    if (event.kind === 'end') latestEnd = event
    else if (latestEnd?.hit.brokenOff)
      smallestGapAfterHangUpMs = Math.min(smallestGapAfterHangUpMs, event.at - latestEnd.at)
    else if (latestEnd) smallestGapMs = Math.min(smallestGapMs, event.at - latestEnd.at)
  }
  return { smallestGapMs, smallestGapAfterHangUpMs }
}

function smallestStartGap(hits: readonly Hit[]): number {
  let smallest = Number.POSITIVE_INFINITY
  let previous = Number.NEGATIVE_INFINITY
  for (const { start } of hits) {
    smallest = Math.min(smallest, start - previous)
    previous = start
  }
  return smallest
}

function mostInParallel(events: readonly HitEvent[]): number {
  let most = 0
  let running = 0
  for (const { kind } of events) {
    running += kind === 'start' ? 1 : -1
    most = Math.max(most, running)
  }
  return most
}

function robotsFirst(events: readonly HitEvent[]): boolean {
  const firstEnd = events.findIndex(({ kind }) => kind === 'end')
  const first = firstEnd === -1 ? events : events.slice(0, firstEnd)
  return events.length > 0 && first.every(({ hit }) => hit.path === '/robots.txt')
}

function repeated(hits: readonly Hit[]): Map<string, number> {
  const counts = new Map<string, number>()
  for (const { method, path } of hits) {
    const what = `${method} ${path}`
    counts.set(what, (counts.get(what) ?? 0) + 1)
  }
  return new Map([...counts].filter(([, count]) => count > 1))
}

/** The latest end of all Retry-After times counts: a later, shorter one does not replace it. */
function early(events: readonly HitEvent[]): HostVerdict['early'] {
  const found: Array<{ path: string; earlyMs: number }> = []
  let notBefore = Number.NEGATIVE_INFINITY
  for (const { kind, at, hit } of events) {
    if (kind === 'end') notBefore = hit.waitMs > 0 ? Math.max(notBefore, at + hit.waitMs) : notBefore
    else if (at < notBefore) found.push({ path: hit.path, earlyMs: notBefore - at })
  }
  return found
}
