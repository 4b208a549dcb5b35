import { LruMap } from '../../base/lru-map.ts'

const MAX_ORIGINS = 10_000
const FIRST_PAUSE_MS = 60_000
const MAX_PAUSE_MS = 24 * 60 * 60_000

/**
 * Remembers the origins whose HTTP/2 broke before a response. HTTP/1.1 is used there for a minute, and for twice as long after each further
 * failure, up to a day: one reset stream may be an accident, for a server with broken HTTP/2 it is tried less and less often.
 */
export class Http2Failures {
  readonly #origins = new LruMap<string, { readonly pauseMs: number; readonly until: number }>(MAX_ORIGINS)

  /** @param now ms since the epoch */
  isPaused(origin: string, now: number): boolean {
    const failure = this.#origins.get(origin)
    return failure !== undefined && now < failure.until
  }

  failed(origin: string, now: number): void {
    const earlierMs = this.#origins.get(origin)?.pauseMs
    const pauseMs = earlierMs === undefined ? FIRST_PAUSE_MS : Math.min(earlierMs * 2, MAX_PAUSE_MS)
    this.#origins.set(origin, { pauseMs, until: now + pauseMs })
  }

  /** A response came over HTTP/2: earlier failures do not count any more. */
  succeeded(origin: string): void {
    this.#origins.delete(origin)
  }
}
