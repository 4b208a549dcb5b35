import type { Clock } from '../../base/clock.ts'
import type { BodySink } from '../../domain/fetch/body-sink.ts'
import type { Truncation } from '../../domain/fetch/fetch-outcome.ts'
import { type HttpStatusMeaning, meaningOfHttpStatus } from '../../domain/fetch/fetch-status.ts'
import type { FetchRequest } from '../../domain/fetch/fetcher.ts'
import { type HeaderList, header } from '../../domain/fetch/headers.ts'
import { type Failure, FailureError } from './failure.ts'
import type { OutgoingRequest, ResponseHandler, StatusLine } from './http-client.ts'
import type { Connection } from './http-connection.ts'
import { ReceivedBody } from './received-body.ts'

/** Limits of size and time for one request. */
export interface ExchangeLimits {
  /** From the call to the last byte, waiting for a connection included. */
  readonly totalTimeoutMs: number
  /** From the sent request to the head of the response. */
  readonly headersTimeoutMs: number
  /** Maximum time without data inside a body. */
  readonly bodyTimeoutMs: number
  /** Minimum rate of a body, in bytes per second over `rateWindowMs`. */
  readonly minBytesPerSecond: number
  readonly rateWindowMs: number
  /** Maximum Content-Length. */
  readonly maxDeclaredBytes: number
}

/** Bytes of an unwanted body that are read to keep the connection; for more, a new connection is cheaper. */
const MAX_DRAINED_BYTES = 64 * 1024

/** 100, 102 and 103 may precede a response; a flood of them is an attack. */
const MAX_INFORMATIONAL = 20

/** Errors whose bodies are not read by default. */
const ERRORS: ReadonlySet<HttpStatusMeaning> = new Set([
  'gone',
  'not-found',
  'access-denied',
  'rate-limited',
  'server-error',
])

/**
 * One request on one connection, from sending to the last byte wanted.
 * The result is in its fields: `failure`, or a `status` with a `body` and perhaps a `cut`.
 */
export class Exchange implements ResponseHandler {
  /** Set if there is no usable response. */
  failure: Failure | undefined
  /** Whether any byte was received. */
  responseStarted = false
  status = 0
  headers: HeaderList = []
  /** `undefined` for HTTP/2. */
  statusLine: StatusLine | undefined
  /** What was sent. */
  requestHeaders: HeaderList = []
  /** When the head was complete (ms since the epoch). */
  headersAt: number | undefined
  /** The body as sent. Empty for a response whose body is not wanted. */
  readonly body = new ReceivedBody()
  /** Bytes of the body that were received, in `body` or by the sink. */
  wireBytes = 0
  /** Why the body is incomplete. */
  cut: Truncation | undefined
  /** Whether `body` is the requested body of an error. */
  hasErrorBody = false
  /** Whether the connection is at the end of the response and can be reused. */
  isComplete = false

  readonly #clock: Clock
  readonly #limits: ExchangeLimits
  readonly #startedAt: number
  readonly #maxWireBytes: number
  readonly #keepErrorBody: boolean
  #sink: BodySink | undefined
  #connection: Connection | undefined
  /** The sink is busy: the server is not too slow. */
  #isPaused = false
  #phase: 'connecting' | 'waiting' | 'reading' | 'draining' | 'over' = 'connecting'
  #phaseAt: number
  #informational = 0
  #drainedBytes = 0
  #lastDataAt = 0
  #windowAt = 0
  #windowBytes = 0
  #method = 'GET'
  #mayBeSent = (): boolean => true
  #signal: AbortSignal | undefined
  readonly #onAbort = (): void =>
    this.#fail({ kind: 'network-failure', cause: 'aborted', detail: 'aborted by the caller' })
  #cancelTimer: (() => void) | undefined
  #settle: () => void = () => {}
  #reject: (error: Error) => void = () => {}

  constructor(
    clock: Clock,
    limits: ExchangeLimits,
    startedAt: number,
    maxWireBytes: number,
    keepErrorBody = false,
  ) {
    this.#clock = clock
    this.#limits = limits
    this.#startedAt = startedAt
    this.#phaseAt = startedAt
    this.#maxWireBytes = maxWireBytes
    this.#keepErrorBody = keepErrorBody
  }

