import type { HandedOver } from './redis-frontier.ts'

/**
 * The requests that this process sent to a shard lately. Redis may forget them in a failover, while another node remembers that their page is
 * settled: then they are sent again.
 */
export class SentRequests {
  readonly #sent: Array<{ readonly at: number; readonly requests: readonly HandedOver[] }> = []
  #count = 0

  /** @param now ms, by a steady clock */
  add(requests: readonly HandedOver[], now: number): void {
    this.#sent.push({ at: now, requests })
    this.#count += requests.length
    for (const { at, requests: oldest } of [...this.#sent]) {
      if (at > now - KEPT_MS && this.#count <= MAX_REQUESTS) return
      this.#sent.shift()
      this.#count -= oldest.length
    }
  }

  /** Oldest first. */
  get all(): readonly HandedOver[] {
    return this.#sent.flatMap(({ requests }) => requests)
  }
}

/** More than a Redis forgets: a second with `appendfsync everysec`, less when a replica takes over. */
const KEPT_MS = 10_000
/** Some 10 MB. */
const MAX_REQUESTS = 30_000
