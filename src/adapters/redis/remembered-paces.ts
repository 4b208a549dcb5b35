/** The throttle state of hosts as this process last reported it, for a Redis that comes back without it. */
export class RememberedPaces {
  readonly #paces = new Map<string, readonly string[]>()

  /** @param pace as `paceArguments` makes it @param now ms since the epoch */
  add(pace: readonly string[], now: number): void {
    const [host = ''] = pace
    this.#paces.delete(host)
    this.#paces.set(host, pace)
    // The oldest are looked at in passing, so that the map does not grow with the crawl.
    for (const [oldest, state] of [...this.#paces.entries().take(LOOKED_AT)])
      if (this.#paces.size > MAX_HOSTS || !isOfUse(state, now)) this.#paces.delete(oldest)
  }

  /** Those that still matter. */
  all(now: number): Array<readonly string[]> {
    return [...this.#paces.values().filter((state) => isOfUse(state, now))]
  }
}

function isOfUse([, , forgetAt]: readonly string[], now: number): boolean {
  return Number(forgetAt) > now
}

const LOOKED_AT = 2
const MAX_HOSTS = 100_000
