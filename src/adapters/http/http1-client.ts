import type { Socket } from 'node:net'
import type { Clock } from '../../base/clock.ts'
import { releaseBytes } from '../../base/release-bytes.ts'
import { FailureError, networkFailure, socketFailure } from './failure.ts'
import type { HttpClient, OutgoingRequest, ResponseHandler } from './http-client.ts'
import { leavesConnectionFit, requestHead } from './http1-request.ts'
import { Http1Response } from './http1-response.ts'

export interface Http1ClientOptions {
  readonly clock: Clock
  /** How long an idle connection is kept, unless the server closes it sooner. */
  readonly keepAliveMs: number
  readonly maxHeaderBytes: number
}

/** An idle connection is closed this long before the server would, so that a request does not cross the server's close. */
const GOODBYE_MARGIN_MS = 2_000

/** HTTP/1.1 on one socket. Listeners are set once, and a request costs one write. */
export class Http1Client implements HttpClient {
  isOpen = true
  readonly #socket: Socket
  readonly #host: string
  readonly #options: Http1ClientOptions
  readonly #onClosed: () => void
  readonly #response: Http1Response
  /** The handler of the current request; `undefined` while idle. */
  #handler: ResponseHandler | undefined
  #responseStarted = false
  #leavesFit = false
  /** When an idle connection is closed (ms since the epoch). */
  #idleUntil = 0
  /** When the timer runs next. */
  #looksAt = Number.POSITIVE_INFINITY
  #cancelTimer: (() => void) | undefined

  /**
   * @param host As the Host header has it.
   * @param onClosed Called once, when either side closes it.
   */
  constructor(socket: Socket, host: string, options: Http1ClientOptions, onClosed: () => void) {
    this.#socket = socket
    this.#host = host
    this.#options = options
    this.#onClosed = onClosed
    this.#response = new Http1Response(options.maxHeaderBytes)
    socket.on('data', (chunk: Buffer) => this.#onData(chunk))
    socket.on('end', () => this.#onEnd())
    socket.on('error', (error) => this.#fail(socketFailure(error)))
    socket.on('close', () => this.#lose('reset', 'the connection was closed'))
  }

  /** @throws ConfigurationError for a request that cannot be sent */
  send(request: OutgoingRequest, handler: ResponseHandler): void {
    const body = typeof request.body === 'string' ? Buffer.from(request.body) : request.body
    const head = requestHead(this.#host, request, body?.length ?? 0)
    if (!handler.onSend()) return
    this.#handler = handler
    this.#responseStarted = false
    this.#leavesFit = leavesConnectionFit(request)
    this.#response.begin(request.method, handler)
    const socket = this.#socket
    if (body === null || body.length === 0) {
      socket.write(head, 'latin1')
      return
    }
    socket.cork()
    socket.write(head, 'latin1')
    socket.write(body)
    socket.uncork()
  }

  pause(): void {
    this.#socket.pause()
  }

  resume(): void {
    this.#socket.resume()
  }

  destroy(): void {
    this.#lose('aborted', 'the fetcher was closed')
  }

  #onData(chunk: Buffer): void {
    const handler = this.#handler
    if (handler === undefined) {
      // Data without a request: it must not be taken for the next response.
      this.#close()
      return
    }
    if (!this.#responseStarted) {
      this.#responseStarted = true
      handler.onResponseStart()
    }
    const progress = this.#response.read(chunk)
    // The socket made it for this call.
    releaseBytes(chunk)
    if (progress === 'done') this.#finish(handler)
    else if (progress !== 'unfinished') this.#fail(new FailureError(progress))
  }

  #onEnd(): void {
    if (this.#handler !== undefined && this.#response.end()) this.#finish(this.#handler)
    else this.#lose('reset', 'the other end closed the connection')
  }

  #finish(handler: ResponseHandler): void {
    this.#handler = undefined
    const hintMs = this.#response.keepAliveMs
    const keepAliveMs =
      hintMs === undefined
        ? this.#options.keepAliveMs
        : Math.min(this.#options.keepAliveMs, hintMs - GOODBYE_MARGIN_MS)
    // After an early response the server may still expect the rest of the request.
    const isFit =
      this.#leavesFit && this.#response.mayBeReused && this.#socket.writableLength === 0 && keepAliveMs > 0
    if (isFit) this.#idle(keepAliveMs)
    else this.#close()
    handler.onEnd()
  }

  /** One timer checks the idle time now and then, so that requests do not set and clear timers. */
  #idle(keepAliveMs: number): void {
    const { clock } = this.#options
    this.#idleUntil = clock.now() + keepAliveMs
    if (this.#idleUntil >= this.#looksAt) return
    this.#cancelTimer?.()
    this.#looksAt = this.#idleUntil
    this.#cancelTimer = clock.after(keepAliveMs, () => this.#look())
  }

  #look(): void {
    const { clock } = this.#options
    const leftMs = this.#idleUntil - clock.now()
    this.#looksAt = Number.POSITIVE_INFINITY
    if (this.#handler !== undefined) return
    if (leftMs <= 0) this.#close()
    else this.#idle(leftMs)
  }

  #lose(cause: 'reset' | 'aborted', detail: string): void {
    if (this.#handler === undefined) this.#close()
    else this.#fail(networkFailure(cause, detail))
  }

  #fail(error: FailureError): void {
    const handler = this.#handler
    this.#handler = undefined
    this.#close()
    handler?.onError(error)
  }

  #close(): void {
    if (!this.isOpen) return
    this.isOpen = false
    this.#cancelTimer?.()
    this.#socket.destroy()
    this.#onClosed()
  }
}
