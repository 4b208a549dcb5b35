import type { Clock } from '../src/base/clock.ts'
import type { FetchOutcome, NetworkFailureCause } from '../src/domain/fetch/fetch-outcome.ts'
import { meaningOfHttpStatus } from '../src/domain/fetch/fetch-status.ts'
import type { Fetcher, FetchRequest } from '../src/domain/fetch/fetcher.ts'
import type { HeaderList } from '../src/domain/fetch/headers.ts'
import { Judge } from './judge.ts'

/** The response of a URL. */
export interface Script {
  /** `hang`: no response until the client aborts. Other words: the cause of a network failure. @default 200 */
  readonly status?: number | 'hang' | NetworkFailureCause
  /** @default an HTML page */
  readonly headers?: HeaderList
  readonly body?: string
  /** Where a 3xx leads. */
  readonly to?: string
  /** Retry-After, from the end of the response. */
  readonly retryAfterMs?: number
  /** @default 20 */
  readonly latencyMs?: number
}

/** A web without sockets, on any clock: it has a script for each URL; other URLs are 404. */
export class ScriptedFetcher implements Fetcher {
  readonly judge: Judge
  readonly requests: FetchRequest[] = []
  readonly #clock: Clock
  readonly #scripts: Readonly<Record<string, Script | string>>

  /** A string is the body of a page, or of a robots.txt. */
  constructor(clock: Clock, scripts: Readonly<Record<string, Script | string>>) {
    this.#clock = clock
    this.#scripts = scripts
    this.judge = new Judge(clock)
  }

  fetch(request: FetchRequest): Promise<FetchOutcome> {
    this.requests.push(request)
    const { hostname: host, pathname, search } = new URL(request.url)
    const received = { host, address: '192.0.2.1', path: pathname + search, method: 'GET', userAgent: 'test' }
    const hit = this.judge.started(received)
    const given = this.#scripts[request.url] ?? { status: 404 }
    const script = typeof given === 'string' ? { body: given } : given
    const startedAt = this.#clock.now()
    return new Promise((resolve) => {
      const end = (
        status: NonNullable<Script['status']>,
        waitMs = 0,
        detail = 'the connection broke',
      ): void => {
        this.judge.ended(hit, { status: typeof status === 'number' ? status : 0, waitMs })
        const totalMs = this.#clock.now() - startedAt
        const timings = { startedAt, totalMs, headersMs: totalMs }
        const response = responseOf(request, script, status, this.#clock.now(), detail)
        resolve({ url: request.url, timings, ...response } as FetchOutcome)
      }
      const { status = 200, latencyMs = 20, retryAfterMs = 0 } = script
      if (status !== 'hang') {
        const cancel = this.#clock.after(latencyMs, () => end(status, retryAfterMs))
        request.signal?.addEventListener('abort', cancel)
      }
      request.signal?.addEventListener('abort', () => end('hang', 0, 'broken off'))
    })
  }

  close(): Promise<void> {
    return Promise.resolve()
  }
}

/** An outcome without address and times. */
type Response<Each = FetchOutcome> = Each extends unknown ? Omit<Each, 'url' | 'timings'> : never

function responseOf(
  request: FetchRequest,
  script: Script,
  status: NonNullable<Script['status']>,
  now: number,
  detail: string,
): Response {
  if (typeof status !== 'number')
    return { kind: 'network-failure', cause: status === 'hang' ? 'aborted' : status, detail }
  const isText = request.url.endsWith('/robots.txt')
  const headers = script.headers ?? [['content-type', isText ? 'text/plain' : 'text/html']]
  const response = { status, headers, requestHeaders: [], address: '192.0.2.1', protocol: 'http/1.1' }
  const meaning = meaningOfHttpStatus(status)
  switch (meaning) {
    case 'success': {
      const bytes = new TextEncoder().encode(script.body ?? '')
      return { kind: 'success', response, body: { bytes, wireBytes: bytes.length, decoded: [] } }
    }
    case 'moved-permanently':
    case 'moved-temporarily':
      return { kind: 'moved', response, to: script.to ?? '', permanent: meaning === 'moved-permanently' }
    case 'rate-limited':
      return {
        kind: 'rate-limited',
        response,
        ...(script.retryAfterMs !== undefined && { retryAt: now + script.retryAfterMs }),
      }
    case 'malformed':
      return { kind: 'malformed', detail }
    default:
      return { kind: meaning, response }
  }
}
