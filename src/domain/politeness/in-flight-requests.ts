import type { Clock } from '../../base/clock.ts'
import type { FetchOutcome } from '../fetch/fetch-outcome.ts'
import type { Fetcher, FetchRequest } from '../fetch/fetcher.ts'
import type {
  ObservedLimits,
  ObservedRequest,
  ObservedRobots,
  RequestObserver,
} from '../fetch/request-observer.ts'

/** A request that was sent. */
export interface SentRequest extends ObservedRequest {
  readonly controller: AbortController
  /** When it started, or last waited for a proxy (ms since the epoch). */
  activeAt: number
  endedAt: number
  readonly limits: ObservedLimits
  readonly robots: ObservedRobots | undefined
  delayMs: number
  parkedUntil: number | undefined
  hung: boolean
  readonly hungAfterMs: number
}

export interface InFlightOptions {
  /** A request that has not ended after this is aborted by `abortHung`. @default 300000 */
  readonly hungAfterMs?: number
  /** Whether this worker owns the host now. */
  readonly mayRequest: (key: string) => boolean
  /** Whether another request of the host waits. */
  readonly isWaitedFor: (key: string) => boolean
  /** @default none */
  readonly observer?: RequestObserver
  /** Called when a request has ended and its host is released. */
  readonly onEnded: () => void
}

/** The requests that are being sent: tells the observer about each, and aborts those that hang. */
export class InFlightRequests {
  readonly #clock: Clock
  readonly #fetcher: Fetcher
  readonly #options: InFlightOptions
  readonly #sent = new Set<SentRequest>()
  /** Controllers that were not aborted are reused: creating one is the most expensive step here. */
  readonly #spareControllers: AbortController[] = []

  constructor(clock: Clock, fetcher: Fetcher, options: InFlightOptions) {
    this.#clock = clock
    this.#fetcher = fetcher
    this.#options = options
  }

  /** A request that `send` is to be called with at once. */
  start(
    { url, method = 'GET', validators, timeoutMs = 0 }: FetchRequest,
    known: Pick<SentRequest, 'key' | 'queuedAt' | 'startedAt' | 'purpose' | 'robots' | 'limits'>,
  ): SentRequest {
    return {
      url,
      ...known,
      controller: this.#spareControllers.pop() ?? new AbortController(),
      activeAt: known.startedAt,
      endedAt: 0,
      method,
      isConditional: validators !== undefined,
      delayMs: 0,
      parkedUntil: undefined,
      hung: false,
      // A request that may take longer, such as that for a large file, has a limit of its own.
      hungAfterMs: Math.max(this.#options.hungAfterMs ?? 300_000, timeoutMs),
    }
  }

  /** @param release called with the outcome, or with `undefined` if the request is invalid: the delay of the host counts from then */
  async send(
    sent: SentRequest,
    request: FetchRequest,
    release: (outcome: FetchOutcome | undefined) => void,
  ): Promise<FetchOutcome> {
    this.#sent.add(sent)
    const { observer, mayRequest, isWaitedFor, onEnded } = this.#options
    observer?.sent(sent)
    let outcome: FetchOutcome | undefined
    const { signal } = sent.controller
    const { key } = sent
    const mayBeSent = () => mayRequest(key)
    const isFollowed = () => isWaitedFor(key)
    try {
      outcome = whyAborted(await this.#fetcher.fetch({ ...request, signal, mayBeSent, isFollowed }), sent)
      return outcome
    } finally {
      // Before the release, from which the delay counts.
      sent.endedAt = this.#clock.now()
      release(outcome)
      this.#sent.delete(sent)
      observer?.ended(sent, outcome)
      if (!signal.aborted) this.#spareControllers.push(sent.controller)
      onEnded()
    }
  }

  /** Aborts every request. */
  abort(): void {
    for (const { controller } of this.#sent) controller.abort()
  }

  /** Aborts requests that take too long, and those to hosts that this worker no longer owns. */
  abortHung(): void {
    const now = this.#clock.now()
    for (const sent of this.#sent) {
      if (!this.#options.mayRequest(sent.key)) sent.controller.abort()
      // They wait for a proxy, and have not been sent.
      if (this.#fetcher.isWaiting === true) sent.activeAt = now
      if (sent.activeAt > now - sent.hungAfterMs || sent.hung) continue
      sent.hung = true
      sent.controller.abort()
    }
  }
}

/** An abort because of a slow server is a failure of the server. */
function whyAborted(outcome: FetchOutcome, { hung, hungAfterMs }: SentRequest): FetchOutcome {
  if (!hung || outcome.kind !== 'network-failure') return outcome
  const { url, timings } = outcome
  return { kind: 'too-slow', url, timings, detail: `aborted: no end after ${hungAfterMs / 1000} s` }
}
