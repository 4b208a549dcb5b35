import type { Fleet } from '../../domain/frontier/fleet.ts'
import type { PoliteFetcher } from '../../domain/politeness/polite-fetcher.ts'
import type { RobotsFailure } from '../../domain/robots/robots-cache.ts'
import type { RequestSupply } from './request-supply.ts'
import type { SpiderStats } from './spider-stats.ts'

/** What a spider is doing now, for display. */
export interface SpiderProgress {
  readonly stats: SpiderStats
  /** Requests in flight or being handled. */
  readonly active: number
  /** Requests waiting in host queues. */
  readonly queued: number
  readonly hosts: number
  /** All remaining requests wait for a retry, until this time at the earliest (ms since the epoch). */
  readonly waitsUntil?: number
  /** The crawl is paused by an operator. */
  readonly isPaused?: true
  /** Absent if not known. */
  readonly robotsFailures?: readonly RobotsFailure[]
  /** This worker has no requests: other workers have the remaining ones, or all wait for start URLs. */
  readonly idle?: { readonly elsewhere: number } | 'start-urls'
}

export interface ProgressParts {
  readonly stats: SpiderStats
  readonly fetcher: Pick<PoliteFetcher, 'counts' | 'active'>
  readonly supply: Pick<RequestSupply, 'nextDueAt' | 'underWay' | 'isDry' | 'elsewhere'>
  readonly fleet: Fleet | undefined
  /** Start requests are still being added. */
  readonly startsRunning: boolean
  /** ms since the epoch. */
  readonly now: number
}

export function spiderProgress(parts: ProgressParts): SpiderProgress {
  const { stats, fetcher, supply, fleet, now } = parts
  const { queued, queues } = fetcher.counts()
  const { nextDueAt = 0, underWay } = supply
  // A short host delay, or the next poll of a fleet's frontier, does not count as waiting.
  const isIdle = underWay === 0 && nextDueAt > now + SOON_MS
  return {
    stats,
    active: fetcher.active,
    queued,
    hosts: queues,
    ...(isIdle && { waitsUntil: nextDueAt }),
    ...idleness(parts),
    ...(fleet?.state === 'paused' && { isPaused: true }),
  }
}

function idleness({ fleet, supply, startsRunning }: ProgressParts): Pick<SpiderProgress, 'idle'> {
  const { underWay, isDry, elsewhere, nextDueAt } = supply
  if (fleet === undefined || underWay > 0 || !isDry || startsRunning) return {}
  if (elsewhere > 0) return { idle: { elsewhere } }
  return nextDueAt === undefined ? { idle: 'start-urls' } : {}
}

const SOON_MS = 2_000
