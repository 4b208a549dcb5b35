export interface Lent {
  readonly host: string
  readonly url: string
}

/** What this process has: the requests it was given, and how often it holds each host. */
export class HeldHosts {
  readonly #lent = new Map<string, Lent>()
  readonly #holds = new Map<string, number>()
  readonly #claims = new Map<string, number>()

  has(host: string): boolean {
    return this.#holds.has(host)
  }

  lent(id: string, host: string, url: string): void {
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

  claimed(host: string): void {
    add(this.#claims, host, 1)
    add(this.#holds, host, 1)
  }

  /** Whether it was claimed, and not lost since. */
  released(host: string): boolean {
    if (!this.#claims.has(host)) return false
    add(this.#claims, host, -1)
    add(this.#holds, host, -1)
    return true
  }

  clear(): void {
    this.#lent.clear()
    this.#holds.clear()
    this.#claims.clear()
  }
}

function add(counts: Map<string, number>, key: string, n: number): void {
  const sum = (counts.get(key) ?? 0) + n
  if (sum > 0) counts.set(key, sum)
  else counts.delete(key)
}
