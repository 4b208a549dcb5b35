import type { Clock } from '../../base/clock.ts'
import type { FetchOutcome } from '../fetch/fetch-outcome.ts'
import type { Fetcher, FetchRequest } from '../fetch/fetcher.ts'
import { isRepeatable } from '../fetch/is-retryable.ts'
import { hostOutcomeOf } from './host-outcome.ts'
import type { Expelled, HostQueues } from './host-queues.ts'
import type { Taken } from './ticket.ts'

/** A request in the queue of its host, and whoever waits for what comes of it. */
export interface QueuedRequest {
  readonly request: FetchRequest
  /** Whether the request was sent before, and failed in a way that may be repeated. */
  readonly isRepeated?: boolean
  settle(outcome: FetchOutcome): void
}

export interface PoliteFetcherOptions {
  /** The queue a URL belongs in: its host, domain or address. */
  readonly keyOf: (url: string) => string
  /** Requests in flight over all hosts. @default 64 */
  readonly maxInFlight?: number
}

/** Sends each request when the turn of its host comes. `queues` must be its own: it takes whatever is in them. */
export class PoliteFetcher implements Fetcher {
  readonly #fetcher: Fetcher
  readonly #queues: HostQueues<QueuedRequest>
  readonly #clock: Clock
  readonly #keyOf: (url: string) => string
  readonly #maxInFlight: number
  #inFlight = 0
  #cancelTimer = (): void => {}

  constructor(
    fetcher: Fetcher,
    queues: HostQueues<QueuedRequest>,
    clock: Clock,
    options: PoliteFetcherOptions,
  ) {
    this.#fetcher = fetcher
    this.#queues = queues
    this.#clock = clock
    this.#keyOf = options.keyOf
    this.#maxInFlight = options.maxInFlight ?? 64
  }

  /** The outcome is `blocked` when the host is parked now, or while the request waits. */
  fetch(request: FetchRequest): Promise<FetchOutcome> {
    return new Promise((settle) => this.#add({ request, settle }))
  }

  #add(turn: QueuedRequest): void {
    const { request, settle } = turn
    const added = this.#queues.add(this.#keyOf(request.url), turn)
    if (added.ok) this.#serve()
    else if (added.reason === 'parked') settle(this.#blocked(request, added.why, added.until))
    else settle(this.#blocked(request, 'too many requests are waiting'))
  }

  /** What robots.txt asks of a host; call it with each verdict. */
  setCrawlDelay(url: string, ms: number): void {
    this.#turnAway(this.#queues.setCrawlDelay(this.#keyOf(url), ms))
    this.#serve()
  }

  async close(): Promise<void> {
    this.#cancelTimer()
    for (const expelled of this.#queues.drainAll('the crawler is closing')) this.#turnAway(expelled)
    await this.#fetcher.close()
  }

  #serve(): void {
    this.#cancelTimer()
    while (this.#inFlight < this.#maxInFlight) {
      const next = this.#queues.take()
      if (next.kind === 'taken') void this.#send(next)
      else {
        if (next.until !== undefined) this.#serveAt(next.until)
        return
      }
    }
  }

  #serveAt(time: number): void {
    // Rounded up: a timer that rings a fraction early would only find that it must wait again.
    this.#cancelTimer = this.#clock.after(Math.max(0, Math.ceil(time - this.#clock.now())), () =>
      this.#serve(),
    )
  }

  async #send(taken: Taken<QueuedRequest>): Promise<void> {
    this.#inFlight++
    const { request, settle, isRepeated = false } = taken.item
    const outcome = await this.#fetcher.fetch(request)
    this.#inFlight--
    this.#turnAway(this.#queues.release(taken, hostOutcomeOf(outcome)))
    if (!isRepeated && isRepeatable(outcome)) this.#add({ request, settle, isRepeated: true })
    else settle(outcome)
    this.#serve()
  }

  #turnAway(expelled: Expelled<QueuedRequest> | undefined): void {
    for (const { request, settle } of expelled?.items ?? [])
      settle(this.#blocked(request, expelled?.reason ?? ''))
  }

  #blocked(request: FetchRequest, reason: string, retryAt?: number): FetchOutcome {
    const timings = { startedAt: this.#clock.now(), totalMs: 0 }
    const when = retryAt === undefined ? {} : { retryAt }
    return { kind: 'blocked', url: request.url, timings, detail: reason, ...when }
  }
}
