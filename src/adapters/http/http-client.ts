import type { HeaderList } from '../../domain/fetch/headers.ts'

/** One request as it goes out. */
export interface OutgoingRequest {
  readonly method: string
  /** What the first line names: the path with its query, or the whole URL for a proxy that forwards. */
  readonly path: string
  /** Name, value, name, value; names in lower case. */
  readonly headers: string[]
  readonly body: string | Uint8Array | null
}

/** What the status line of HTTP/1 says besides the status. */
export interface StatusLine {
  readonly protocol: 'http/1.1' | 'http/1.0'
  /** One character per octet; may be empty. */
  readonly reasonPhrase: string
}

/** Who is told how a request fares, in this order. Nothing is told after `onEnd` or `onError`. */
export interface ResponseHandler {
  /** The connection stands, and the request is sent next. `false`: it must not be, and nothing more is told. */
  onSend(): boolean
  /** The first byte of a response is in. */
  onResponseStart(): void
  /** A head is in; those of interim responses (1xx) too. @param line of HTTP/1 only: HTTP/2 has no status line */
  onHead(status: number, headers: HeaderList, line?: StatusLine): void
  /** A piece of the body, lent for the time of the call. */
  onData(chunk: Uint8Array): void
  onEnd(): void
  /** @param error A `FailureError` for what servers and networks do; anything else is a mistake of the caller. */
  onError(error: Error): void
}

/** Speaks HTTP on a connection that stands, one request at a time. */
export interface HttpClient {
  /** Whether another request can be sent when this one is over. */
  readonly isOpen: boolean
  send(request: OutgoingRequest, handler: ResponseHandler): void
  /** Closes the connection. A request under way ends as aborted. */
  destroy(): void
}
