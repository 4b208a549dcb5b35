import { type buildConnector, Client } from 'undici'
import type { Dialer, Dialled, DialTarget } from './dialer.ts'
import { FailureError, networkFailure } from './failure.ts'

export interface ConnectionOptions {
  /** How long an unused connection is kept, when the server does not ask for less. */
  readonly keepAliveMs: number
  readonly maxHeaderBytes: number
}

/** A server that hangs up as soon as it was reached would otherwise be dialled until the time runs out. */
const MAX_DIALS_PER_REQUEST = 3

/**
 * One connection to one origin, for one request at a time; also over HTTP/2, which saves us handshakes and not waiting.
 * It is dialled when first used, and again when it was closed while it lay idle.
 */
export class Connection {
  readonly origin: string
  readonly client: Client
  /** The connection that stands, or stood last. */
  dialled: Dialled | undefined
  /** Whether it was dialled for the request that has it now: if not, it may have died unnoticed. */
  isFresh = false
  isOpen = false
  readonly #dialer: Dialer
  readonly #target: DialTarget
  /** Ends the dialling that is under way. */
  #dialling: AbortController | undefined
  #dials = 0

  /** @param onClosed Called when the other end closed it, also while a request has it. */
  constructor(
    origin: string,
    target: DialTarget,
    dialer: Dialer,
    { keepAliveMs, maxHeaderBytes }: ConnectionOptions,
    onClosed: (connection: Connection) => void,
  ) {
    this.origin = origin
    this.#dialer = dialer
    this.#target = target
    this.client = new Client(origin, {
      connect: (_options, callback) => this.#connect(callback),
      allowH2: target.http2,
      keepAliveTimeout: keepAliveMs,
      keepAliveMaxTimeout: keepAliveMs,
      maxHeaderSize: maxHeaderBytes,
      // The exchange keeps time itself, with one clock for all its limits.
      headersTimeout: 0,
      bodyTimeout: 0,
      h2Options: { pingInterval: 0 },
    })
    this.client.on('disconnect', () => {
      this.isOpen = false
      onClosed(this)
    })
  }

  get protocol(): string {
    const { socket } = this.dialled ?? {}
    return socket !== undefined && 'alpnProtocol' in socket && socket.alpnProtocol === 'h2'
      ? 'h2'
      : 'http/1.1'
  }

  /** Said before each request. */
  begin(): void {
    this.isFresh = false
    this.#dials = 0
  }

  /** Ends the dialling, the request and the connection, whichever there is. */
  destroy(): void {
    this.#dialling?.abort(networkFailure('aborted', 'the connection was given up'))
    this.client.destroy(null, () => {})
  }

  #connect(callback: buildConnector.Callback): void {
    if (++this.#dials > MAX_DIALS_PER_REQUEST) {
      callback(networkFailure('reset', 'closed as soon as it was connected'), null)
      return
    }
    this.#dialling = new AbortController()
    this.#dialer.dial(this.#target, this.#dialling.signal).then(
      (dialled) => {
        this.#dialling = undefined
        this.dialled = dialled
        this.isFresh = true
        this.isOpen = true
        callback(null, dialled.socket)
      },
      (error: unknown) => {
        this.#dialling = undefined
        // The client tries for ever after an error that has one of its own codes; ours have none.
        callback(
          error instanceof FailureError ? error : networkFailure('connect-failed', String(error)),
          null,
        )
      },
    )
  }
}
