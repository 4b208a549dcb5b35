import type { Clock } from '../../base/clock.ts'
import { LruMap } from '../../base/lru-map.ts'
import type { Resolution, Resolve } from './resolve.ts'

export interface DnsCacheOptions {
  /** Names kept. @default 50_000 */
  readonly maxEntries?: number
  /** A response is kept at least so long, whatever its time to live; a name that flaps must not be asked for every request. @default 10_000 */
  readonly minTtlMs?: number
  /** And at most so long. @default 3_600_000 */
  readonly maxTtlMs?: number
  /** For a response that does not say how long it holds. @default 60_000 */
  readonly defaultTtlMs?: number
  /** How long a name that does not exist stays unasked. @default 300_000 */
  readonly notFoundTtlMs?: number
  /** How long after a name server's failure. @default 10_000 */
  readonly failedTtlMs?: number
  /** Without a response for so long the name has failed. @default 10_000 */
  readonly timeoutMs?: number
  /** Addresses kept of one response. @default 16 */
  readonly maxAddresses?: number
}

/** Remembers what names stand for, and that they do not exist. A name is asked for once, however many wait for it. */
export class DnsCache {
  readonly #resolve: Resolve
  readonly #clock: Clock
  readonly #options: Required<DnsCacheOptions>
  readonly #known: LruMap<string, { readonly resolution: Resolution; readonly until: number }>
  readonly #asking = new Map<string, Promise<Resolution>>()

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

  /** What is known now, without asking; `undefined` when nothing is, or it is too old. */
  peek(host: string): Resolution | undefined {
    const entry = this.#known.get(host)
    return entry !== undefined && this.#clock.now() < entry.until ? entry.resolution : undefined
  }

  resolve(host: string): Promise<Resolution> {
    const known = this.peek(host)
    if (known !== undefined) return Promise.resolve(known)
    const asked = this.#asking.get(host)
    if (asked !== undefined) return asked
    const asking = this.#ask(host).then((resolution) => {
      this.#asking.delete(host)
      this.#known.set(host, { resolution, until: this.#clock.now() + this.#ttlMs(resolution) })
      return resolution
    })
    this.#asking.set(host, asking)
    return asking
  }

  async #ask(host: string): Promise<Resolution> {
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
