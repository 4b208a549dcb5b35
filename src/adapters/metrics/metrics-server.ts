import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { ConfigurationError } from '../../base/crawl-error.ts'
import { METRICS_CONTENT_TYPE } from './metric-family.ts'
import { parseMetricsAddress } from './metrics-address.ts'

export interface MetricsServer {
  /** Where Prometheus scrapes. */
  readonly url: string
  /** Closes open connections, too. */
  close(): Promise<void>
}

/**
 * Serves `/metrics`, and a health check at `/`.
 * @param address `port` or `host:port`; without a host, only this machine can connect. Port 0: any free port
 * @param scrape makes the text of one scrape
 * @throws ConfigurationError if the server cannot listen on the address
 */
export async function listenForScrapes(
  address: string,
  scrape: () => Promise<string>,
): Promise<MetricsServer> {
  const { host, port } = parseMetricsAddress(address)
  const server = createServer((request, response) => void respond(request, response, scrape))
  server.listen(port, host)
  try {
    await once(server, 'listening')
  } catch (error) {
    throw new ConfigurationError('ADDRESS_UNAVAILABLE', problemOf(error, host, port), { cause: error })
  }
  // A run that fails before it starts must not be kept alive by its metrics.
  server.unref()
  const name = host.includes(':') ? `[${host}]` : host
  return {
    url: `http://${name}:${(server.address() as AddressInfo).port}/metrics`,
    close: () => closed(server),
  }
}

async function respond(
  { method, url = '/' }: IncomingMessage,
  response: ServerResponse,
  scrape: () => Promise<string>,
): Promise<void> {
  const [path] = url.split('?', 1)
  if (method !== 'GET' && method !== 'HEAD') {
    response.setHeader('allow', 'GET, HEAD')
    send(response, 405, 'only GET and HEAD\n')
  } else if (path === '/metrics')
    try {
      send(response, 200, await scrape(), METRICS_CONTENT_TYPE)
    } catch (error) {
      send(response, 500, `the metrics could not be read: ${String(error)}\n`)
    }
  else if (path === '/') send(response, 200, 'ok: the metrics are at /metrics\n')
  else send(response, 404, 'not found: the metrics are at /metrics\n')
}

/** Node.js omits the body of a response to HEAD. */
function send(
  response: ServerResponse,
  status: number,
  body: string,
  type = 'text/plain; charset=utf-8',
): void {
  response.writeHead(status, {
    'content-type': type,
    'content-length': Buffer.byteLength(body),
    'x-content-type-options': 'nosniff',
  })
  response.end(body)
}

async function closed(server: Server): Promise<void> {
  const end = once(server, 'close')
  server.close()
  server.closeAllConnections()
  await end
}

function problemOf(error: unknown, host: string, port: number): string {
  const { code, message } = error as NodeJS.ErrnoException
  if (code === 'EADDRINUSE')
    return `port ${port} of ${host} is in use: choose another one for the metrics, or 0 for any free port`
  if (code === 'EACCES') return `no permission to use port ${port} for the metrics: choose one above 1023`
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND')
    return `${host} is not an address of this machine: the metrics cannot be served there`
  return `cannot serve metrics on ${host}, port ${port}: ${message}`
}
