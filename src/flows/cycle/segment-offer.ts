import type { JsonObject } from '../../base/json.ts'
import type { FleetWorker } from '../../domain/frontier/fleet.ts'

/** What the process that offers a segment says about itself (`FleetWorker.status`). Its offer holds while it lives. */
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

/** Workers make a path of it, and any program with access to Redis may have written it. */
const SEGMENT_NAME = /^\w[\w-]*$/
