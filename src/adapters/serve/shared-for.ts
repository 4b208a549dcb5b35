import type { Clock } from '../../base/clock.ts'

/**
 * Shares what is slow to work out: whoever asks while it is being worked out, or within `ms` after, gets the same. A failure is told to all
 * who waited for it, and not kept.
 */
export function sharedFor<T>(clock: Clock, ms: number, load: () => Promise<T>): () => Promise<T> {
  let shared: Promise<T> | undefined
  let goodUntil = Number.POSITIVE_INFINITY
  return () => {
    if (shared !== undefined && clock.now() < goodUntil) return shared
    goodUntil = Number.POSITIVE_INFINITY
    const loading = load()
    shared = loading
    loading.then(
      () => {
        goodUntil = clock.now() + ms
      },
      () => {
        shared = undefined
      },
    )
    return loading
  }
}
