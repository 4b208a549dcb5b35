import type { Clock } from '../src/base/clock.ts'
import { type CrawlRequest, fingerprintOf } from '../src/domain/frontier/crawl-request.ts'
import type { DeadLetters, FailedRequest, FailureChoice } from '../src/domain/frontier/dead-letters.ts'
import type {
  Added,
  Frontier,
  FrontierOptions,
  HostLease,
  LeasedRequest,
  LeaseOptions,
  Pending,
  Settled,
} from '../src/domain/frontier/frontier.ts'
import type { ItemLog, LoggedItem, LoggedRejection } from '../src/domain/frontier/item-log.ts'
import type { RequestEnd, Settlement } from '../src/domain/frontier/settlement.ts'
import { hostOf } from '../src/domain/url/host-of.ts'
import { type Line, WaitingLines, type WaitingRequest } from './waiting-lines.ts'

/** A frontier in memory, for tests of the spider engine. */
export class MemoryFrontier implements Frontier, ItemLog, DeadLetters {
  readonly #clock: Clock
  readonly #keyOf: (url: string) => string
  readonly #waiting: WaitingLines
  readonly #seen = new Set<bigint>()
  readonly #leased = new Map<string, { readonly waiting: WaitingRequest; readonly line: Line }>()
  /** Settlements whose requests were leased before they were stored. */
  readonly #unstored = new Map<Settlement, Added>()
  readonly #items: LoggedItem[] = []
  readonly #rejected: LoggedRejection[] = []
  #failed: FailedRequest[] = []
  #startsComplete = false
  #arrivals = 0
  #leases = 0

  /** @param clock gives the time of failures */
  constructor(clock: Clock, { order = 'hosts', keyOf = hostOf }: FrontierOptions = {}) {
    this.#clock = clock
    this.#keyOf = keyOf
    this.#waiting = new WaitingLines(order)
  }

  async add(requests: readonly CrawlRequest[], starts?: 'complete'): Promise<Added> {
    if (starts === 'complete') this.#startsComplete = true
    return this.#add(requests)
  }

  async lease(wish: LeaseOptions): Promise<readonly HostLease[]> {
    return this.#lease(wish)
  }

  /** Adds the requests at once: `settle` only counts them. */
  leaseUnstored(settlements: readonly Settlement[], options: LeaseOptions): readonly HostLease[] {
    for (const settlement of settlements)
      if (!this.#unstored.has(settlement)) this.#unstored.set(settlement, this.#add(settlement.requests))
    return this.#lease(options)
  }

  #lease(wish: LeaseOptions): readonly HostLease[] {
    const hosts = new Map<string, LeasedRequest[]>()
    for (const { waiting, line } of this.#waiting.take(wish)) {
      const id = String(++this.#leases)
      this.#leased.set(id, { waiting, line })
      const { request, attempt } = waiting
      const leased = { id, request, attempt, rank: this.#waiting.rankOf(waiting) }
      const others = hosts.get(line.key)
      if (others === undefined) hosts.set(line.key, [leased])
      else others.push(leased)
    }
    return [...hosts].map(([host, leased]) => ({ host, requests: leased }))
  }

  async settle(settlements: readonly Settlement[]): Promise<Settled> {
    const sum = { added: 0, duplicates: 0, ignored: 0 }
    for (const settlement of settlements) {
      const lease = this.#leased.get(settlement.id)
      if (lease === undefined) {
        sum.ignored++
        continue
      }
      this.#leased.delete(settlement.id)
      lease.line.out--
      this.#end(lease.waiting, settlement.end)
      this.#keepItems(lease.waiting.request.url, settlement)
      const { added, duplicates } = this.#unstored.get(settlement) ?? this.#add(settlement.requests)
      this.#unstored.delete(settlement)
      sum.added += added
      sum.duplicates += duplicates
    }
    const { ready, delayed } = this.#waiting.counts(this.#clock.now())
    return { ...sum, queued: ready + delayed }
  }

  async pending(now: number): Promise<Pending> {
    return {
      ...this.#waiting.counts(now),
      leased: this.#leased.size,
      startsComplete: this.#startsComplete,
    }
  }

  async items(position: number, limit: number): Promise<readonly LoggedItem[]> {
    return this.#items.slice(position, position + limit)
  }

  async rejected(position: number, limit: number): Promise<readonly LoggedRejection[]> {
    return this.#rejected.slice(position, position + limit)
  }

  async failed(choice: FailureChoice = {}): Promise<readonly FailedRequest[]> {
    return this.#failed.filter((failure) => isChosen(failure, choice)).slice(0, choice.limit)
  }

  async retryFailed(choice: FailureChoice = {}): Promise<number> {
    const chosen = new Set(await this.failed(choice))
    this.#failed = this.#failed.filter((failure) => !chosen.has(failure))
    for (const { request } of chosen) this.#enqueue(request, 0)
    return chosen.size
  }

  async close(): Promise<void> {}

  #add(requests: readonly CrawlRequest[]): Added {
    let added = 0
    for (const request of requests) {
      if (this.#isRepeated(request)) continue
      this.#enqueue(request, request.notBefore ?? 0)
      added++
    }
    return { added, duplicates: requests.length - added }
  }

  #isRepeated(request: CrawlRequest): boolean {
    if (request.dontFilter === true) return false
    const before = this.#seen.size
    return this.#seen.add(fingerprintOf(request)).size === before
  }

  #enqueue(request: CrawlRequest, due: number): void {
    const order = ++this.#arrivals
    this.#waiting.add({ request, key: this.#keyOf(request.url), order, attempt: 1, due: Math.ceil(due) })
  }

  #end(waiting: WaitingRequest, end: RequestEnd): void {
    switch (end.kind) {
      case 'done':
        break
      case 'retry':
        this.#waiting.add({ ...waiting, attempt: waiting.attempt + 1, due: Math.ceil(end.at) })
        break
      case 'requeue':
        this.#waiting.add(end.at === undefined ? waiting : { ...waiting, due: Math.ceil(end.at) })
        break
      case 'failed': {
        const { kind: _, ...failure } = end
        const { request, attempt: attempts } = waiting
        this.#failed.push({ ...failure, request, attempts, failedAt: this.#clock.now() })
      }
    }
  }

  #keepItems(url: string, { items, itemsOf = url, rejected }: Settlement): void {
    for (const item of items) this.#items.push({ position: this.#items.length + 1, url: itemsOf, item })
    for (const { item, reason } of rejected) {
      this.#rejected.push({ position: this.#rejected.length + 1, url, item, reason })
    }
  }
}

function isChosen({ request, code }: FailedRequest, choice: FailureChoice): boolean {
  if (choice.code !== undefined && choice.code !== code) return false
  if (choice.url !== undefined && choice.url !== request.url) return false
  return choice.host === undefined || choice.host === hostOf(request.url)
}
