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

/** We close an idle connection so long before the server means to, lest both a request and its goodbye are on the way. */
const GOODBYE_MARGIN_MS = 2_000

/** Speaks HTTP/1.1 on one socket. Its listeners are set once, and a request costs one write. */
export class Http1Client implements HttpClient {
  isOpen = true
  readonly #socket: Socket
  readonly #host: string
  readonly #options: Http1ClientOptions
  readonly #onClosed: () => void
  readonly #response: Http1Response
  /** Whose response is awaited; `undefined` while idle. */
  #handler: ResponseHandler | undefined
  #responseStarted = false
  #leavesFit = false
  /** When an idle connection is closed (ms since the epoch). */
  #idleUntil = 0
  /** When the timer looks after it. */
  #looksAt = Number.POSITIVE_INFINITY
  #cancelTimer: (() => void) | undefined

  /**
   * @param host As the Host header has it.
   * @param onClosed Called once, when it is closed by whichever end.
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

  /** Throws a `ConfigurationError` for what cannot be sent. */
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
    // A response that came before the request was all written leaves a server that may still wait for the rest.
    const isFit =
      this.#leavesFit && this.#response.mayBeReused && this.#socket.writableLength === 0 && keepAliveMs > 0
    if (isFit) this.#idle(keepAliveMs)
    else this.#close()
    handler.onEnd()
  }

  /** One timer looks now and then whether the connection has been idle for too long, so that none is set and cleared for each request. */
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
