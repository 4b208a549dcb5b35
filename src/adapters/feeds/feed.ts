import type { LoggedItem } from '../../domain/frontier/item-log.ts'
import type { FeedState } from './feed-states.ts'

/** A copy of the log somewhere else. */
export interface Feed {
  /** It has taken all items up to here. */
  readonly position: number
  /** What to remember, so that the next process goes on from there; `undefined`: nothing. */
  readonly state: FeedState | undefined
  /** Whether nobody wants more of it. */
  readonly ended: boolean
  /**
   * Takes items, which follow on `position`. When it is fulfilled those up to the new `position` are safe, and `state` may be remembered.
   * `position` may also go back: the state must then be remembered before it takes more. When it fails it may be tried again.
   */
  take(items: readonly LoggedItem[]): Promise<void>
  /** Completes what was taken. The state must be remembered after it. */
  close(): Promise<void>
}

/** Items after a position, as `ItemLog.items`. */
export type FeedSource = (position: number, limit: number) => Promise<readonly LoggedItem[]>

/** Items read at once: bounds the memory. */
export const PAGE_ITEMS = 1_000

/** What the user should hear of a feed while the crawl goes on. */
export interface FeedNotice {
  /** As the user named it. */
  readonly target: string
  readonly kind: 'written-anew' | 'failed' | 'recovered' | 'fields-left-out'
  /** For people. */
  readonly message: string
}
