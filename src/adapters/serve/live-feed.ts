import type { Clock } from '../../base/clock.ts'
import { CrawlError } from '../../base/crawl-error.ts'
import { withoutUndefined } from '../../base/without-undefined.ts'
import type { LiveReport } from '../../domain/live/live-report.ts'
import { EventStream, eventBytes, KEEP_ALIVE } from './event-stream.ts'
import type { LiveMessage } from './responses.ts'
import type { LiveLookup } from './serve-ports.ts'

/** Polls a crawl once per second for all clients that listen; without clients it does nothing. */
export class LiveFeed {
  readonly #clock: Clock
  readonly #source: LiveLookup
  readonly #streams = new Set<EventStream>()
  #latest: LiveMessage | undefined
  #latestBytes: Uint8Array | undefined
  #lastReport: LiveReport | undefined
  #isPolling = false
  /** The next report is the last one, and must not wait. */
  #isLast = false
  #endPause = (): void => {}

  constructor(clock: Clock, source: LiveLookup) {
    this.#clock = clock
    this.#source = source
    void source.ended?.then(() => {
      this.#isLast = true
      this.#endPause()
    })
  }

  /** The first event comes at once. @param onClose called once, when the client has gone */
  open(onClose: () => void): EventStream {
    const stream = new EventStream(this.#clock, () => {
      this.#streams.delete(stream)
      if (this.#streams.size === 0) this.#endPause()
      onClose()
    })
    this.#streams.add(stream)
    if (this.#isPolling) stream.offer(this.#latestBytes ?? KEEP_ALIVE)
    else void this.#poll()
    return stream
  }

  /** The state now. Clients that listen have paid for it. */
  async message(): Promise<LiveMessage> {
    return this.#isPolling && this.#latest !== undefined ? this.#latest : this.#read()
  }

  async #poll(): Promise<void> {
    this.#isPolling = true
    while (this.#streams.size > 0) {
      const startedAt = this.#clock.now()
      const stopKeepingAlive = this.#keepAlive()
      const message = await this.#read()
      stopKeepingAlive()
      this.#publish(message)
      await this.#pause(startedAt + PERIOD_MS - this.#clock.now())
    }
    this.#isPolling = false
    this.#latest = undefined
    this.#latestBytes = undefined
  }

  #publish(message: LiveMessage): void {
    const isNews = message.state === 'running' || !isSame(message, this.#latest)
    this.#latest = message
    if (isNews) this.#latestBytes = eventBytes(message)
    const bytes = isNews ? this.#latestBytes : undefined
    for (const stream of this.#streams) stream.offer(bytes ?? KEEP_ALIVE, bytes === undefined)
  }

  async #read(): Promise<LiveMessage> {
    try {
      return await this.#inTime(async () => {
        const live = await this.#source.find()
        if (live === undefined) return this.#idle()
        const report = await live.report()
        this.#lastReport = report
        return { state: 'running', report }
      })
    } catch (error) {
      return this.#idle(problemText(error))
    }
  }

  #idle(problem?: string): LiveMessage {
    return { state: 'idle', ...withoutUndefined({ problem, last: this.#lastReport }) }
  }

  /** Clients get comments while the crawl does not respond. */
  #keepAlive(): () => void {
    let cancel = this.#clock.after(KEEP_ALIVE_MS, next.bind(this))
    return () => cancel()

    function next(this: LiveFeed): void {
      for (const stream of this.#streams) stream.offer(KEEP_ALIVE, true)
      cancel = this.#clock.after(KEEP_ALIVE_MS, next.bind(this))
    }
  }

  async #inTime(read: () => Promise<LiveMessage>): Promise<LiveMessage> {
    const { promise, resolve } = Promise.withResolvers<LiveMessage>()
    const cancel = this.#clock.after(MAX_READ_MS, () => resolve(this.#idle(NO_RESPONSE)))
    try {
      return await Promise.race([read(), promise])
    } finally {
      cancel()
    }
  }

  /** Ends early when the last client has gone. */
  async #pause(ms: number): Promise<void> {
    if (this.#streams.size === 0) return
    if (this.#isLast) {
      this.#isLast = false
      return
    }
    const { promise, resolve } = Promise.withResolvers<void>()
    const cancel = this.#clock.after(Math.max(0, ms), resolve)
    this.#endPause = resolve
    await promise
    cancel()
  }
}

const PERIOD_MS = 1_000
const KEEP_ALIVE_MS = 5_000
const MAX_READ_MS = 20_000
const NO_RESPONSE = `The crawl has not responded for ${MAX_READ_MS / 1000} seconds.`

function isSame(one: LiveMessage, other: LiveMessage | undefined): boolean {
  return (
    one.state === 'idle' &&
    other?.state === 'idle' &&
    one.problem === other.problem &&
    one.last === other.last
  )
}

/** Messages of other errors may have details that are not for clients. */
export function problemText(error: unknown): string {
  return error instanceof CrawlError ? error.message : 'The state of the crawl cannot be read.'
}
