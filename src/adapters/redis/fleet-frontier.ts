import type { CrawlRequest } from '../../domain/frontier/crawl-request.ts'
import type { DeadLetters } from '../../domain/frontier/dead-letters.ts'
import type { Fleet } from '../../domain/frontier/fleet.ts'
import type { Added, Frontier } from '../../domain/frontier/frontier.ts'
import type { HostCookies } from '../../domain/frontier/host-cookies.ts'
import type { ItemLog } from '../../domain/frontier/item-log.ts'
import type { PageBudget } from '../../domain/frontier/page-budget.ts'
import type { CrawlControl } from './crawl-control.ts'

/** The frontier of a fleet, with its items and failures: in one shard, or in several. */
export interface FleetFrontier extends Frontier, Fleet {
  readonly items: ItemLog
  readonly deadLetters: DeadLetters
  readonly control: CrawlControl

  /**
   * Adds the requests of start messages and acknowledges these, in one step. Nothing is added if that was done before, or another worker
   * has the batch.
   * @param batch as `StartMessages.take` names it
   */
  addStarts(batch: string, requests: readonly CrawlRequest[]): Promise<Added>

  /** The page limit of the run, for all workers together. */
  pageBudget(maxPages: number): PageBudget

  /** Moves the cookies of hosts from worker to worker, with the hosts. To be called before the first lease. */
  carryCookies(cookies: HostCookies): void

  /** Says that this process lives; it is done from time to time anyway. */
  renew(): Promise<void>
}
