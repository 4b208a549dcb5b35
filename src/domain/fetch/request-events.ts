import { isLogged, logEvent } from '../../base/event-codes.ts'
import type { EventLog } from '../../base/event-log.ts'
import { withoutUndefined } from '../../base/without-undefined.ts'
import { type FetchOutcome, isAborted } from './fetch-outcome.ts'
import type { ObservedRequest, RequestObserver } from './request-observer.ts'

/** Logs the requests for pages. Those for robots.txt are logged with their result by the robots.txt cache. */
export class RequestEvents implements RequestObserver {
  readonly #log: EventLog
  readonly #logsFailures: boolean
  readonly #logsBackOff: boolean
  /** Hosts that are parked, or whose delay is longer than usual because of failures. */
  readonly #slowedDown = new Set<string>()

  /** @returns `undefined` if the log reads none of the events */
  static of(log: EventLog): RequestEvents | undefined {
    return isLogged(log, 'PAGE_FETCHED') || isLogged(log, 'RATE_LIMITED') ? new RequestEvents(log) : undefined
  }

  constructor(log: EventLog) {
    this.#log = log
    this.#logsFailures = isLogged(log, 'REQUEST_FAILED')
    this.#logsBackOff = isLogged(log, 'HOST_BACKED_OFF')
  }

  sent(): void {}

  ended(request: ObservedRequest, outcome: FetchOutcome | undefined): void {
    if (outcome === undefined || isAborted(outcome)) return
    const isFine = FINE.has(outcome.kind)
    if (this.#logsBackOff && (!isFine || this.#slowedDown.size > 0)) this.#noteBackOff(request, outcome)
    if (this.#logsFailures && request.purpose === 'page') this.#logOutcome(request, outcome)
  }

  #noteBackOff(request: ObservedRequest, outcome: FetchOutcome): void {
    const { key, delayMs = 0, limits } = request
    if (outcome.kind === 'rate-limited') this.#rateLimited(request, outcome)
    if (this.#isParked(request, outcome)) return
    const usualMs = Math.max(limits?.endGapMs ?? 0, limits?.startGapMs ?? 0)
    const isFailure = outcome.kind === 'server-error' || outcome.kind === 'network-failure'
    if (isFailure && delayMs > usualMs && !this.#slowedDown.has(key)) {
      if (this.#slowedDown.size < MAX_HOSTS) this.#slowedDown.add(key)
      const message = `${key} fails (${outcomeText(outcome)}); the delay between its requests is now ${seconds(delayMs)}`
      logEvent(this.#log, 'HOST_BACKED_OFF', message, { host: key, data: { delayMs } })
    } else if (!isFailure && delayMs <= usualMs && this.#slowedDown.delete(key))
      logEvent(this.#log, 'HOST_RELEASED', `${key} responds again, at its usual delay`, { host: key })
  }

  #isParked({ key, parkedUntil }: ObservedRequest, outcome: FetchOutcome): boolean {
    if (parkedUntil === undefined) return false
    if (this.#slowedDown.size < MAX_HOSTS) this.#slowedDown.add(key)
    const until = new Date(parkedUntil).toISOString()
    const message = `${key} gets no requests until ${until}, after: ${outcomeText(outcome)}`
    logEvent(this.#log, 'HOST_PARKED', message, { host: key, data: { until: parkedUntil } })
    return true
  }

  #rateLimited(request: ObservedRequest, outcome: Extract<FetchOutcome, { kind: 'rate-limited' }>): void {
    const { retryAt, response } = outcome
    const until =
      retryAt === undefined ? '' : `; no request before ${new Date(retryAt).toISOString()} (Retry-After)`
    logEvent(this.#log, 'RATE_LIMITED', `${request.key} returned ${response.status}${until}`, {
      ...{ url: request.url, host: request.key },
      data: { status: response.status, ...withoutUndefined({ retryAt }) },
    })
  }

  #logOutcome({ url, key: host }: ObservedRequest, outcome: FetchOutcome): void {
    const ms = Math.round(outcome.timings.totalMs)
    if (outcome.kind === 'success' || outcome.kind === 'not-modified') {
      const { status } = outcome.response
      const { wireBytes = 0, truncated } = outcome.kind === 'success' ? outcome.body : {}
      const message = `${status} ${url} (${wireBytes} bytes, ${ms} ms)`
      logEvent(this.#log, 'PAGE_FETCHED', message, { url, host, data: { status, bytes: wireBytes, ms } })
      if (truncated !== undefined)
        logEvent(this.#log, 'BODY_TRUNCATED', `the body of ${url} is truncated (${truncated})`, {
          ...{ url, host },
          data: { cause: truncated },
        })
    } else if (outcome.kind === 'moved')
      logEvent(this.#log, 'REDIRECTED', `${outcome.response.status} ${url} redirects to ${outcome.to}`, {
        ...{ url, host },
        data: { status: outcome.response.status, to: outcome.to, ms },
      })
    else
      logEvent(this.#log, 'REQUEST_FAILED', `${url}: ${outcomeText(outcome)}`, {
        ...{ url, host },
        data: { kind: outcome.kind, ms },
      })
  }
}

/** Outcomes without a failure. */
const FINE: ReadonlySet<FetchOutcome['kind']> = new Set([
  'success',
  'moved',
  'not-modified',
  'not-found',
  'gone',
])

const MAX_HOSTS = 10_000

/** `HTTP 503`, or the cause and the message of the system. */
function outcomeText(outcome: FetchOutcome): string {
  if ('detail' in outcome) return `${'cause' in outcome ? outcome.cause : outcome.kind}: ${outcome.detail}`
  return `HTTP ${outcome.response.status}`
}

function seconds(ms: number): string {
  return `${Math.round(ms / 100) / 10} s`
}
