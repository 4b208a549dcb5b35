import type { Clock } from '../../base/clock.ts'
import { printable } from '../../base/printable.ts'
import type { FetchOutcome } from '../../domain/fetch/fetch-outcome.ts'
import { meaningOfHttpStatus } from '../../domain/fetch/fetch-status.ts'
import type { Fetcher, FetchRequest } from '../../domain/fetch/fetcher.ts'
import { header } from '../../domain/fetch/headers.ts'
import { isWebUrl, type Protocol, type ProtocolResponse } from '../../domain/fetch/protocol.ts'
import { FailureError } from '../http/failure.ts'

export interface ProtocolFetcherOptions {
  readonly clock: Clock
  /** For http and https. */
  readonly web: Fetcher
  /** By scheme, with its colon: `file:`. */
  readonly protocols: ReadonlyMap<string, Protocol>
  readonly maxBodyBytes: number
  /** Maximum time of a request. */
  readonly timeoutMs: number
}

/** Sends each request by the protocol of its URL. */
export class ProtocolFetcher implements Fetcher {
  readonly #options: ProtocolFetcherOptions

  constructor(options: ProtocolFetcherOptions) {
    this.#options = options
  }

  get isWaiting(): boolean {
    return this.#options.web.isWaiting ?? false
  }

  fetch(request: FetchRequest): Promise<FetchOutcome> {
    const { web } = this.#options
    const protocol = isWebUrl(request.url) ? undefined : this.#protocolOf(request.url)
    // HTTP refuses schemes that it does not know, with the right outcome.
    return protocol === undefined ? web.fetch(request) : this.#fetchWith(protocol, request)
  }

  hasRobots(url: string): boolean {
    return isWebUrl(url) || (this.#protocolOf(url)?.hasRobots ?? false)
  }

  async close(): Promise<void> {
    await Promise.all([
      this.#options.web.close(),
      ...[...this.#options.protocols.values()].map((protocol) => protocol.close?.()),
    ])
  }

  #protocolOf(url: string): Protocol | undefined {
    return this.#options.protocols.get(url.slice(0, url.indexOf(':') + 1))
  }

  async #fetchWith(protocol: Protocol, request: FetchRequest): Promise<FetchOutcome> {
    const { clock, timeoutMs, maxBodyBytes } = this.#options
    const startedAt = clock.now()
    const timings = () => ({ startedAt, totalMs: clock.now() - startedAt })
    const failed = (cause: 'aborted' | 'connect-failed', detail: string): FetchOutcome => {
      return {
        url: request.url,
        timings: timings(),
        kind: 'network-failure',
        cause,
        detail: printable(detail),
      }
    }
    const stop = new AbortController()
    const abort = () => stop.abort()
    const cancel = clock.after(request.timeoutMs ?? timeoutMs, abort)
    request.signal?.addEventListener('abort', abort)
    try {
      if (request.signal?.aborted || request.mayBeSent?.() === false) return failed('aborted', 'aborted')
      const response = await untilAborted(
        stop.signal,
        protocol.fetch({
          url: request.url,
          maxBodyBytes: request.maxBodyBytes ?? maxBodyBytes,
          signal: stop.signal,
          ...(request.validators !== undefined && { validators: request.validators }),
        }),
      )
      return outcomeOf(request, response, timings())
    } catch (error) {
      if (error instanceof FailureError) return { ...error.failure, url: request.url, timings: timings() }
      if (request.signal?.aborted) return failed('aborted', 'aborted')
      if (stop.signal.aborted)
        return { url: request.url, timings: timings(), kind: 'too-slow', detail: 'the request took too long' }
      return failed('connect-failed', error instanceof Error ? error.message : String(error))
    } finally {
      cancel()
      request.signal?.removeEventListener('abort', abort)
    }
  }
}

/** A protocol may ignore its signal. */
async function untilAborted<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>()
  const abort = () => reject(new Error('aborted'))
  signal.addEventListener('abort', abort, { once: true })
  try {
    return await Promise.race([work, promise])
  } finally {
    signal.removeEventListener('abort', abort)
    work.catch(() => {})
  }
}

function outcomeOf(
  request: FetchRequest,
  { status, headers = [], body = new Uint8Array(), truncated = false, address = '' }: ProtocolResponse,
  timings: FetchOutcome['timings'],
): FetchOutcome {
  const { url } = request
  const protocol = url.slice(0, url.indexOf(':'))
  const base = { url, timings, response: { status, headers, requestHeaders: [], address, protocol } }
  const meaning = meaningOfHttpStatus(status)
  switch (meaning) {
    case 'success':
      return {
        ...base,
        kind: 'success',
        body: {
          bytes: body,
          wireBytes: body.length,
          decoded: [],
          ...(truncated && { truncated: 'size' as const }),
        },
      }
    case 'moved-permanently':
    case 'moved-temporarily': {
      const to = URL.parse(header(headers, 'location') ?? '', url)
      if (to === null)
        return { url, timings, kind: 'malformed', detail: `${status} without a usable Location` }
      return { ...base, kind: 'moved', to: to.href, permanent: meaning === 'moved-permanently' }
    }
    case 'malformed':
      return { url, timings, kind: 'malformed', detail: `status ${status}` }
    default:
      return { ...base, kind: meaning }
  }
}
