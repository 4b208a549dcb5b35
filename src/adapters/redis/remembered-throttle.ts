/** The throttle state of hosts as this process last reported it, for a Redis that comes back without it. */
export class RememberedThrottle {
  readonly #throttles = new Map<string, readonly string[]>()

  /** @param throttle as `throttleArguments` makes it @param now ms since the epoch */
  add(throttle: readonly string[], now: number): void {
    const [host = ''] = throttle
    this.#throttles.delete(host)
    this.#throttles.set(host, throttle)
    // The oldest are looked at in passing, so that the map does not grow with the crawl.
    for (const [oldest, state] of [...this.#throttles.entries().take(LOOKED_AT)])
      if (this.#throttles.size > MAX_HOSTS || !isOfUse(state, now)) this.#throttles.delete(oldest)
  }

  /** Those that still matter. */
  all(now: number): Array<readonly string[]> {
    return [...this.#throttles.values().filter((state) => isOfUse(state, now))]
  }
}

function isOfUse([, , forgetAt]: readonly string[], now: number): boolean {
  return Number(forgetAt) > now
}

const LOOKED_AT = 2
const MAX_HOSTS = 100_000
