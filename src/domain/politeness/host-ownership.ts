import type { Clock } from '../../base/clock.ts'
import type { FetchOutcome } from '../fetch/fetch-outcome.ts'
import type { FetchRequest } from '../fetch/fetcher.ts'
import type { FetchSlots } from './fetch-slots.ts'
import type { HostState } from './host-throttle.ts'

/** For workers that share hosts: each host belongs to one worker at a time, and only that worker may send requests to it. */
export interface HostOwnership {
  /**
   * Whether it is certain that this worker owns the host now: it has leased requests of the host or claimed it, and renewed the lease in time.
   * Check it right before every request: a worker that was suspended may have lost its hosts without noticing.
   */
  holds(host: string): boolean

  /** Takes a host for a request that is not in the frontier, such as a robots.txt. `undefined`: another worker owns it; try later. */
  claim(host: string): Promise<HostClaim | undefined>

  /** Ends a claim. @param throttle the throttle state of the host now */
  release(claim: HostClaim, throttle?: HostState): Promise<void>
}

/** The claim of a worker on a host. */
export interface HostClaim {
  readonly host: string
  /** The throttle state that the last worker left; `undefined` if there is none. */
  readonly throttle: HostState | undefined
}

/** After this time the host counts as unreachable: two sites whose robots.txt files redirect to each other would wait forever. */
const CLAIM_TIMEOUT_MS = 30_000
const CLAIM_RETRY_MS = 500

/**
 * Sends a request that is not in the frontier. If the worker does not own the host, it claims the host for this request.
 * @param send waits for a slot and sends it
 */
export async function fetchOnClaim(
  ownership: HostOwnership,
  clock: Clock,
  slots: FetchSlots,
  host: string,
  request: FetchRequest,
  send = (): Promise<FetchOutcome> => slots.fetchRobots(request),
): Promise<FetchOutcome> {
  const startedAt = clock.now()
  const outcome = await onClaim(ownership, clock, slots, host, send)
  if (outcome !== undefined) return outcome
  return {
    kind: 'blocked',
    url: request.url,
    timings: { startedAt, totalMs: clock.now() - startedAt },
    detail: `another worker has ${host}`,
  }
}

/** Calls `send` while this worker owns the host: it claims the host if need be. `undefined`: another worker has it for too long. */
export async function onClaim<T>(
  ownership: HostOwnership,
  clock: Clock,
  slots: Pick<FetchSlots, 'restore' | 'stateOf'>,
  host: string,
  send: () => Promise<T>,
): Promise<T | undefined> {
  if (ownership.holds(host)) return send()
  const startedAt = clock.now()
  for (;;) {
    const claim = await ownership.claim(host)
    if (claim !== undefined) {
      if (claim.throttle !== undefined) slots.restore([claim.throttle])
      try {
        return await send()
      } finally {
        await ownership.release(claim, slots.stateOf(host))
      }
    }
    if (clock.now() - startedAt >= CLAIM_TIMEOUT_MS) return undefined
    await new Promise<void>((resolve) => clock.after(CLAIM_RETRY_MS, resolve))
  }
}
