import type { Clock } from '../../base/clock.ts'

/** Caches the result of `load` for `ms` after it is loaded. Concurrent calls share one load. A failure rejects all of them and is not cached. */
export function cachedFor<T>(clock: Clock, ms: number, load: () => Promise<T>): () => Promise<T> {
  let cached: Promise<T> | undefined
  let validUntil = Number.POSITIVE_INFINITY
  return () => {
    if (cached !== undefined && clock.now() < validUntil) return cached
    validUntil = Number.POSITIVE_INFINITY
    const loading = load()
    cached = loading
    loading.then(
      () => {
        validUntil = clock.now() + ms
      },
      () => {
        cached = undefined
      },
    )
    return loading
  }
}
