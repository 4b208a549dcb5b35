import type { LoggedItem } from '../../domain/frontier/item-log.ts'
import type { FeedState } from './feed-states.ts'

/** A feed export: a copy of the item log in a file, on the standard output or in a writer. */
export interface Feed {
  /** Position of the last item it has taken. */
  readonly position: number
  /** State to persist, so that the next process resumes there; `undefined`: none. */
  readonly state: FeedState | undefined
  /** Whether it takes no more items: the reader closed the output. */
  readonly ended: boolean
  /**
   * Takes the items after `position`. When it is fulfilled, the items up to the new `position` are durable, and `state` may be persisted.
   * `position` may also decrease: the state must then be persisted before the next call. A failed call may be repeated.
   */
  take(items: readonly LoggedItem[]): Promise<void>
  /** Completes the export. The state must be persisted afterwards. */
  close(): Promise<void>
  /** Sends complete files to where they belong. Called after `state` was persisted; it may change `state`. @default nothing to send */
  publish?(): Promise<void>
  /** Frees resources at the end of the run, also after a failure. @default none */
  release?(): Promise<void>
}

/** Items after a position, as `ItemLog.items`. */
export type FeedSource = (position: number, limit: number) => Promise<readonly LoggedItem[]>

/** Items per read; bounds the memory. */
export const PAGE_ITEMS = 1_000

/** A message about a feed for the user, during the crawl. */
export interface FeedNotice {
  /** As given by the user. */
  readonly target: string
  readonly kind: 'written-anew' | 'failed' | 'recovered' | 'fields-left-out'
  /** A message for people. */
  readonly message: string
}
