import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { createServer as createSecureServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import type { ServerIdentity } from './certificates.ts'

/** A fault of the next request. */
export type IndexServerFault =
  /** The server sends this response and does nothing. */
  | {
      readonly kind: 'response'
      readonly status: number
      readonly headers?: Readonly<Record<string, string>>
    }
  /** The connection breaks before the request has done anything, or after. */
  | { readonly kind: 'drop before' }
  | { readonly kind: 'drop after' }
  /** The request takes effect, and there is no response. */
  | { readonly kind: 'silence' }

export interface DoubleRequest {
  readonly method: string
  /** Path and query. */
  readonly target: string
  readonly headers: IncomingMessage['headers']
  readonly body: string
}

export interface DoubleResponse {
  readonly status: number
  readonly json: unknown
}

export interface IndexServerDoubleOptions {
  /** Served over TLS with it. @default plain HTTP */
  readonly identity?: ServerIdentity
  /** The required Authorization header; anything else is a 401. @default no authentication */
  readonly authorization?: string
  /** Larger requests are a 413. @default none is too large */
  readonly maxBodyBytes?: number
}

export interface IndexServerDouble {
  /** `http://127.0.0.1:<port>` */
  readonly origin: string
  /** All requests, in order. */
  readonly requests: readonly DoubleRequest[]
  /** One fault per request, first in, first out. */
  readonly faults: IndexServerFault[]
  close(): Promise<void>
}

/** The HTTP half of a search engine's double; `handleRequest` is the engine. */
export async function startIndexServerDouble(
  handleRequest: (request: DoubleRequest) => DoubleResponse,
  { identity, authorization, maxBodyBytes = Number.POSITIVE_INFINITY }: IndexServerDoubleOptions,
): Promise<IndexServerDouble> {
  const requests: DoubleRequest[] = []
  const faults: IndexServerFault[] = []

  const handle = async (message: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { method = '', url: target = '', headers } = message
    const request = { method, target, headers, body: await text(message) }
    requests.push(request)
    const fault = faults.shift()
    if (fault?.kind === 'drop before') return void message.socket.destroy()
    if (fault?.kind === 'response') {
      response.writeHead(fault.status, { 'content-type': 'text/plain', ...fault.headers })
      return void response.end('as the test wants it')
    }
    const { status, json } = refusal(request) ?? handleRequest(request)
    if (fault?.kind === 'drop after') return void message.socket.destroy()
    if (fault?.kind === 'silence') return
    response.writeHead(status, { 'content-type': 'application/json' })
    response.end(method === 'HEAD' ? undefined : JSON.stringify(json))
  }
  const refusal = ({ headers, body }: DoubleRequest): DoubleResponse | undefined => {
    if (authorization !== undefined && headers.authorization !== authorization)
      return { status: 401, json: { error: 'require authentication' } }
    if (Buffer.byteLength(body) > maxBodyBytes) return { status: 413, json: { error: 'too large' } }
    return undefined
  }

  const listener = (message: IncomingMessage, response: ServerResponse): void => {
    handle(message, response).catch(() => message.socket.destroy())
  }
  const server = identity === undefined ? createServer(listener) : createSecureServer(identity, listener)
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo
  return {
    origin: `${identity === undefined ? 'http' : 'https'}://127.0.0.1:${port}`,
    requests,
    faults,
    async close() {
      server.closeAllConnections()
      await once(server.close(), 'close')
    },
  }
}
