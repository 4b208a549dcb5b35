import type { FetchOutcome } from '../fetch/fetch-outcome.ts'
import type { FetchRequest } from '../fetch/fetcher.ts'
import type { ObservedRobots, RequestPurpose } from '../fetch/request-observer.ts'

/** A request that waits in the queue of its host. For each `add`, exactly one of the two methods is called, once. */
export interface Waiter {
  readonly key: string
  readonly priority: number
  /** ms since the epoch, for the observer. */
  readonly queuedAt: number
  /** Another request waits for it, and has a thread: it is granted within `urgentThreads`, too. @default false */
  readonly isUrgent?: boolean
  /** The slot is granted. Call `send` or `pass`, once; the slot stays active until the promise is fulfilled. */
  granted(slot: Slot): Promise<void>
  /** No slot will be granted: the host is parked (`until`: ms since the epoch), or all waiters are cancelled. */
  rejected(why: string, until?: number): void
}

/** Permission to send one request to one host now. */
export interface Slot {
  /** Rejects for a request that cannot be sent; the slot is then free again. */
  send(request: FetchRequest, options?: SendOptions): Promise<FetchOutcome>
  /** Gives the slot back: no request was sent, so no delay follows. */
  pass(): void
}

export interface SendOptions {
  /** Whether a `repeatable` failure is followed by a second request, in the next slot of the host. @default true */
  readonly mayRepeat?: boolean
  /** @default 'page' */
  readonly purpose?: RequestPurpose
  /** The robots.txt that allowed the request, for the observer. */
  readonly robots?: ObservedRobots | undefined
}
