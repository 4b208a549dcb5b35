import type { Clock } from '../../../base/clock.ts'
import { DropCounter, type DropCounts } from '../../../base/drop-counts.ts'
import type { UpdateRules } from '../../../domain/crawldb/update-record.ts'
import type { CrawlRequest } from '../../../domain/frontier/crawl-request.ts'
import type {
  Added,
  Frontier,
  FrontierOptions,
  FrontierOrder,
  HostLease,
  LeasedRequest,
  LeaseOptions,
  Pending,
  Settled,
} from '../../../domain/frontier/frontier.ts'
import { RecentFingerprints } from '../../../domain/frontier/recent-fingerprints.ts'
import type { Settlement } from '../../../domain/frontier/settlement.ts'
import { hostOf } from '../../../domain/url/host-of.ts'
import type { Database } from '../database.ts'
import { addDrops } from '../read-stats.ts'
import type { Session } from '../session.ts'
import { type ArrivedRequest, sieveRequests } from './add-requests.ts'
import { chooseRequests } from './choose-requests.ts'
import { keepItems } from './duck-item-log.ts'
import { endRequests } from './end-requests.ts'
import { LeaseTable } from './lease-table.ts'
import type { EndedRequest, Lease } from './leased-request.ts'
import { storedFingerprint, UnstoredRequests } from './unstored-requests.ts'
import { isFetched, spiderRules, updateFetched } from './update-fetched.ts'

export interface DuckFrontierOptions extends FrontierOptions {
  /** Rules for the CrawlDb records of the spider's pages. */
  readonly rules: UpdateRules
  /** Maximum number of fingerprints with which requests are leased before they are stored. @default 100000 */
  readonly maxSeenInMemory?: number
}

/**
 * The frontier in a crawl directory. Each call is one transaction; calls run one after another.
 *
 * Leases are kept only in memory, so that leasing writes nothing and all leased requests are waiting again after the process ends.
 * Memory is updated after the commit and before the next call.
 */
export class DuckFrontier implements Frontier {
  readonly #database: Database
  readonly #clock: Clock
  readonly #order: FrontierOrder
  readonly #keyOf: (url: string) => string
  readonly #rules: UpdateRules
  readonly #recent = new RecentFingerprints()
  readonly #unstored: UnstoredRequests
  readonly #leased = new LeaseTable()

  /** @param clock the time of day */
  constructor(
    database: Database,
    clock: Clock,
    { order = 'hosts', keyOf = hostOf, rules, maxSeenInMemory }: DuckFrontierOptions,
  ) {
    this.#database = database
    this.#clock = clock
    this.#order = order
    this.#keyOf = keyOf
    this.#rules = spiderRules(rules)
    this.#unstored = new UnstoredRequests(keyOf, maxSeenInMemory)
  }

