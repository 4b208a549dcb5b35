import type { Clock } from '../../base/clock.ts'
import { LruMap } from '../../base/lru-map.ts'
import type { Resolution, Resolve } from './resolve.ts'

/** Limits of the DNS cache. */
export interface DnsCacheOptions {
  /** Names kept. @default 50_000 */
  readonly maxEntries?: number
  /** A response is kept at least so long, whatever its time to live; a short time to live must not cause a query per request. @default 10_000 */
  readonly minTtlMs?: number
  /** And at most so long. @default 3_600_000 */
  readonly maxTtlMs?: number
  /** For a response that does not say how long it holds. @default 60_000 */
  readonly defaultTtlMs?: number
  /** How long a name that does not exist is not queried again. @default 300_000 */
  readonly notFoundTtlMs?: number
  /** How long after a name server's failure. @default 10_000 */
  readonly failedTtlMs?: number
  /** Without a response for so long the name has failed. @default 10_000 */
  readonly timeoutMs?: number
  /** Addresses kept of one response. @default 16 */
  readonly maxAddresses?: number
}

/** Caches the addresses of names, and missing names. Concurrent lookups of a name share one query. */
export class DnsCache {
  readonly #resolve: Resolve
  readonly #clock: Clock
  readonly #options: Required<DnsCacheOptions>
  readonly #known: LruMap<string, { readonly resolution: Resolution; readonly until: number }>
  readonly #pending = new Map<string, Promise<Resolution>>()

  constructor(resolve: Resolve, clock: Clock, options: DnsCacheOptions = {}) {
    this.#resolve = resolve
    this.#clock = clock
    this.#options = {
      maxEntries: 50_000,
      minTtlMs: 10_000,
      maxTtlMs: 3_600_000,
      defaultTtlMs: 60_000,
      notFoundTtlMs: 300_000,
      failedTtlMs: 10_000,
      timeoutMs: 10_000,
      maxAddresses: 16,
      ...options,
    }
    this.#known = new LruMap(this.#options.maxEntries)
  }

  /** The cached addresses; `undefined` if there are none or they have expired. */
  peek(host: string): Resolution | undefined {
    const entry = this.#known.get(host)
    return entry !== undefined && this.#clock.now() < entry.until ? entry.resolution : undefined
  }

  resolve(host: string): Promise<Resolution> {
    const known = this.peek(host)
    if (known !== undefined) return Promise.resolve(known)
    const pending = this.#pending.get(host)
    if (pending !== undefined) return pending
    const query = this.#query(host).then((resolution) => {
      this.#pending.delete(host)
      this.#known.set(host, { resolution, until: this.#clock.now() + this.#ttlMs(resolution) })
      return resolution
    })
    this.#pending.set(host, query)
    return query
  }

  async #query(host: string): Promise<Resolution> {
    const { promise: silence, resolve: fallSilent } = Promise.withResolvers<Resolution>()
    const { timeoutMs, maxAddresses } = this.#options
    const cancel = this.#clock.after(timeoutMs, () =>
      fallSilent({ ok: false, reason: 'failed', detail: `no response in ${timeoutMs} ms` }),
    )
    try {
      const resolution = await Promise.race([this.#resolve(host), silence])
      if (!resolution.ok || resolution.addresses.length <= maxAddresses) return resolution
      return { ...resolution, addresses: resolution.addresses.slice(0, maxAddresses) }
    } catch (error) {
      return { ok: false, reason: 'failed', detail: String(error) }
    } finally {
      cancel()
    }
  }

  #ttlMs(resolution: Resolution): number {
    const { minTtlMs, maxTtlMs, defaultTtlMs, notFoundTtlMs, failedTtlMs } = this.#options
    if (resolution.ok) return Math.min(Math.max(resolution.ttlMs ?? defaultTtlMs, minTtlMs), maxTtlMs)
    return resolution.reason === 'not-found' ? notFoundTtlMs : failedTtlMs
  }
}
