import { type Clock, wait } from '../../base/clock.ts'
import { blockOfOutcome } from '../../domain/fetch/block-evidence.ts'
import { type FetchOutcome, isAborted, isProxyFailure } from '../../domain/fetch/fetch-outcome.ts'
import type { FetchRequest } from '../../domain/fetch/fetcher.ts'
import type { WebProxy } from './proxy.ts'
import type { ProxyPool } from './proxy-pool.ts'

/** Sends one request over one route; `undefined`: without a proxy. */
export type SendOver = (proxy: WebProxy | undefined) => Promise<FetchOutcome>

/**
 * Sends requests through the proxies of a pool. A request that its proxy could not pass on was not sent to the host, so it is sent through
 * another proxy at once, without a new slot of the host. If all proxies are down, it waits.
 */
export class ProxyRoutes {
  readonly #pool: ProxyPool
  readonly #clock: Clock
  readonly #closed = new AbortController()

  constructor(pool: ProxyPool, clock: Clock) {
    this.#pool = pool
    this.#clock = clock
  }

  close(): void {
    this.#closed.abort()
  }

  async send({ url, session, signal }: FetchRequest, host: string, send: SendOver): Promise<FetchOutcome> {
    const pool = this.#pool
    const tried = new Set<WebProxy>()
    let waitedSince: number | undefined
    let last: FetchOutcome | undefined
    for (;;) {
      const proxy = pool.choose(host, session?.id ?? host, tried)
      if (proxy === 'direct') return send(undefined)
      if (proxy !== undefined) {
        const outcome = await send(proxy)
        if (!isProxyFailure(outcome)) return this.#report(proxy, host, outcome)
        pool.failed(proxy, outcome.detail)
        tried.add(proxy)
        last = outcome
        // Other requests get through: the failure concerns this one.
        if (waitedSince !== undefined && (pool.workedAt ?? 0) > waitedSince) return outcome
        continue
      }
      const isOver = signal?.aborted === true || this.#closed.signal.aborted
      if (isOver) return this.#aborted(url)
      if (last !== undefined && pool.workedAt === undefined) return last
      waitedSince ??= this.#clock.now()
      await this.#untilNextTry(signal)
      tried.clear()
    }
  }

  #report(proxy: WebProxy, host: string, outcome: FetchOutcome): FetchOutcome {
    if ('response' in outcome) this.#pool.succeeded(proxy, host, blockOfOutcome(outcome) !== undefined)
    else if (outcome.kind === 'network-failure' && UNREACHED.has(outcome.cause) && !isAborted(outcome))
      this.#pool.doubted(proxy, host)
    return outcome
  }

  #aborted(url: string): FetchOutcome {
    const timings = { startedAt: this.#clock.now(), totalMs: 0 }
    const detail = 'aborted while waiting for a proxy'
    return { kind: 'network-failure', cause: 'aborted', detail, url, timings }
  }

  async #untilNextTry(signal: AbortSignal | undefined): Promise<void> {
    const ms = Math.max(MIN_WAIT_MS, this.#pool.nextTryAt - this.#clock.now())
    const { signal: closed } = this.#closed
    await wait(this.#clock, ms, signal === undefined ? closed : AbortSignal.any([signal, closed]))
  }
}

const MIN_WAIT_MS = 100

/** The host may be down, or the proxy. */
const UNREACHED: ReadonlySet<string> = new Set(['connect-failed', 'connect-timeout', 'reset'])
