import type { Clock } from '../../base/clock.ts'
import type { Dialer } from './dialer.ts'
import { describeError } from './failure.ts'
import type { ProxyPool } from './proxy-pool.ts'

/** Connects to each proxy of a pool at intervals, without a request to any website, so that a dead one is known before a request needs it. */
export class ProxyProbes {
  readonly #pool: ProxyPool
  readonly #dialer: Pick<Dialer, 'probe'>
  readonly #clock: Clock
  readonly #everyMs: number
  readonly #end = new AbortController()
  #cancel = (): void => {}

  constructor(pool: ProxyPool, dialer: Pick<Dialer, 'probe'>, clock: Clock, everyMs: number) {
    this.#pool = pool
    this.#dialer = dialer
    this.#clock = clock
    this.#everyMs = everyMs
    this.#schedule()
  }

  close(): void {
    this.#end.abort()
    this.#cancel()
  }

  #schedule(): void {
    this.#cancel = this.#clock.after(this.#everyMs, () => void this.#probeAll())
  }

  async #probeAll(): Promise<void> {
    await Promise.all(
      this.#pool.proxies.map(async (proxy) => {
        try {
          await this.#dialer.probe(proxy, this.#end.signal)
          this.#pool.recovered(proxy)
        } catch (error) {
          if (!this.#end.signal.aborted) this.#pool.failed(proxy, describeError(error))
        }
      }),
    )
    if (!this.#end.signal.aborted) this.#schedule()
  }
}
