import type { Clock } from '../base/clock.ts'
import type { CrawlRequest } from '../domain/frontier/crawl-request.ts'
import type { Page } from '../flows/spider/handler-page.ts'
import type { Drop, RetryLater } from '../flows/spider/hooks.ts'
import { type CallResult, NO_RESULT, type SpiderCalls } from '../flows/spider/spider-calls.ts'
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

/**
 * Calls the functions of a spider in a thread of their own. A function that blocks the thread for longer than the limit, or ends it, fails
 * its own call: the thread is replaced, and the other calls that it had are made again.
 */
export class IsolatedCalls implements SpiderCalls {
  readonly #clock: Clock
  readonly #spider: AnySpider
  readonly #options: HandlerThreadOptions
  #thread: HandlerThread | undefined
  #nextId = 1
  /** Not yet sent. */
  #waiting: Call[] = []
  readonly #sent = new Map<number, Call>()
  /** Calls of which one blocked or ended the thread; made again one at a time, so that it shows which. */
  readonly #suspects: Call[] = []
  #isAlone = false
  #isScheduled = false
  #bytes = 0
  readonly #roomWanted: Array<() => void> = []
  #opening: PromiseWithResolvers<void> | undefined
  /** Threads that ended since the last reply. */
  #deathsInRow = 0
  #broken: unknown

  /** @param spider the definition that the file exports: it tells which functions there are */
  constructor(clock: Clock, spider: AnySpider, options: HandlerThreadOptions) {
    this.#clock = clock
    this.#spider = spider
    this.#options = options
  }

  /** Starts the thread. Rejects when the spider cannot be loaded there, or a pipeline cannot be opened. */
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

  async room(): Promise<void> {
    while (this.#pending >= MAX_PENDING || this.#bytes >= MAX_PENDING_BYTES)
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

  get #pending(): number {
    return this.#waiting.length + this.#sent.size + this.#suspects.length
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

  /** Calls that are made together go together. */
  #schedule(): void {
    if (this.#isScheduled || this.#pending === this.#sent.size) return
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
    this.#deathsInRow = 0
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

  /** @param current the call whose function was running; 0: the thread does not know */
  #ended(thread: HandlerThread, reason: unknown, current: number): void {
    if (this.#thread !== thread) return
    this.#thread = undefined
    this.#isAlone = false
    this.#opening?.reject(reason)
    this.#opening = undefined
    if (!thread.isReady || ++this.#deathsInRow > MAX_DEATHS_IN_ROW) {
      this.#giveUp(reason)
      return
    }
    const calls = [...this.#sent.values()]
    const guilty = this.#sent.get(current) ?? (calls.length === 1 ? calls[0] : undefined)
    this.#sent.clear()
    const others = calls.filter((call) => call !== guilty)
    if (guilty === undefined) for (const call of others) this.#suspects.push(call)
    else {
      this.#waiting = [...others, ...this.#waiting]
      this.#forget(guilty)
      guilty.reject(reason)
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
  /** Made anew each time it is sent: what is sent is moved to the thread. */
  readonly make: () => CallMessage
  readonly bytes: number
  readonly resolve: (result: unknown) => void
  readonly reject: (error: unknown) => void
}

const MAX_BATCH = 16
/** Pages that wait for the thread; while there are so many, no more are fetched. */
const MAX_PENDING = 128
const MAX_PENDING_BYTES = 32 * 1024 * 1024
/** Threads that end without a single reply: the spider cannot work. */
const MAX_DEATHS_IN_ROW = 20
