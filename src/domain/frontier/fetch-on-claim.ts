import type { Clock } from '../../base/clock.ts'
import type { FetchOutcome } from '../fetch/fetch-outcome.ts'
import type { FetchRequest } from '../fetch/fetcher.ts'
import type { FetchSlots } from '../politeness/fetch-slots.ts'
import type { Fleet } from './fleet.ts'

/** A host that others keep for longer counts as out of reach: two sites whose robots.txt lead to each other would wait for ever. */
const PATIENCE_MS = 30_000
const TRY_AGAIN_MS = 500

/** Asks a host of a fleet for something that is no request of the frontier: it is borrowed for it, unless it is ours anyway. */
export async function fetchOnClaim(
  fleet: Fleet,
  clock: Clock,
  slots: FetchSlots,
  host: string,
  request: FetchRequest,
): Promise<FetchOutcome> {
  if (fleet.holds(host)) return slots.fetch(request)
  const startedAt = clock.now()
  for (;;) {
    const claim = await fleet.claim(host)
    if (claim !== undefined) {
      if (claim.pace !== undefined) slots.restore([claim.pace])
      try {
        return await slots.fetch(request)
      } finally {
        await fleet.release(claim, slots.stateOf(host))
      }
    }
    const totalMs = clock.now() - startedAt
    if (totalMs >= PATIENCE_MS)
      return {
        kind: 'blocked',
        url: request.url,
        timings: { startedAt, totalMs },
        detail: `another worker has ${host}`,
      }
    await new Promise<void>((resolve) => clock.after(TRY_AGAIN_MS, resolve))
  }
}
