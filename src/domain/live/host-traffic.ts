import { LruMap } from '../../base/lru-map.ts'

/** The requests to one host. */
export interface HostCounters {
  requests: number
  errors: number
  totalMs: number
  /** The last URL: its robots.txt is shown. */
  url: string
}

/** Counts the requests of each host. The hosts that were used least recently are dropped, so that a crawl of millions of hosts fits. */
export class HostTraffic {
  readonly #hosts = new LruMap<string, HostCounters>(MAX_HOSTS)

  count(key: string, url: string, ms: number, isError: boolean): void {
    const host = this.#hosts.get(key) ?? this.#added(key, url)
    host.requests++
    if (isError) host.errors++
    host.totalMs += ms
    host.url = url
  }

  /** A URL of the host was not requested. */
  seen(key: string, url: string): void {
    if (this.#hosts.peek(key) === undefined) this.#added(key, url)
  }

  of(key: string): HostCounters | undefined {
    return this.#hosts.peek(key)
  }

  keys(): Iterable<string> {
    return this.#hosts.keys()
  }

  #added(key: string, url: string): HostCounters {
    const host = { requests: 0, errors: 0, totalMs: 0, url }
    this.#hosts.set(key, host)
    return host
  }
}

const MAX_HOSTS = 10_000

/** Average response time; 0 without requests. */
export function averageMs({ requests, totalMs }: HostCounters): number {
  return requests === 0 ? 0 : totalMs / requests
}
