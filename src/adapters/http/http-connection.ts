import type { Dialer, Dialled, DialTarget } from './dialer.ts'
import { FailureError, networkFailure } from './failure.ts'
import type { HttpClient, OutgoingRequest, ResponseHandler } from './http-client.ts'
import { Http1Client, type Http1ClientOptions } from './http1-client.ts'
import { Http2Client } from './http2-client.ts'

export type ConnectionOptions = Http1ClientOptions

/** Servers close a connection with the response, or after an idle time of seconds. */
const MOMENT_MS = 5

/** Shared by all connections, because creating an error is slow. */
const GIVEN_UP = networkFailure('aborted', 'the connection was given up')

/**
 * One connection to one origin, for one request at a time; also over HTTP/2.
 * It is dialled when first used, and again after it was closed while idle.
 */
export class Connection {
  readonly origin: string
  /** Of the pool: connections of one route can be used for each other's requests. */
  readonly route: string
  /** The open connection, or the last one. */
  dialled: Dialled | undefined
  /** Whether it was opened for the current request: a reused one may have been closed unnoticed. */
  isFresh = false
  readonly #dialer: Dialer
  readonly #target: DialTarget
  readonly #options: ConnectionOptions
  readonly #onClosed: (connection: Connection) => void
  #client: HttpClient | undefined
  /** When the last response ended (ms since the epoch). */
  #idleSince = 0
  /** The turn of the event loop in which the last response ended is over. */
  #wasIdleForTurn = false
  /** Ends the dialling that is under way. Not kept after it: there may be thousands of idle connections. */
  #dialling: AbortController | undefined
  #isDestroyed = false

  /** @param onClosed Called when the other end closed it, also while a request has it. */
  constructor(
    origin: string,
    route: string,
    target: DialTarget,
    dialer: Dialer,
    options: ConnectionOptions,
    onClosed: (connection: Connection) => void,
  ) {
    this.origin = origin
    this.route = route
    this.#dialer = dialer
    this.#target = target
    this.#options = options
    this.#onClosed = onClosed
  }

  get isOpen(): boolean {
    return this.#client?.isOpen ?? false
  }

  get protocol(): 'h2' | 'http/1.1' {
    return this.dialled === undefined ? 'http/1.1' : protocolOf(this.dialled)
  }

  /** Checked before each request. */
  begin(): void {
    this.isFresh = false
  }

  /** Called when a response was read to its end, so that the next request can follow. */
  becameIdle(): void {
    this.#idleSince = this.#options.clock.now()
    this.#wasIdleForTurn = false
    setImmediate(() => {
      this.#wasIdleForTurn = true
    })
  }

  /** Sends `request`, over a new connection if none is open. */
  send(request: OutgoingRequest, handler: ResponseHandler): void {
    // A reused connection first gets a whole turn of the event loop to process pending socket events: the server may have
    // closed the connection, or sent data that would be taken for our response. Two steps, because the first may still be in this turn.
    // One step is enough if there was a turn since the last response, and that was a moment ago.
    if (!this.isOpen) void this.#dialAndSend(request, handler)
    else if (this.#wasIdleForTurn && this.#options.clock.now() - this.#idleSince < MOMENT_MS)
      setImmediate(() => this.#sendOnKept(request, handler))
    else setImmediate(() => setImmediate(() => this.#sendOnKept(request, handler)))
  }

  /** Reads no more of the response until `resume`. */
  pause(): void {
    this.#client?.pause()
  }

  resume(): void {
    this.#client?.resume()
  }

  /** Ends the dialling, the request and the connection, whichever there is. */
  destroy(): void {
    this.#isDestroyed = true
    this.#dialling?.abort(GIVEN_UP)
    this.#client?.destroy()
  }

  #sendOnKept(request: OutgoingRequest, handler: ResponseHandler): void {
    if (this.#client?.isOpen) sendOn(this.#client, request, handler)
    else void this.#dialAndSend(request, handler)
  }

  async #dialAndSend(request: OutgoingRequest, handler: ResponseHandler): Promise<void> {
    let client: HttpClient
    try {
      client = await this.#dial()
    } catch (error) {
      handler.onError(error instanceof FailureError ? error : networkFailure('connect-failed', String(error)))
      return
    } finally {
      this.#dialling = undefined
    }
    sendOn(client, request, handler)
  }

  /** Rejects with `GIVEN_UP` when it was destroyed, also meanwhile. */
  async #dial(): Promise<HttpClient> {
    if (this.#isDestroyed) throw GIVEN_UP
    this.#dialling = new AbortController()
    const { signal } = this.#dialling
    const dialled = await this.#dialer.dial(this.#target, signal)
    this.dialled = dialled
    this.isFresh = true
    const client = await this.#clientOn(dialled)
    if (signal.aborted || dialled.socket.destroyed) {
      client.destroy()
      throw signal.reason ?? networkFailure('reset', 'closed as soon as it was connected')
    }
    this.#client = client
    return client
  }

  #clientOn(dialled: Dialled): HttpClient | Promise<HttpClient> {
    const { origin } = this
    const onClosed = (): void => this.#onClosed(this)
    return protocolOf(dialled) === 'h2'
      ? Http2Client.open(dialled.socket, origin, this.#options, onClosed)
      : new Http1Client(dialled.socket, origin.slice(origin.indexOf('//') + 2), this.#options, onClosed)
  }
}

function sendOn(client: HttpClient, request: OutgoingRequest, handler: ResponseHandler): void {
  try {
    client.send(request, handler)
  } catch (error) {
    handler.onError(error instanceof Error ? error : new Error(String(error)))
  }
}

function protocolOf({ socket }: Dialled): 'h2' | 'http/1.1' {
  return 'alpnProtocol' in socket && socket.alpnProtocol === 'h2' ? 'h2' : 'http/1.1'
}
