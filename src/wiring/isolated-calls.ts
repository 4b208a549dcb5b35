import type { Clock } from '../base/clock.ts'
import type { CrawlRequest } from '../domain/frontier/crawl-request.ts'
import type { Page } from '../flows/spider/handler-page.ts'
import type { Drop, RetryLater } from '../flows/spider/hooks.ts'
import { type CallResult, NO_RESULT } from '../flows/spider/spider-calls.ts'
import type { AnySpider, RequestError, SpiderEnd } from '../flows/spider/spider-definition.ts'
import type { SpiderStats } from '../flows/spider/spider-stats.ts'
import {
  type CallMessage,
  type CallReply,
  receivedFailure,
  receivedResult,
  type SentFailure,
  sentFailure,
  sentPage,
} from './call-messages.ts'
import { HandlerThread, type HandlerThreadOptions } from './handler-thread.ts'
import type { ThreadCalls } from './threaded-calls.ts'

/**
 * Calls the functions of a spider in a separate thread. If a function blocks the thread for longer than the limit, or ends it, only its own
 * call fails: the thread is replaced, and its other calls are sent again.
 */
export class IsolatedCalls implements ThreadCalls {
  readonly #clock: Clock
  readonly #spider: AnySpider
  readonly #options: HandlerThreadOptions
  #thread: HandlerThread | undefined
  #nextId = 1
  /** Not yet sent. */
  #waiting: Call[] = []
  readonly #sent = new Map<number, Call>()
  /** Calls of which one blocked or ended the thread. They are sent again one at a time to find it. */
  readonly #suspects: Call[] = []
  #isAlone = false
  #isScheduled = false
  #bytes = 0
  readonly #roomWanted: Array<() => void> = []
  #opening: PromiseWithResolvers<void> | undefined
  /** Consecutive threads that ended without a reply. */
  #failedThreads = 0
  #broken: unknown

  /** @param spider the definition that the file exports; only the functions that it has are called */
  constructor(clock: Clock, spider: AnySpider, options: HandlerThreadOptions) {
    this.#clock = clock
    this.#spider = spider
    this.#options = options
  }

  /** Starts the thread. Rejects if the spider cannot be loaded there, or a pipeline cannot be opened. */
  open(): Promise<void> {
    this.#opening = Promise.withResolvers()
    this.#startThread()
    return this.#opening.promise
  }

  async close(onFailed: (error: unknown) => void): Promise<void> {
    const thread = this.#thread
    if (
      thread?.isReady === true &&
      this.#spider.pipelines?.some(({ close }) => close !== undefined) === true
    ) {
      const failures = await this.#call({ call: 'close' }).catch((error: unknown) => [sentFailure(error)])
      for (const failure of failures as readonly SentFailure[]) onFailed(receivedFailure(failure))
    }
    this.#thread = undefined
    this.#giveUp(new Error('the spider is closed'))
    await thread?.end()
  }

  get pending(): number {
    return this.#waiting.length + this.#sent.size + this.#suspects.length
  }

