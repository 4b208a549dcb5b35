import type { Socket } from 'node:net'
import type { Client, Dispatcher } from 'undici'
import type { HeaderList } from '../../domain/fetch/headers.ts'
import { codeOf, describeError, FailureError, networkFailure, socketFailure } from './failure.ts'
import type { HttpClient, OutgoingRequest, ResponseHandler } from './http-client.ts'
import { fieldValue } from './http1-head.ts'

export interface Http2ClientOptions {
  /** How long an idle connection is kept, unless the server closes it sooner. */
  readonly keepAliveMs: number
  readonly maxHeaderBytes: number
}

/**
 * Speaks HTTP/2 on one socket, through undici. Also here one request at a time: it saves us handshakes and not waiting. undici is loaded when
 * the first such connection stands, for a crawl that meets none starts sooner without it.
 */
export class Http2Client implements HttpClient {
  isOpen = true
  readonly #client: Client
  readonly #socket: Socket
  /** Of the request under way. */
  #controller: Dispatcher.DispatchController | undefined

  /** @param onClosed Called once, when it is closed by whichever end. */
  static async open(
    socket: Socket,
    origin: string,
    options: Http2ClientOptions,
    onClosed: () => void,
  ): Promise<Http2Client> {
    const undici = await import('undici')
    return new Http2Client(undici.Client, socket, origin, options, onClosed)
  }

  private constructor(
    UndiciClient: typeof Client,
    socket: Socket,
    origin: string,
    { keepAliveMs, maxHeaderBytes }: Http2ClientOptions,
    onClosed: () => void,
  ) {
    this.#socket = socket
    let isUsed = false
    this.#client = new UndiciClient(origin, {
      connect: (_options, callback) => {
        // undici would connect again when the server closes at once; only the dialer may connect.
        if (isUsed) callback(networkFailure('reset', 'closed as soon as it was connected'), null)
        else callback(null, socket)
        isUsed = true
      },
      allowH2: true,
      keepAliveTimeout: keepAliveMs,
      keepAliveMaxTimeout: keepAliveMs,
      maxHeaderSize: maxHeaderBytes,
      // The exchange keeps time itself, with one clock for all its limits.
      headersTimeout: 0,
      bodyTimeout: 0,
      h2Options: { pingInterval: 0 },
    })
    this.#client.on('disconnect', () => {
      if (!this.isOpen) return
      this.isOpen = false
      onClosed()
    })
  }

  send({ method, path, headers, body }: OutgoingRequest, handler: ResponseHandler): void {
    this.#client.dispatch(
      { method, path, headers, body },
      dispatchHandler(handler, (controller) => {
        this.#controller = controller
      }),
    )
  }

  pause(): void {
    this.#controller?.pause()
  }

  resume(): void {
    this.#controller?.resume()
  }

  destroy(): void {
    // The client has the socket only after its first request.
    this.#client.destroy(null, () => void this.#socket.destroy())
  }
}

function dispatchHandler(
  handler: ResponseHandler,
  onStart: (controller: Dispatcher.DispatchController) => void,
): Dispatcher.DispatchHandler {
  return {
    onRequestStart(controller) {
      onStart(controller)
      if (!handler.onSend()) controller.abort(new Error('it might not be sent any more'))
    },
    onResponseStarted: () => handler.onResponseStart(),
    onResponseStart: ({ rawHeaders }, status) => handler.onHead(status, headerList(rawHeaders)),
    onResponseData: (_controller, chunk) => handler.onData(chunk),
    onResponseEnd: () => handler.onEnd(),
    onResponseError: (_controller, error) => handler.onError(meaningOf(error)),
  }
}

function headerList(raw: Dispatcher.DispatchController['rawHeaders']): HeaderList {
  const list: Array<readonly [string, string]> = []
  for (const [name, value] of Object.entries(raw ?? {}))
    for (const one of Array.isArray(value) ? value : [value ?? '']) list.push([name, fieldValue(name, one)])
  return list
}

/** What an error of undici's says about the server or the network; as it is when it is about the request. */
function meaningOf(error: Error): Error {
  if (error instanceof FailureError) return error
  switch (codeOf(error)) {
    case 'UND_ERR_INVALID_ARG':
    case 'UND_ERR_NOT_SUPPORTED':
      return error
    case 'UND_ERR_DESTROYED':
    case 'UND_ERR_CLOSED':
      return networkFailure('aborted', 'the fetcher was closed')
    case 'UND_ERR_HEADERS_OVERFLOW':
      return new FailureError({ kind: 'too-large', cause: 'headers', detail: describeError(error) })
    case 'ERR_HTTP2_ERROR':
    case 'ERR_ASSERTION':
      return new FailureError({ kind: 'malformed', detail: describeError(error) })
    default:
      return socketFailure(error)
  }
}
