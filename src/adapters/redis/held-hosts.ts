import type { HostClaim } from '../../domain/politeness/host-ownership.ts'

export interface Lent {
  readonly host: string
  readonly url: string
}

/** What this process has: the requests it was given, and how often it holds each host. */
export class HeldHosts {
  readonly #lent = new Map<string, Lent>()
  readonly #holds = new Map<string, number>()
  readonly #claims = new Set<HostClaim>()
  /** Requests of each host that are not settled, including those that are being settled. */
  readonly #unsettled = new Map<string, number>()

  has(host: string): boolean {
    return this.#holds.has(host)
  }

  /** Whether requests of the host are leased or being settled: no other worker has had the host since. */
  isBusy(host: string): boolean {
    return this.#unsettled.has(host)
  }

  lent(id: string, host: string, url: string): void {
    add(this.#unsettled, host, 1)
    this.#lent.set(id, { host, url })
    add(this.#holds, host, 1)
  }

  /** `undefined`: we do not have it. */
  find(id: string): Lent | undefined {
    return this.#lent.get(id)
  }

  /** The host may be another's from now on. */
  givenBack(id: string): void {
    const lent = this.#lent.get(id)
    if (lent === undefined) return
    this.#lent.delete(id)
    add(this.#holds, lent.host, -1)
  }

  /** The results of a request that was given back are stored. */
  settled(host: string): void {
    add(this.#unsettled, host, -1)
  }

  claimed(claim: HostClaim): void {
    this.#claims.add(claim)
    add(this.#holds, claim.host, 1)
  }

  /** Whether this claim was made, and not lost or released since. */
  released(claim: HostClaim): boolean {
    if (!this.#claims.delete(claim)) return false
    add(this.#holds, claim.host, -1)
    return true
  }

  clear(): void {
    this.#lent.clear()
    this.#holds.clear()
    this.#claims.clear()
    this.#unsettled.clear()
  }
}

function add(counts: Map<string, number>, key: string, n: number): void {
  const sum = (counts.get(key) ?? 0) + n
  if (sum > 0) counts.set(key, sum)
  else counts.delete(key)
}
