import { type CrawlRequest, fingerprintOf } from '../../../domain/frontier/crawl-request.ts'
import type { LeaseOptions } from '../../../domain/frontier/frontier.ts'
import type { Settlement } from '../../../domain/frontier/settlement.ts'
import type { Session } from '../session.ts'
import type { Lease } from './leased-request.ts'

/**
 * Chooses requests of settlements that are not stored yet. It knows all fingerprints of the crawl while they are few; then it can tell
 * without the database which requests are new.
 */
export class UnstoredRequests {
  readonly #keyOf: (url: string) => string
  readonly #maxSeen: number
  /** The fingerprints in the table `seen`. `undefined`: not loaded, or too many. */
  #seen: Set<bigint> | undefined
  #isLoaded = false
  /** Fingerprints that are about to be stored. */
  readonly #claimed = new Set<bigint>()
  readonly #leases = new Map<CrawlRequest, Lease>()
  /** Settlements that may have more requests to lease. */
  readonly #open = new Set<Settlement>()

  /** @param maxSeen number of fingerprints that are kept in memory; @default 100000, about 6 MB */
  constructor(keyOf: (url: string) => string, maxSeen = 100_000) {
    this.#keyOf = keyOf
    this.#maxSeen = maxSeen
  }

  /** Number of leased requests that are not stored yet. */
  get leased(): number {
    return this.#leases.size
  }

  /** All fingerprints that are stored; `undefined` if they are not known. */
  get seen(): ReadonlySet<bigint> | undefined {
    return this.#seen
  }

  /** Call it before the first change. */
  async load(session: Session): Promise<void> {
    if (this.#isLoaded) return
    const { count } = await session.one<{ count: number }>('SELECT count(*)::DOUBLE AS count FROM seen')
    if (count <= this.#maxSeen) {
      const rows = await session.all<{ fp: bigint }>('SELECT fp FROM seen')
      this.#seen = new Set(rows.map(({ fp }) => fp))
    }
    this.#isLoaded = true
  }

  /**
   * The new, due requests of settlements and of those in earlier calls, or `undefined` if it is not known which are new.
   * @param activeOf number of leased requests of a host that have not ended
   */
  lease(
    settlements: readonly Settlement[],
    { requests, perHost, now }: LeaseOptions,
    activeOf: (host: string) => number,
  ): Lease[] | undefined {
    if (this.#seen === undefined) return undefined
    for (const settlement of settlements) this.#open.add(settlement)
    const ofHost = new Map<string, number>()
    const chosen: Lease[] = []
    for (const settlement of this.#open) {
      let isExhausted = true
      for (const request of settlement.requests) {
        if (this.#leases.has(request)) continue
        const fingerprint = storedFingerprint(request)
        if (fingerprint !== null && (this.#seen.has(fingerprint) || this.#claimed.has(fingerprint))) continue
        const host = this.#keyOf(request.url)
        const others = ofHost.get(host) ?? activeOf(host)
        if (chosen.length >= requests || others >= perHost) {
          isExhausted = false
          continue
        }
        if (fingerprint !== null) this.#claimed.add(fingerprint)
        // Stored as usual: it can be leased when it is due.
        if ((request.notBefore ?? 0) > now) continue
        const lease: Lease = { seq: -1, host, request, attempt: 1, due: 0 }
        ofHost.set(host, others + 1)
        this.#leases.set(request, lease)
        chosen.push(lease)
      }
      if (isExhausted) this.#open.delete(settlement)
    }
    return chosen.sort((a, b) => (b.request.priority ?? 0) - (a.request.priority ?? 0))
  }

  /** These settlements are about to be stored: their other requests are leased from the store. */
  close(settlements: readonly Settlement[]): void {
    for (const settlement of settlements) this.#open.delete(settlement)
  }

  /** These fingerprints are about to be stored: they are not new any more. */
  claim(fingerprints: Iterable<bigint | null>): void {
    if (this.#seen === undefined && this.#isLoaded) return
    for (const fingerprint of fingerprints) if (fingerprint !== null) this.#claimed.add(fingerprint)
  }

  /** The lease of a request that is being stored. */
  leaseOf(request: CrawlRequest): Lease | undefined {
    return this.#leases.get(request)
  }

  /** Call it after the commit. */
  stored(requests: Iterable<CrawlRequest>, fingerprints: ReadonlySet<bigint>): void {
    for (const request of requests) this.#leases.delete(request)
    for (const fingerprint of fingerprints) {
      this.#claimed.delete(fingerprint)
      this.#seen?.add(fingerprint)
    }
    if (this.#seen === undefined || this.#seen.size <= this.#maxSeen) return
    this.#seen = undefined
    this.#claimed.clear()
    this.#open.clear()
  }
}

/** `null`: the request is exempt from the duplicate filter. */
export function storedFingerprint(request: CrawlRequest): bigint | null {
  return request.dontFilter === true ? null : fingerprintOf(request)
}
