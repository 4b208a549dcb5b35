import { once } from 'node:events'
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** What happens to a request instead of its usual course. */
export type S3Fault =
  /** A response that does not come from the server, with an error of S3 unless there is a `body`. */
  | { readonly kind: 'respond'; readonly status: number; readonly code?: string; readonly body?: string }
  /** The connection breaks after this number of bytes of the request body. The server never gets the rest. */
  | { readonly kind: 'cut-request'; readonly afterBytes: number }
  /** The connection breaks after this number of bytes of the response body. */
  | { readonly kind: 'cut-response'; readonly afterBytes: number }
  /** The server executes the request, and its response is lost. */
  | { readonly kind: 'lose-response' }

/** A proxy before an S3 server that breaks some of its requests. */
export interface S3FaultProxy {
  /** `http://127.0.0.1:port` */
  readonly endpoint: string
  /** The requests so far: `PUT /bucket/key?partNumber=2`. */
  readonly requests: readonly string[]
  /** Decides about each request, in the form of `requests`. Replaces the earlier decision. */
  decide(fault: (line: string, headers: IncomingMessage['headers']) => S3Fault | undefined): void
  close(): Promise<void>
}

export async function startS3FaultProxy(endpoint: string): Promise<S3FaultProxy> {
  const { hostname, port } = new URL(endpoint)
  const requests: string[] = []
  let decide: Parameters<S3FaultProxy['decide']>[0] = () => undefined
  const server = createServer((received, response) => {
    const line = `${received.method} ${received.url}`
    requests.push(line)
    const fault = decide(line, received.headers)
    if (fault?.kind === 'respond') return respond(received, response, fault)
    const { method, url: path, headers } = received
    const forwarded = request({ hostname, port, method, path, headers, agent: false })
    const breakOff = () => {
      forwarded.destroy()
      received.socket.destroy()
    }
    forwarded.on('error', breakOff)
    let left = fault?.kind === 'cut-request' ? fault.afterBytes : Number.POSITIVE_INFINITY
    received.on('data', (data: Buffer) => {
      left -= data.length
      if (left <= 0) breakOff()
      else forwarded.write(data)
    })
    received.on('end', () => forwarded.end())
    forwarded.on('response', (upstream) => relay(upstream, response, fault, breakOff))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    decide(fault) {
      decide = fault
    },
    async close() {
      server.close()
      server.closeAllConnections()
      await once(server, 'close')
    },
  }
}

function respond(
  received: IncomingMessage,
  response: ServerResponse,
  { status, code, body }: Extract<S3Fault, { kind: 'respond' }>,
): void {
  received.resume()
  received.on('end', () => {
    response.writeHead(status, { 'content-type': 'application/xml' })
    response.end(
      body ?? `<?xml version="1.0"?><Error><Code>${code}</Code><Message>injected</Message></Error>`,
    )
  })
}

function relay(
  upstream: IncomingMessage,
  response: ServerResponse,
  fault: S3Fault | undefined,
  breakOff: () => void,
): void {
  if (fault?.kind === 'lose-response') {
    upstream.resume()
    upstream.on('end', breakOff)
    return
  }
  response.writeHead(upstream.statusCode ?? 0, upstream.rawHeaders)
  let left = fault?.kind === 'cut-response' ? fault.afterBytes : Number.POSITIVE_INFINITY
  upstream.on('data', (data: Buffer) => {
    const piece = data.subarray(0, Math.min(data.length, left))
    left -= data.length
    if (left > 0) response.write(piece)
    else response.write(piece, breakOff)
  })
  upstream.on('end', () => response.end())
}
