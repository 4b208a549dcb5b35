import type { Clock } from '../../base/clock.ts'
import type { FetchOutcome } from './fetch-outcome.ts'
import { header } from './headers.ts'

/** Scripts of most sites have no expiry date; the same one is not requested for every page. */
const DEFAULT_FRESH_MS = 600_000

interface Entry {
  readonly outcome: Promise<FetchOutcome | undefined>
  freshUntil: number
  bytes: number
}

/**
 * Responses for scripts and stylesheets of rendered pages, in memory. Each is requested once while it is fresh (RFC 9111), also when
 * several pages need it at the same time. The least recently used ones make room.
 */
export class AssetCache {
  readonly #clock: Clock
  readonly #maxBytes: number
  readonly #entries = new Map<string, Entry>()
  #bytes = 0

  constructor(clock: Clock, maxBytes = 64 * 1024 * 1024) {
    this.#clock = clock
    this.#maxBytes = maxBytes
  }

  get bytes(): number {
    return this.#bytes
  }

  /** The stored response, if it is fresh; otherwise that of `fetch`. `undefined`: there was none, which is not stored. */
  async get(
    key: string,
    fetch: () => Promise<FetchOutcome | undefined>,
  ): Promise<{ readonly outcome: FetchOutcome | undefined; readonly isCached: boolean }> {
    const known = this.#entries.get(key)
    if (known !== undefined && known.freshUntil > this.#clock.now()) {
      this.#entries.delete(key)
      this.#entries.set(key, known)
      const outcome = await known.outcome
      if (outcome !== undefined) return { outcome, isCached: true }
    }
    this.#delete(key)
    const entry: Entry = { outcome: fetch(), freshUntil: Number.POSITIVE_INFINITY, bytes: 0 }
    this.#entries.set(key, entry)
    const outcome = await entry.outcome.catch((error: unknown) => {
      this.#delete(key)
      throw error
    })
    this.#settle(key, entry, outcome)
    return { outcome, isCached: false }
  }

  #settle(key: string, entry: Entry, outcome: FetchOutcome | undefined): void {
    if (this.#entries.get(key) !== entry) return
    const freshMs = outcome === undefined ? 0 : freshMsOf(outcome)
    if (freshMs === 0 || outcome?.kind !== 'success') {
      this.#delete(key)
      return
    }
    entry.freshUntil = this.#clock.now() + freshMs
    entry.bytes = outcome.body.bytes.length
    this.#bytes += entry.bytes
    for (const oldest of this.#entries.keys()) {
      if (this.#bytes <= this.#maxBytes) return
      this.#delete(oldest)
    }
  }

  #delete(key: string): void {
    this.#bytes -= this.#entries.get(key)?.bytes ?? 0
    this.#entries.delete(key)
  }
}

/** How long a response may be used again; 0: not at all. */
export function freshMsOf(outcome: FetchOutcome): number {
  if (outcome.kind !== 'success' || outcome.body.truncated !== undefined) return 0
  const { headers } = outcome.response
  const control = header(headers, 'cache-control')?.toLowerCase() ?? ''
  if (/\bno-(?:store|cache)\b/.test(control) || header(headers, 'vary')?.trim() === '*') return 0
  const maxAge = /\bmax-age\s*=\s*"?(\d{1,10})/.exec(control)?.[1]
  if (maxAge !== undefined) return Number(maxAge) * 1_000
  return DEFAULT_FRESH_MS
}
