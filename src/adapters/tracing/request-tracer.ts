import {
  type Context,
  type HrTime,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  type Tracer,
  trace,
} from '@opentelemetry/api'
import type { FetchOutcome } from '../../domain/fetch/fetch-outcome.ts'
import type { ObservedRequest, RequestObserver } from '../../domain/fetch/request-observer.ts'
import { errorType, httpAttributes, requestAttributes } from './span-attributes.ts'

/**
 * Makes spans of the life of each request: the time in its host queue, the HTTP request with its phases, and the processing of the
 * response. Each request is a trace of its own.
 */
export class RequestTracer implements RequestObserver {
  readonly #tracer: Tracer
  readonly #elapsedMs: () => number
  /** Requests that ended and are being processed. */
  readonly #processing = new Map<ObservedRequest, EndedRequest>()

  /** @param elapsedMs a steady time of any origin, in milliseconds */
  constructor(tracer: Tracer, elapsedMs: () => number = () => performance.now()) {
    this.#tracer = tracer
    this.#elapsedMs = elapsedMs
  }

  sent(): void {}

  ended(request: ObservedRequest, outcome: FetchOutcome | undefined): void {
    this.#processing.set(request, { outcome, elapsedMs: this.#elapsedMs() })
  }

  processed(request: ObservedRequest): void {
    const ended = this.#processing.get(request)
    if (ended === undefined) return
    this.#processing.delete(request)
    const { outcome } = ended
    const endedAt = request.endedAt ?? request.startedAt + (outcome?.timings.totalMs ?? 0)
    const processedAt = endedAt + this.#elapsedMs() - ended.elapsedMs
    const root = this.#tracer.startSpan(
      request.purpose === 'robots' ? 'robots.txt' : 'page',
      { root: true, startTime: hrTime(request.queuedAt), attributes: requestAttributes(request, outcome) },
      ROOT_CONTEXT,
    )
    if (root.isRecording()) {
      const context = trace.setSpan(ROOT_CONTEXT, root)
      this.#phase('queue', request.queuedAt, request.startedAt, context)
      if (outcome !== undefined) this.#http(request, outcome, context)
      this.#phase('process', endedAt, processedAt, context)
    }
    root.end(hrTime(processedAt))
  }

  /** The HTTP request, by the semantic conventions, with its phases as children. */
  #http(request: ObservedRequest, outcome: FetchOutcome, context: Context): void {
    const { startedAt, dnsMs, connectMs, headersMs, totalMs } = outcome.timings
    const span = this.#tracer.startSpan(
      request.method ?? 'GET',
      {
        kind: SpanKind.CLIENT,
        startTime: hrTime(startedAt),
        attributes: httpAttributes(request, outcome),
      },
      context,
    )
    const error = errorType(outcome)
    if (error !== undefined)
      span.setStatus({
        code: SpanStatusCode.ERROR,
        ...('detail' in outcome && { message: outcome.detail }),
      })
    const inside = trace.setSpan(context, span)
    if (dnsMs !== undefined) this.#phase('dns', startedAt, startedAt + dnsMs, inside)
    if (connectMs !== undefined)
      this.#phase('connect', startedAt + (dnsMs ?? 0), startedAt + connectMs, inside)
    if (headersMs !== undefined) {
      this.#phase('wait', startedAt + (connectMs ?? 0), startedAt + headersMs, inside)
      this.#phase('receive', startedAt + headersMs, startedAt + totalMs, inside)
    }
    span.end(hrTime(startedAt + totalMs))
  }

  #phase(name: string, from: number, to: number, context: Context): void {
    this.#tracer.startSpan(name, { startTime: hrTime(from) }, context).end(hrTime(to))
  }
}

interface EndedRequest {
  readonly outcome: FetchOutcome | undefined
  readonly elapsedMs: number
}

/** A number is ambiguous in OpenTelemetry: small ones count from the start of the process. */
function hrTime(ms: number): HrTime {
  const seconds = Math.floor(ms / 1000)
  return [seconds, Math.round((ms - seconds * 1000) * 1e6)]
}
