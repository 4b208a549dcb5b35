import type { JsonObject } from '../src/base/json.ts'
import { type CrawlRequest, fingerprintOf } from '../src/domain/frontier/crawl-request.ts'
import type {
  Added,
  FrontierOrder,
  HostLease,
  LeaseOptions,
  Pending,
  Settled,
} from '../src/domain/frontier/frontier.ts'
import type { Settlement } from '../src/domain/frontier/settlement.ts'
import { hostOf } from '../src/domain/url/host-of.ts'

interface Entry {
  readonly request: CrawlRequest
  readonly host: string
  readonly arrival: number
  attempt: number
  due: number
  /** Id of its lease, while it is leased. */
  id: string | undefined
}

/** Reference model of a frontier, as simple as possible: lists that are sorted and searched completely. */
export class FrontierModel {
  readonly items: JsonObject[] = []
  readonly rejected: JsonObject[] = []
  failed: Array<{ request: CrawlRequest; attempts: number; code: string }> = []
  startsComplete = false
  readonly #order: FrontierOrder
  readonly #isFair: boolean
  #entries: Entry[] = []
  #seen = new Set<bigint>()
  #arrivals = 0

  /** @param options isFair: whether hosts get equal shares of each lease */
  constructor(order: FrontierOrder, { isFair }: { readonly isFair: boolean }) {
    this.#order = order
    this.#isFair = isFair
  }

  get leasedIds(): string[] {
    return this.#entries.flatMap(({ id }) => id ?? [])
  }

  add(requests: readonly CrawlRequest[]): Added {
    let added = 0
    for (const request of requests) {
      if (request.dontFilter !== true) {
        if (this.#seen.has(fingerprintOf(request))) continue
        this.#seen.add(fingerprintOf(request))
      }
      this.#enqueue(request, request.notBefore ?? 0)
      added++
    }
    return { added, duplicates: requests.length - added }
  }

  /** Records the requests that a frontier leased; throws if it should not have leased one of them. */
  lease(wish: LeaseOptions, leases: readonly HostLease[]): void {
    const given = new Map(leases.map(({ host, requests }) => [host, requests.length]))
    const best = this.#choose(wish)
    for (const { host, requests } of leases) {
      const own =
        this.#order === 'hosts' ? this.#available(wish.now, host) : best.filter((e) => e.host === host)
      requests.forEach(({ id, request, attempt }, i) => {
        const entry = own[i]
        must(
          JSON.stringify([request, attempt]) === JSON.stringify([entry?.request, entry?.attempt]),
          'a wrong request',
        )
        if (entry !== undefined) entry.id = id
      })
    }
    const total = [...given.values()].reduce((sum, n) => sum + n, 0)
    must(given.size === leases.length, 'a host twice')
    must(total === best.length, `${total} requests, not ${best.length}`)
    if (this.#order === 'hosts' && this.#isFair) this.#mustBeFair(wish, given)
  }

  settle(settlements: readonly Settlement[]): Settled {
    const sum = { added: 0, duplicates: 0, ignored: 0 }
    for (const { id, end, requests, items, rejected } of settlements) {
      const entry = this.#entries.find((other) => other.id === id)
      if (entry === undefined) {
        sum.ignored++
        continue
      }
      entry.id = undefined
      if (end.kind === 'retry') entry.attempt++
      if ((end.kind === 'retry' || end.kind === 'requeue') && end.at !== undefined) entry.due = end.at
      if (end.kind === 'done' || end.kind === 'failed')
        this.#entries = this.#entries.filter((other) => other !== entry)
      const { request, attempt: attempts } = entry
      if (end.kind === 'failed') this.failed.push({ request, attempts, code: end.code })
      this.items.push(...items)
      this.rejected.push(...rejected.map(({ item }) => item))
      const { added, duplicates } = this.add(requests)
      sum.added += added
      sum.duplicates += duplicates
    }
    return sum
  }

  retryFailed(limit: number): number {
    const again = this.failed.slice(0, limit)
    this.failed = this.failed.slice(limit)
    for (const { request } of again) this.#enqueue(request, 0)
    return again.length
  }

  pending(now: number): Pending {
    const waiting = this.#entries.filter(({ id }) => id === undefined)
    const delayed = waiting.filter(({ due }) => due > now).map(({ due }) => due)
    return {
      ready: waiting.length - delayed.length,
      delayed: delayed.length,
      ...(delayed.length > 0 && { nextDueAt: Math.min(...delayed) }),
      leased: this.#entries.length - waiting.length,
      startsComplete: this.startsComplete,
    }
  }

  /** The process was restarted: its leases are lost. */
  restart(): void {
    for (const entry of this.#entries) entry.id = undefined
  }

  #enqueue(request: CrawlRequest, due: number): void {
    const host = hostOf(request.url)
    this.#entries.push({ request, host, due, arrival: ++this.#arrivals, attempt: 1, id: undefined })
  }

  #available(now: number, host?: string): Entry[] {
    return this.#entries
      .filter((entry) => entry.id === undefined && entry.due <= now && (host ?? entry.host) === entry.host)
      .sort(ORDERS[this.#order])
  }

  #out(host: string): number {
    return this.#entries.filter((entry) => entry.host === host && entry.id !== undefined).length
  }

  /** The first of all requests that may be leased; for `hosts` only their number is exact. */
  #choose({ requests, perHost, now }: LeaseOptions): Entry[] {
    const room = new Map<string, number>()
    const allowed = this.#available(now).filter(({ host }) => {
      const left = room.get(host) ?? perHost - this.#out(host)
      room.set(host, left - 1)
      return left > 0
    })
    return allowed.slice(0, requests)
  }

  /** No host has more than one leased request more than a host that could have got another. Called after the leases are recorded. */
  #mustBeFair({ perHost, now }: LeaseOptions, given: ReadonlyMap<string, number>): void {
    for (const { host } of this.#available(now)) {
      const out = this.#out(host)
      if (out >= perHost) continue
      for (const other of given.keys()) must(this.#out(other) <= out + 1, `${other} was preferred to ${host}`)
    }
  }
}

const ORDERS: Readonly<Record<FrontierOrder, (a: Entry, b: Entry) => number>> = {
  hosts: byPriority,
  priority: byPriority,
  fifo: (a, b) => a.arrival - b.arrival,
  lifo: (a, b) => b.arrival - a.arrival,
}

function byPriority(a: Entry, b: Entry): number {
  return (b.request.priority ?? 0) - (a.request.priority ?? 0) || a.arrival - b.arrival
}

function must(holds: boolean, what: string): void {
  if (!holds) throw new Error(`handed out: ${what}`)
}
