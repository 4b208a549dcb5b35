import type { Clock } from '../../base/clock.ts'
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
  /** Called before each wait, and with other messages for the user. */
  readonly onMessage?: (message: string) => void
}

/**
 * Tries until it is done, with longer and longer waits.
 * @param name What is tried, for people.
 * @throws IndexUnavailable after nine tries, with the reason of the last
 */
export async function tryPatiently<T>(
  name: string,
  { clock, signal, onMessage }: Patience,
  attempt: () => Promise<Attempt<T>>,
): Promise<T> {
  let last = ''
  for (const delayMs of [...DELAYS_MS, undefined]) {
    const outcome = await attempt()
    if (outcome.kind === 'done') return outcome.value
    last = outcome.reason
    if (delayMs === undefined || signal?.aborted) break
    const waitMs = Math.max(delayMs, Math.min(outcome.retryAfterMs ?? 0, MAX_RETRY_AFTER_MS))
    onMessage?.(`${name}: ${last}; trying again in ${waitMs / 1_000} s`)
    await wait(clock, waitMs, signal)
    if (signal?.aborted) break
  }
  throw new IndexUnavailable(`${name}: ${last}`)
}

/** 90 seconds in total, enough for a server to restart. */
const DELAYS_MS = [500, 1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000]

const MAX_RETRY_AFTER_MS = 300_000

function wait(clock: Clock, ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    const wake = (): void => {
      cancel()
      signal?.removeEventListener('abort', wake)
      resolve()
    }
    const cancel = clock.after(ms, wake)
    signal?.addEventListener('abort', wake)
  })
}
