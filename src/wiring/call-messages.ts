import { CONFIGURATION_CODES, ConfigurationError } from '../base/crawl-error.ts'
import { withoutUndefined } from '../base/without-undefined.ts'
import type { HeaderList } from '../domain/fetch/headers.ts'
import type { CrawlRequest } from '../domain/frontier/crawl-request.ts'
import type { NormalizerOptions } from '../domain/url/normalize-url.ts'
import type { Page } from '../flows/spider/handler-page.ts'
import { Drop, RetryLater } from '../flows/spider/hooks.ts'
import type { RequestOutput } from '../flows/spider/output.ts'
import type { RequestOptions } from '../flows/spider/request-options.ts'
import type { CallResult } from '../flows/spider/spider-calls.ts'
import type { SpiderEnd } from '../flows/spider/spider-definition.ts'
import type { SpiderStats } from '../flows/spider/spider-stats.ts'
import { TimeLimitExceeded } from '../flows/spider/time-limit.ts'
import type { SpiderArguments } from './load-spider-file.ts'

// The messages between the main thread and the handler thread: plain data.

/** The data that a thread is started with. */
export interface ThreadData {
  readonly file: string
  readonly args: SpiderArguments
  readonly normalizer: NormalizerOptions
  /** `Infinity`: none. */
  readonly limitMs: number
  /** Two numbers: the call whose function is running (0: none), and a heartbeat counter, which stops while the thread is blocked. */
  readonly marks: SharedArrayBuffer
  /** The memory of `KnownRequests`: links that it has are not sent to the main thread. Absent: all links are sent. */
  readonly known?: SharedArrayBuffer
}

export const CURRENT_CALL = 0
export const BEATS = 1

/** A call, sent by the main thread. */
export type CallMessage =
  | { readonly call: 'request'; readonly request: CrawlRequest }
  | { readonly call: 'page'; readonly page: SentPage }
  | { readonly call: 'error'; readonly error: SentRequestError; readonly page: SentPage }
  | { readonly call: 'idle'; readonly stats: SpiderStats }
  | { readonly call: 'item'; readonly item: unknown }
  | { readonly call: 'onClose'; readonly stats: SpiderStats; readonly ended: SpiderEnd }
  | { readonly call: 'close' }

export interface SentPage {
  readonly request: CrawlRequest
  readonly attempt: number
  readonly status: number
  readonly headers: HeaderList
  readonly bytes: Uint8Array<ArrayBuffer>
  /** Of a rendered page. */
  readonly browser?: 'isolated'
}

export interface SentRequestError {
  readonly code: string
  readonly reason: string
  readonly url: string
  readonly attempts: number
  readonly cause?: SentFailure
}

/** A message of the handler thread. */
export type ThreadMessage =
  | { readonly kind: 'ready' }
  | { readonly kind: 'failed'; readonly failure: SentFailure }
  | { readonly kind: 'replies'; readonly replies: readonly CallReply[] }

export type CallReply = { readonly id: number } & (
  | { readonly result: unknown }
  | { readonly failure: SentFailure }
)

/** A thrown value. */
export interface SentFailure {
  /** Absent: not an Error. */
  readonly name?: string
  readonly message: string
  readonly stack?: string
  readonly code?: string
  readonly limitMs?: number
}

/** A copy of the body, because the call may be sent again to another thread. */
export function sentPage({ request, attempt, status, headers, bytes, isRendered }: Page): SentPage {
  const browser = isRendered ? { browser: 'isolated' as const } : {}
  return { request, attempt, status, headers, bytes: new Uint8Array(bytes), ...browser }
}

export function sentFailure(thrown: unknown): SentFailure {
  if (!(thrown instanceof Error)) return { message: String(thrown) }
  const { name, message, stack } = thrown
  return {
    ...{ name, message },
    ...withoutUndefined({ stack }),
    ...('code' in thrown && typeof thrown.code === 'string' && { code: thrown.code }),
    ...(thrown instanceof TimeLimitExceeded && { limitMs: thrown.limitMs }),
  }
}

/** Restores a thrown value: `TimeLimitExceeded` and `ConfigurationError` with their class, others as a plain error. */
export function receivedFailure({ name, message, stack, code, limitMs }: SentFailure): unknown {
  if (name === undefined) return message
  if (limitMs !== undefined) return new TimeLimitExceeded(limitMs)
  const configurationCode = CONFIGURATION_CODES.find((known) => known === code)
  if (configurationCode !== undefined) return new ConfigurationError(configurationCode, message)
  return Object.assign(new Error(message), {
    name,
    ...withoutUndefined({ stack, code }),
  })
}

/** The verdict of a hook as plain data: messages do not keep classes. */
type SentVerdict =
  | { readonly drop: string }
  | { readonly retryLater: string; readonly afterSeconds: number | undefined }

/** @param isRepeat whether a request can be left out, because the frontier has it; @default none can */
export function sentResult(
  result: CallResult | CrawlRequest | Drop | RetryLater,
  isRepeat?: (request: RequestOutput) => boolean,
): unknown {
  if (result instanceof Drop) return { drop: result.reason } satisfies SentVerdict
  if (result instanceof RetryLater)
    return { retryLater: result.reason, afterSeconds: result.afterSeconds } satisfies SentVerdict
  if (!('requests' in result)) return result
  const { items, itemsWithFiles, rejected, dropped } = result
  const requests =
    isRepeat === undefined ? result.requests : result.requests.filter((request) => !isRepeat(request))
  const repeats = result.repeats + result.requests.length - requests.length
  const { unwantedFiles, linksOverLimit, invalidEntries } = result
  return {
    ...{ requests: sentRequests(requests), items, itemsWithFiles, rejected, dropped },
    ...{ repeats, unwantedFiles, linksOverLimit, invalidEntries },
  }
}

export function receivedResult<T extends CallResult | CrawlRequest>(sent: unknown): T | Drop | RetryLater {
  const verdict = sent as T | SentVerdict
  if ('drop' in verdict) return new Drop(verdict.drop)
  if ('retryLater' in verdict) return new RetryLater(verdict.retryLater, verdict.afterSeconds)
  if ('requests' in verdict)
    return { ...verdict, requests: receivedRequests(verdict.requests as unknown as SentRequests[]) }
  return verdict
}

/** Requests that differ only in the URL, like those of `followAll`: one object for all of them is faster to send. */
interface SentRequests {
  readonly hrefs: string[]
  readonly options: RequestOptions
  readonly base: string | undefined
}

function sentRequests(requests: readonly RequestOutput[]): SentRequests[] {
  const groups: SentRequests[] = []
  let last: RequestOutput | undefined
  for (const request of requests) {
    const { href, options, base } = request
    if (last !== undefined && last.options === options && last.base === base) groups.at(-1)?.hrefs.push(href)
    else groups.push({ hrefs: [href], options: plainOptions(options), base })
    last = request
  }
  return groups
}

function receivedRequests(groups: readonly SentRequests[]): RequestOutput[] {
  return groups.flatMap(({ hrefs, options, base }) => hrefs.map((href) => ({ href, options, base })))
}

/** `meta` and `json` as they will be stored. Values that JSON leaves out, such as functions, cannot be sent. */
function plainOptions(options: RequestOptions): RequestOptions {
  const { meta, json } = options
  if (meta === undefined && json === undefined) return options
  return {
    ...options,
    ...(meta !== undefined && { meta: JSON.parse(JSON.stringify(meta)) }),
    ...(json !== undefined && { json: JSON.parse(JSON.stringify(json)) }),
  }
}
