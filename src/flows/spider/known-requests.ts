import { type CrawlRequest, fingerprintOf } from '../../domain/frontier/crawl-request.ts'
import { RecentFingerprints } from '../../domain/frontier/recent-fingerprints.ts'
import { fingerprint64 } from '../../domain/url/fingerprint.ts'
import type { RequestOptions } from './request-options.ts'

/**
 * Requests of late that the frontier has, or will have before anything that is found from now on: settlements take effect in the order they came.
 * Nearly all links of a site were found before. They are dropped here, and cost no filter, no memory and no look into the frontier.
 */
export class KnownRequests {
  readonly #recent: RecentFingerprints

  /** @param recent shared with the threads of handlers; @default its own */
  constructor(recent = new RecentFingerprints()) {
    this.#recent = recent
  }

  /** For an instance in another thread. */
  get memory(): SharedArrayBuffer {
    return this.#recent.memory
  }

  /** A link to `url`; one with a method or body of its own is always left to the frontier. */
  has(url: string, { dontFilter, method, body, json, form }: RequestOptions): boolean {
    if (dontFilter === true || method !== undefined) return false
    if (body !== undefined || json !== undefined || form !== undefined) return false
    return this.#recent.has(fingerprint64(url))
  }

  /** What a settlement brings. */
  add(requests: readonly CrawlRequest[]): void {
    for (const request of requests) if (request.dontFilter !== true) this.#recent.add(fingerprintOf(request))
  }
}
