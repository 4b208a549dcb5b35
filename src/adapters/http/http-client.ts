import type { HeaderList } from '../../domain/fetch/headers.ts'

/** A request ready to be sent. */
export interface OutgoingRequest {
  readonly method: string
  /** The request target: the path with its query, or the whole URL for a forwarding proxy. */
  readonly path: string
  /** Name, value, name, value; names in lower case. */
  readonly headers: string[]
  readonly body: string | Uint8Array | null
}

/** The status line of HTTP/1 without the status. */
export interface StatusLine {
  readonly protocol: 'http/1.1' | 'http/1.0'
  /** One character per octet; may be empty. */
  readonly reasonPhrase: string
}

/** Callbacks of one request, in this order. None is called after `onEnd` or `onError`. */
export interface ResponseHandler {
  /** Connected; the request is sent next. `false`: do not send it, and call nothing more. */
  onSend(): boolean
  /** The first byte of a response was received. */
  onResponseStart(): void
  /** A head was received; also those of interim responses (1xx). @param line of HTTP/1 only: HTTP/2 has no status line */
  onHead(status: number, headers: HeaderList, line?: StatusLine): void
  /** A piece of the body; its memory is valid during the call only. */
  onData(chunk: Uint8Array): void
  onEnd(): void
  /** @param error A `FailureError` for failures of servers and networks; anything else is a mistake of the caller. */
  onError(error: Error): void
}

/** HTTP on an open connection, one request at a time. */
export interface HttpClient {
  /** Whether another request can be sent after this one. */
  readonly isOpen: boolean
  send(request: OutgoingRequest, handler: ResponseHandler): void
  /** Reads no more of the response until `resume`. */
  pause(): void
  resume(): void
  /** Closes the connection. A request under way ends as aborted. */
  destroy(): void
}