  add(requests: readonly CrawlRequest[], starts?: 'complete'): Promise<Added> {
    const arrived = this.#arrived(requests)
    return this.#database.change(async (session) => {
      const added = await this.#change(session, arrived, [])
      if (starts === 'complete') await completeStarts(session)
      await added.commit()
      return added.counts
    })
  }

  lease(wish: LeaseOptions): Promise<readonly HostLease[]> {
    return this.#database.change(async (session) => {
      const chosen = await chooseRequests(session, this.#order, wish, this.#leased.values())
      return this.#handOutAll(chosen)
    })
  }

  leaseUnstored(settlements: readonly Settlement[], options: LeaseOptions): readonly HostLease[] | undefined {
    // Another order needs all requests.
    if (this.#order !== 'hosts') return undefined
    for (const { id } of settlements) this.#leased.end(id)
    const chosen = this.#unstored.lease(settlements, options, (host) => this.#leased.activeOf(host))
    return chosen && this.#handOutAll(chosen)
  }

  settle(settlements: readonly Settlement[]): Promise<Settled> {
    for (const { id } of settlements) this.#leased.end(id)
    this.#unstored.close(settlements)
    const arrived = new Map(settlements.map((settlement) => [settlement, this.#arrived(settlement.requests)]))
    return this.#database.change(async (session) => {
      const ended = this.#endedBy(settlements)
      const requests = ended.flatMap(({ settlement }) => arrived.get(settlement) ?? [])
      const settled = await this.#change(session, requests, ended)
      await settled.commit()
      for (const { settlement } of ended) this.#leased.delete(settlement.id)
      const requeued = ended.filter(
        ({ settlement: { end } }) => end.kind === 'retry' || end.kind === 'requeue',
      )
      return {
        ...settled.counts,
        ignored: settlements.length - ended.length,
        queued: settled.counts.added - settled.leased + requeued.length,
      }
    })
  }

  pending(now: number): Promise<Pending> {
    return this.#database.change(async (session) => {
      const isDue = `due <= ${Math.floor(now)}`
      const { due, later, next, complete } = await session.one<PendingRow>(`
        SELECT count(*) FILTER (${isDue})::DOUBLE AS due, count(*) FILTER (NOT ${isDue})::DOUBLE AS later,
          min(due) FILTER (NOT ${isDue})::DOUBLE AS next,
          EXISTS (FROM spider_state WHERE key = '${STARTS_COMPLETE}') AS complete
        FROM requests`)
      return {
        // Whatever is out was due.
        ready: due - (this.#leased.size - this.#unstored.leased),
        delayed: later,
        ...(next !== null && { nextDueAt: next }),
        leased: this.#leased.size,
        startsComplete: complete,
      }
    })
  }

  /** Leased requests are waiting again in the next frontier of this directory. */
  async close(): Promise<void> {
    this.#leased.clear()
  }

  /** Prepares all changes, then writes them; they take effect with `commit`. */
  async #change(
    session: Session,
    requests: readonly ArrivedRequest[],
    ended: readonly EndedRequest[],
  ): Promise<{ readonly counts: Added; readonly leased: number; commit(): Promise<void> }> {
    const now = this.#clock.now()
    await this.#unstored.load(session)
    const options = { keyOf: this.#keyOf, recent: this.#recent, unstored: this.#unstored }
    const fresh = await sieveRequests(session, requests, options)
    const parts: Array<{ write(): Promise<unknown> }> = [fresh]
    if (ended.length > 0) parts.push(await endRequests(session, ended, now), await keepItems(session, ended))
    if (fresh.plain || ended.some(isFetched))
      parts.push(await updateFetched(session, ended, this.#rules, now))

    await session.begin()
    for (const part of parts) await part.write()
    await addDrops(session, dropsOf(ended))
    return {
      counts: { added: fresh.added, duplicates: fresh.duplicates },
      leased: fresh.leased,
      async commit() {
        await session.commit()
        fresh.remember()
      },
    }
  }

  /** With their fingerprints, which are not new from now on. */
  #arrived(requests: readonly CrawlRequest[]): ArrivedRequest[] {
    const arrived = requests.map((request) => ({ request, fingerprint: storedFingerprint(request) }))
    this.#unstored.claim(arrived.map(({ fingerprint }) => fingerprint))
    return arrived
  }

  #handOutAll(leases: readonly Lease[]): HostLease[] {
    const hosts = Map.groupBy(leases, ({ host }) => host)
    return [...hosts].map(([host, own]) => ({ host, requests: own.map((lease) => this.#handOut(lease)) }))
  }

  #handOut(lease: Lease): LeasedRequest {
    const { request, attempt } = lease
    return { id: this.#leased.add(lease), request, attempt, rank: this.#rankOf(lease) }
  }

  #rankOf({ seq, request: { priority = 0 } }: Lease): number {
    if (this.#order === 'lifo') return seq
    return this.#order === 'fifo' ? -seq : priority
  }

  #endedBy(settlements: readonly Settlement[]): EndedRequest[] {
    const ended = new Map<string, EndedRequest>()
    for (const settlement of settlements) {
      const lease = this.#leased.get(settlement.id)
      if (lease !== undefined && !ended.has(settlement.id)) ended.set(settlement.id, { lease, settlement })
    }
    return [...ended.values()]
  }
}

function dropsOf(ended: readonly EndedRequest[]): DropCounts {
  const drops = new DropCounter()
  for (const { settlement } of ended) drops.addAll(settlement.dropped ?? {})
  return drops.counts()
}

interface PendingRow {
  readonly due: number
  readonly later: number
  readonly next: number | null
  readonly complete: boolean
}

const STARTS_COMPLETE = 'starts_complete'

async function completeStarts(session: Session): Promise<void> {
  await session.run(
    `INSERT INTO spider_state SELECT $1, 'true' WHERE $1 NOT IN (SELECT key FROM spider_state)`,
    [STARTS_COMPLETE],
  )
}
