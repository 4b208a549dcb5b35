import { type Clock, wait } from '../../base/clock.ts'
import { logEvent } from '../../base/event-codes.ts'
import { type EventLog, NO_LOG } from '../../base/event-log.ts'
import { printable } from '../../base/printable.ts'
import { IndexUnavailable } from '../../domain/indexing/index-writer.ts'

/** Result of one try. */
export type Attempt<T> =
  | { readonly kind: 'done'; readonly value: T }
  | {
      readonly kind: 'busy'
      /** For people. */
      readonly reason: string
      /** Retry-After of the server. */
      readonly retryAfterMs?: number
    }

export interface Patience {
  readonly clock: Clock
  /** Ends all waiting calls: they reject with `IndexUnavailable` at once. */
  readonly signal?: AbortSignal
  /** Gets an event before each wait. @default none */
  readonly log?: EventLog
}

/**
 * Tries until it is done, with longer and longer waits.
 * @param name What is tried, for people.
 * @throws IndexUnavailable after nine tries, with the reason of the last
 */
export async function tryPatiently<T>(
  name: string,
  { clock, signal, log = NO_LOG }: Patience,
  attempt: () => Promise<Attempt<T>>,
): Promise<T> {
  let last = ''
  for (const delayMs of [...DELAYS_MS, undefined]) {
    const outcome = await attempt()
    if (outcome.kind === 'done') return outcome.value
    last = outcome.reason
    if (delayMs === undefined || signal?.aborted) break
    const waitMs = Math.max(delayMs, Math.min(outcome.retryAfterMs ?? 0, MAX_RETRY_AFTER_MS))
    const message = `${name}: ${last}; trying again in ${waitMs / 1_000} s`
    logEvent(log, 'INDEX_BUSY', printable(message, 500), { data: { target: name, waitMs } })
    await wait(clock, waitMs, signal)
    if (signal?.aborted) break
  }
  throw new IndexUnavailable(`${name}: ${last}`)
}

/** 90 seconds in total, enough for a server to restart. */
const DELAYS_MS = [500, 1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000]

const MAX_RETRY_AFTER_MS = 300_000
