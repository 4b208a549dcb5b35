import { parentPort, workerData } from 'node:worker_threads'
import { steadyClock } from '../base/clock.ts'
import { RecentFingerprints } from '../domain/frontier/recent-fingerprints.ts'
import { createNormalizer } from '../domain/url/normalize-url.ts'
import { filterChain } from '../domain/url/url-filter.ts'
import { Admission } from '../flows/spider/admission.ts'
import { Page } from '../flows/spider/handler-page.ts'
import { KnownRequests } from '../flows/spider/known-requests.ts'
import { handlerFault, LocalCalls } from '../flows/spider/local-calls.ts'
import type { RequestOutput } from '../flows/spider/output.ts'
import type { AnySpider } from '../flows/spider/spider-definition.ts'
import { type CallLimit, isPromise, TimeLimit } from '../flows/spider/time-limit.ts'
import {
  BEATS,
  type CallMessage,
  type CallReply,
  CURRENT_CALL,
  receivedFailure,
  type SentPage,
  sentFailure,
  sentResult,
  type ThreadData,
  type ThreadMessage,
} from './call-messages.ts'
import { loadSpiderFile } from './load-spider-file.ts'

// Runs in the thread of `IsolatedCalls`: calls the functions of a spider.

const { file, args, normalizer, limitMs, marks: shared, known: memory } = workerData as ThreadData
const marks = new Int32Array(shared)
const normalize = createNormalizer(normalizer)
const limit = new TimeLimit(steadyClock, limitMs)

/** Records which call is running, so that the main thread, which measures the time, knows the call that blocks this thread. */
class MarkedLimit implements CallLimit {
  readonly #id: number

  constructor(id: number) {
    this.#id = id
  }

  async call<T>(work: () => T): Promise<T> {
    Atomics.add(marks, BEATS, 1)
    Atomics.store(marks, CURRENT_CALL, this.#id)
    try {
      return work()
    } finally {
      Atomics.store(marks, CURRENT_CALL, 0)
    }
  }

  wait<T>(promise: Promise<T>): Promise<T> {
    return limit.wait(promise)
  }

  async run<T>(work: () => T | Promise<T>): Promise<T> {
    const { result } = await this.call(() => ({ result: work() }))
    return isPromise(result) ? this.wait(Promise.resolve(result)) : result
  }
}

let replies: CallReply[] = []
let sentAt = 0

/** Sends replies in batches: one message per reply would cost the main thread more than the page itself. */
function reply(one: CallReply): void {
  replies.push(one)
  if (performance.now() - sentAt > MAX_HELD_MS) sendReplies()
  else if (replies.length === 1) setImmediate(sendReplies)
}

/** Short, because the main thread may be idle until it gets the replies. */
const MAX_HELD_MS = 10
const MAX_BEAT_MS = 250

function sendReplies(): void {
  sentAt = performance.now()
  if (replies.length === 0) return
  const sent = replies
  replies = []
  try {
    post({ kind: 'replies', replies: sent })
  } catch {
    for (const one of sent) sendAlone(one)
  }
}

function sendAlone(one: CallReply): void {
  try {
    post({ kind: 'replies', replies: [one] })
  } catch (error) {
    post({ kind: 'replies', replies: [{ id: one.id, failure: sentFailure(error) }] })
  }
}

function post(message: ThreadMessage): void {
  parentPort?.postMessage(message)
}

async function perform(
  message: CallMessage,
  calls: LocalCalls,
  isRepeat: ((request: RequestOutput) => boolean) | undefined,
): Promise<unknown> {
  switch (message.call) {
    case 'request':
      return sentResult(await calls.onRequest(message.request))
    case 'page':
      return sentResult(await calls.onPage(pageOf(message.page)), isRepeat)
    case 'error': {
      const { cause, ...error } = message.error
      const thrown = cause === undefined ? {} : { cause: receivedFailure(cause) }
      return sentResult(await calls.onError({ ...error, ...thrown, page: pageOf(message.page) }))
    }
    case 'idle':
      return sentResult(await calls.onIdle(message.stats))
    case 'item':
      return calls.onItem(message.item)
    case 'onClose':
      return calls.onClose(message.stats, message.ended)
    case 'close': {
      const failures: unknown[] = []
      await calls.close((error) => failures.push(sentFailure(error)))
      return failures
    }
  }
}

function pageOf(sent: SentPage): Page {
  return new Page({ ...sent, normalize })
}

/** Most links of a page are on other pages, too: the main thread, which has the most work, does not get those. */
function repeatTest(spider: AnySpider, memory: SharedArrayBuffer): (request: RequestOutput) => boolean {
  const admission = new Admission({
    normalize,
    ...{ filter: filterChain([]), maxRedirects: 0 },
    known: new KnownRequests(new RecentFingerprints(memory)),
    handlerFault: (name) => handlerFault(spider, name),
  })
  return (request) => admission.isRepeat(request)
}

async function startCalls(): Promise<void> {
  try {
    // The types of its items and handlers are erased here, as in `runSpider`.
    const spider = (await loadSpiderFile(file, args)) as unknown as AnySpider
    const all = new LocalCalls(spider, normalize, limit)
    await all.open()
    const isRepeat = memory && repeatTest(spider, memory)
    parentPort?.on(
      'message',
      (batch: ReadonlyArray<{ readonly id: number; readonly message: CallMessage }>) => {
        for (const { id, message } of batch) {
          perform(message, all.within(new MarkedLimit(id)), isRepeat).then(
            (result) => reply({ id, result }),
            (error: unknown) => reply({ id, failure: sentFailure(error) }),
          )
        }
      },
    )
    if (limitMs !== Number.POSITIVE_INFINITY)
      setInterval(() => Atomics.add(marks, BEATS, 1), Math.min(MAX_BEAT_MS, limitMs / 40))
    post({ kind: 'ready' })
  } catch (error) {
    post({ kind: 'failed', failure: sentFailure(error) })
  }
}

startCalls()