  /** Settles when it is over. Rejects only for a request that cannot be sent at all, a mistake of the caller. */
  run(
    connection: Connection,
    request: OutgoingRequest,
    { signal, mayBeSent = () => true, sink }: Pick<FetchRequest, 'signal' | 'mayBeSent' | 'sink'>,
  ): Promise<void> {
    this.#method = request.method
    this.#mayBeSent = mayBeSent
    this.#sink = sink
    this.#connection = connection
    this.#signal = signal
    return new Promise((resolve, reject) => {
      this.#settle = resolve
      this.#reject = reject
      if (signal?.aborted) {
        this.#onAbort()
        return
      }
      signal?.addEventListener('abort', this.#onAbort)
      this.#watch()
      connection.send(request, this)
    })
  }

  onSend(): boolean {
    if (this.#phase === 'over') return false
    if (this.#mayBeSent()) {
      this.#enter('waiting')
      return true
    }
    this.#fail({ kind: 'network-failure', cause: 'aborted', detail: 'it might not be sent any more' })
    return false
  }

  onResponseStart(): void {
    this.responseStarted = true
  }

  onHead(status: number, headers: HeaderList, line?: StatusLine): void {
    if (this.#phase === 'over') return
    if (status < 200) {
      if (++this.#informational > MAX_INFORMATIONAL)
        this.#fail({ kind: 'malformed', detail: 'a flood of 1xx responses' })
      return
    }
    this.status = status
    this.headers = headers
    this.statusLine = line
    const now = this.#clock.now()
    this.headersAt = now
    this.#lastDataAt = now
    this.#windowAt = now
    const meaning = meaningOfHttpStatus(status)
    const mayHaveBody = this.#method !== 'HEAD'
    this.hasErrorBody = this.#keepErrorBody && mayHaveBody && ERRORS.has(meaning)
    const wanted = this.hasErrorBody || (mayHaveBody && meaning === 'success')
    const declaredBytes = Number.parseInt(header(this.headers, 'content-length') ?? '0', 10)
    if (wanted && declaredBytes > this.#limits.maxDeclaredBytes) {
      this.#fail({ kind: 'too-large', cause: 'declared-length', detail: `${declaredBytes} bytes announced` })
      return
    }
    // The body of an error is small, and not for the sink.
    if (this.hasErrorBody) this.#sink = undefined
    if (wanted && this.#sink === undefined) this.body.expect(Math.min(declaredBytes, this.#maxWireBytes))
    this.#enter(wanted ? 'reading' : 'draining')
    if (wanted && this.#sink?.open({ status, headers }) === false) this.#cutOff('size')
  }

  onData(chunk: Uint8Array): void {
    if (this.#phase === 'draining') {
      this.#drainedBytes += chunk.length
      if (this.#drainedBytes > MAX_DRAINED_BYTES) this.#end()
      return
    }
    if (this.#phase !== 'reading') return
    this.#lastDataAt = this.#clock.now()
    this.#windowBytes += chunk.length
    if (this.#sink !== undefined) {
      this.#pass(chunk, this.#sink)
      return
    }
    const room = this.#maxWireBytes - this.body.length
    this.wireBytes += Math.min(chunk.length, room)
    if (chunk.length <= room) {
      this.body.add(chunk)
      return
    }
    this.body.add(chunk.subarray(0, room))
    this.#cutOff('size')
  }

  #pass(chunk: Uint8Array, sink: BodySink): void {
    this.wireBytes += chunk.length
    const taken = sink.write(chunk)
    if (taken === false) this.#cutOff('size')
    if (typeof taken === 'boolean' || this.#isPaused) return
    this.#isPaused = true
    this.#connection?.pause()
    void taken.then(() => {
      this.#isPaused = false
      this.#lastDataAt = this.#clock.now()
      this.#connection?.resume()
    })
  }

  onEnd(): void {
    this.isComplete = true
    this.#end()
  }

  onError(error: Error): void {
    if (this.#phase === 'over') return
    if (!(error instanceof FailureError)) {
      this.#reject(error)
      this.#end()
      return
    }
    const { failure } = error
    if (this.#phase === 'draining') this.#end()
    else if (this.wireBytes > 0 && failure.kind === 'network-failure' && failure.cause === 'reset')
      this.#cutOff('disconnect')
    else this.#fail(failure)
  }

  #enter(phase: 'waiting' | 'reading' | 'draining'): void {
    if (this.#phase === 'over') return
    this.#phase = phase
    this.#phaseAt = this.#clock.now()
  }

  /**
   * Sets the one timer to the limit that is due next, but no further ahead than the shortest limit there is: so it never has to be set
   * again because another phase begins, and a response that comes soon costs one timer.
   */
  #watch(): void {
    const { totalTimeoutMs, headersTimeoutMs, bodyTimeoutMs, rateWindowMs } = this.#limits
    const shortestMs = Math.min(totalTimeoutMs, headersTimeoutMs, bodyTimeoutMs, rateWindowMs)
    const ms = Math.min(shortestMs, this.#due() - this.#clock.now())
    // At least a millisecond: a timer may run a little early, and would then be set to nothing again and again.
    this.#cancelTimer = this.#clock.after(Math.max(1, ms), () => this.#onTime())
  }

  #due(): number {
    const { totalTimeoutMs, headersTimeoutMs, bodyTimeoutMs, rateWindowMs } = this.#limits
    const end = this.#startedAt + totalTimeoutMs
    if (this.#phase === 'waiting') return Math.min(end, this.#phaseAt + headersTimeoutMs)
    if (this.#phase === 'draining') return Math.min(end, this.#phaseAt + bodyTimeoutMs)
    if (this.#phase === 'reading')
      return Math.min(end, this.#lastDataAt + bodyTimeoutMs, this.#windowAt + rateWindowMs)
    return end
  }

  /** Checks which limit has passed; if none has, sets the timer again. */
  #onTime(): void {
    const { totalTimeoutMs, headersTimeoutMs, bodyTimeoutMs, minBytesPerSecond, rateWindowMs } = this.#limits
    const now = this.#clock.now()
    if (this.#isPaused) {
      this.#lastDataAt = now
      this.#windowAt = now
      this.#windowBytes = 0
    }
    if (now >= this.#startedAt + totalTimeoutMs) {
      if (this.#phase === 'draining') this.#end()
      else if (this.wireBytes > 0) this.#cutOff('time')
      else this.#fail({ kind: 'too-slow', detail: `nothing usable in ${totalTimeoutMs} ms` })
    } else if (this.#phase === 'waiting' && now >= this.#phaseAt + headersTimeoutMs) {
      this.#fail({
        kind: 'network-failure',
        cause: 'headers-timeout',
        detail: `no response in ${headersTimeoutMs} ms`,
      })
    } else if (this.#phase === 'draining' && now >= this.#phaseAt + bodyTimeoutMs) {
      this.#end()
    } else if (this.#phase === 'reading' && now >= this.#lastDataAt + bodyTimeoutMs) {
      if (this.wireBytes > 0) this.#cutOff('time')
      else
        this.#fail({
          kind: 'network-failure',
          cause: 'body-timeout',
          detail: `no body in ${bodyTimeoutMs} ms`,
        })
    } else if (this.#phase === 'reading' && now >= this.#windowAt + rateWindowMs) {
      const bytesPerSecond = (this.#windowBytes * 1_000) / (now - this.#windowAt)
      if (bytesPerSecond < minBytesPerSecond) {
        this.#fail({ kind: 'too-slow', detail: `${Math.round(bytesPerSecond)} bytes per second` })
        return
      }
      this.#windowAt = now
      this.#windowBytes = 0
      this.#watch()
    } else this.#watch()
  }

  #cutOff(reason: Truncation): void {
    this.cut = reason
    this.#end()
  }

  /** An error response whose body fails keeps its outcome, without the body. */
  #fail(failure: Failure): void {
    if (this.#phase === 'over') return
    const isAborted = failure.kind === 'network-failure' && failure.cause === 'aborted'
    if (!this.hasErrorBody || isAborted) this.failure = failure
    this.hasErrorBody = false
    this.#end()
  }

  #end(): void {
    this.#phase = 'over'
    this.#cancelTimer?.()
    this.#signal?.removeEventListener('abort', this.#onAbort)
    this.#settle()
  }
}
