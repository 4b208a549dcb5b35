/** The hosts of a run: how many, the slowest and the most failing ones. */
export interface HostFigures {
  /** Number of hosts that were requested; counted up to 10,000. */
  readonly count: number
  /** Those that took longest to respond, on average; at most ten. */
  readonly slowest: readonly HostTime[]
  /** Those with the most failed requests; at most ten. */
  readonly failing: readonly HostFailures[]
}

/** The average response time of a host. */
export interface HostTime {
  readonly host: string
  readonly requests: number
  readonly averageMs: number
}

/** The failed requests of a host. */
export interface HostFailures {
  readonly host: string
  readonly requests: number
  readonly failed: number
  /** The kind of the last failure, as in `FetchFailure`. */
  readonly lastFailure: string
}

interface Counts {
  requests: number
  timed: number
  totalMs: number
  failed: number
  lastFailure: string
}

/** Counts requests, response times and failures by host. */
export class HostTally {
  readonly #hosts = new Map<string, Counts>()

  /**
   * Counts one request.
   * @param responseMs time of the response; `undefined`: there was none
   * @param failure the kind of its failure; `undefined`: it succeeded
   */
  add(host: string, responseMs: number | undefined, failure: string | undefined): void {
    let counts = this.#hosts.get(host)
    if (counts === undefined) {
      if (this.#hosts.size >= MAX_HOSTS) return
      counts = { requests: 0, timed: 0, totalMs: 0, failed: 0, lastFailure: '' }
      this.#hosts.set(host, counts)
    }
    counts.requests++
    if (responseMs !== undefined) {
      counts.timed++
      counts.totalMs += responseMs
    }
    if (failure !== undefined) {
      counts.failed++
      counts.lastFailure = failure
    }
  }

  figures(): HostFigures {
    const hosts = [...this.#hosts]
    const slowest = hosts
      .filter(([, { timed }]) => timed > 0)
      .map(([host, { requests, timed, totalMs }]) => ({
        ...{ host, requests, averageMs: Math.round(totalMs / timed) },
      }))
      .sort((a, b) => b.averageMs - a.averageMs)
    const failing = hosts
      .filter(([, { failed }]) => failed > 0)
      .map(([host, { requests, failed, lastFailure }]) => ({ host, requests, failed, lastFailure }))
      .sort((a, b) => b.failed - a.failed)
    return { count: hosts.length, slowest: slowest.slice(0, MAX_NAMED), failing: failing.slice(0, MAX_NAMED) }
  }
}

/** Bounds the memory of a crawl of millions of hosts. */
const MAX_HOSTS = 10_000
const MAX_NAMED = 10
