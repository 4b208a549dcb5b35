import type { Lease } from './leased-request.ts'

/** The leased requests of a process, by the id of their lease. */
export class LeaseTable {
  readonly #leases = new Map<string, Lease>()
  /** Leases whose request has ended; its settlement is not stored yet. */
  readonly #ended = new Set<string>()
  /** Number of leases by host, without ended ones. */
  readonly #active = new Map<string, number>()
  #count = 0

  get size(): number {
    return this.#leases.size
  }

  /** Returns the id of the lease. */
  add(lease: Lease): string {
    const id = `${lease.seq}-${++this.#count}`
    this.#leases.set(id, lease)
    this.#active.set(lease.host, this.activeOf(lease.host) + 1)
    return id
  }

  get(id: string): Lease | undefined {
    return this.#leases.get(id)
  }

  values(): Iterable<Lease> {
    return this.#leases.values()
  }

  /** Number of leased requests of a host that have not ended. */
  activeOf(host: string): number {
    return this.#active.get(host) ?? 0
  }

  /** The request has ended: the lease does not count for its host any more, but the request is not handed out again. */
  end(id: string): void {
    const lease = this.#leases.get(id)
    if (lease === undefined || this.#ended.has(id)) return
    this.#ended.add(id)
    const active = this.activeOf(lease.host) - 1
    if (active > 0) this.#active.set(lease.host, active)
    else this.#active.delete(lease.host)
  }

  delete(id: string): void {
    this.end(id)
    this.#ended.delete(id)
    this.#leases.delete(id)
  }

  clear(): void {
    this.#leases.clear()
    this.#ended.clear()
    this.#active.clear()
  }
}