  async room(): Promise<void> {
    while (this.pending >= MAX_PENDING || this.#bytes >= MAX_PENDING_BYTES)
      await new Promise<void>((resolve) => this.#roomWanted.push(resolve))
  }

  async onRequest(request: CrawlRequest): Promise<CrawlRequest | Drop> {
    if (this.#spider.hooks?.some((hook) => hook.request !== undefined) !== true) return request
    const result = receivedResult<CrawlRequest>(await this.#call({ call: 'request', request }))
    return result as CrawlRequest | Drop
  }

  async onPage(page: Page): Promise<CallResult | Drop | RetryLater> {
    const make = (): CallMessage => ({ call: 'page', page: sentPage(page) })
    return receivedResult<CallResult>(await this.#call(make, page.bytes.length))
  }

  async onError({ page, cause, ...error }: RequestError): Promise<CallResult> {
    if (this.#spider.onError === undefined) return NO_RESULT
    const sent = { ...error, ...(cause !== undefined && { cause: sentFailure(cause) }) }
    const make = (): CallMessage => ({ call: 'error', error: sent, page: sentPage(page) })
    return receivedResult<CallResult>(await this.#call(make, page.bytes.length)) as CallResult
  }

  async onIdle(stats: SpiderStats): Promise<CallResult> {
    if (this.#spider.onIdle === undefined) return NO_RESULT
    return receivedResult<CallResult>(await this.#call({ call: 'idle', stats })) as CallResult
  }

  async onItem(item: unknown): Promise<void> {
    await this.#call({ call: 'item', item })
  }

  async onClose(stats: SpiderStats, ended: SpiderEnd): Promise<void> {
    if (this.#spider.onClose !== undefined) await this.#call({ call: 'onClose', stats, ended })
  }

  #call(message: CallMessage | (() => CallMessage), bytes = 0): Promise<unknown> {
    if (this.#broken !== undefined) return Promise.reject(this.#broken)
    return new Promise((resolve, reject) => {
      const make = typeof message === 'function' ? message : () => message
      this.#waiting.push({ id: this.#nextId++, make, bytes, resolve, reject })
      this.#bytes += bytes
      this.#schedule()
    })
  }

  /** Sends the calls of one turn of the event loop together. */
  #schedule(): void {
    if (this.#isScheduled || this.pending === this.#sent.size) return
    this.#isScheduled = true
    setImmediate(() => {
      this.#isScheduled = false
      this.#send()
    })
  }

  #send(): void {
    const thread = this.#thread ?? this.#startThread()
    if (!thread.isReady || this.#isAlone) return
    const suspect = this.#suspects.shift()
    if (suspect !== undefined) {
      this.#isAlone = true
      this.#sendBatch(thread, [suspect])
      return
    }
    while (this.#waiting.length > 0) this.#sendBatch(thread, this.#waiting.splice(0, MAX_BATCH))
  }

  #sendBatch(thread: HandlerThread, calls: readonly Call[]): void {
    for (const call of calls) this.#sent.set(call.id, call)
    thread.send(calls.map(({ id, make }) => ({ id, message: make() })))
  }

  #startThread(): HandlerThread {
    const thread = new HandlerThread(this.#clock, this.#options, {
      isBusy: () => this.#sent.size > 0,
      onReady: () => {
        this.#opening?.resolve()
        this.#opening = undefined
        this.#schedule()
      },
      onReplies: (replies) => this.#settle(replies),
      onEnd: (reason, current) => this.#ended(thread, reason, current),
    })
    this.#thread = thread
    return thread
  }

  #settle(replies: readonly CallReply[]): void {
    this.#failedThreads = 0
    for (const reply of replies) {
      const call = this.#sent.get(reply.id)
      if (call === undefined) continue
      this.#forget(call)
      if ('failure' in reply) call.reject(receivedFailure(reply.failure))
      else call.resolve(reply.result)
    }
    if (this.#sent.size === 0) this.#isAlone = false
    this.#schedule()
  }

  #forget({ id, bytes }: Call): void {
    this.#sent.delete(id)
    this.#bytes -= bytes
    for (const resolve of this.#roomWanted.splice(0)) resolve()
  }

  /** @param current the call whose function was running; 0: unknown */
  #ended(thread: HandlerThread, reason: unknown, current: number): void {
    if (this.#thread !== thread) return
    this.#thread = undefined
    this.#isAlone = false
    this.#opening?.reject(reason)
    this.#opening = undefined
    if (!thread.isReady || ++this.#failedThreads > MAX_FAILED_THREADS) {
      this.#giveUp(reason)
      return
    }
    const calls = [...this.#sent.values()]
    const failed = this.#sent.get(current) ?? (calls.length === 1 ? calls[0] : undefined)
    this.#sent.clear()
    const others = calls.filter((call) => call !== failed)
    if (failed === undefined) for (const call of others) this.#suspects.push(call)
    else {
      this.#waiting = [...others, ...this.#waiting]
      this.#forget(failed)
      failed.reject(reason)
    }
    this.#schedule()
  }

  #giveUp(reason: unknown): void {
    this.#broken = reason
    const calls = [...this.#sent.values(), ...this.#suspects.splice(0), ...this.#waiting.splice(0)]
    for (const call of calls) {
      this.#forget(call)
      call.reject(reason)
    }
  }
}

interface Call {
  readonly id: number
  /** Creates the message for each attempt: its buffers are transferred to the thread. */
  readonly make: () => CallMessage
  readonly bytes: number
  readonly resolve: (result: unknown) => void
  readonly reject: (error: unknown) => void
}

const MAX_BATCH = 16
/** Maximum number of pages that wait for the thread; then fetching pauses. */
const MAX_PENDING = 128
const MAX_PENDING_BYTES = 32 * 1024 * 1024
/** Maximum number of consecutive threads that end without a reply; then the run fails. */
const MAX_FAILED_THREADS = 20
