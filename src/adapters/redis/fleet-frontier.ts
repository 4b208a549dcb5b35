import type { CrawlRequest } from '../../domain/frontier/crawl-request.ts'
import type { DeadLetters } from '../../domain/frontier/dead-letters.ts'
import type { Fleet } from '../../domain/frontier/fleet.ts'
import type { Added, Frontier } from '../../domain/frontier/frontier.ts'
import type { ItemLog } from '../../domain/frontier/item-log.ts'
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

  /** Says that this process lives; it is done from time to time anyway. */
  renew(): Promise<void>
}
