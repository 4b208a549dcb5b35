import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A request for a page, as the site saw it. */
export interface LoggedPage {
  readonly host: string
  readonly path: string
  /** The worker that sent it, by its header `x-worker`. */
  readonly worker: string
  /** 0 until the response is sent. */
  status: number
}

export interface LoggedSites {
  readonly starts: readonly string[]
  /** Requests for pages, oldest first. */
  readonly log: readonly LoggedPage[]
  /** Called with each request for a page; the response waits for the promise. */
  hold: (page: LoggedPage) => Promise<void> | undefined
  close(): Promise<void>
}

/** The parts of a response that a test chooses. */
export interface SiteResponse {
  readonly status: number
  readonly setCookie?: string
}

/**
 * Sites at 127.2.0.1 and the addresses after it: each front page links to `pages` pages. They have a log instead of a robots.txt.
 * @param respondTo gives the response to each request for a page. @default 200
 */
export async function serveLoggedSites(
  hosts: number,
  pages: number,
  respondTo: (host: string, path: string, cookie: string) => SiteResponse = () => ({ status: 200 }),
): Promise<LoggedSites> {
  const log: LoggedPage[] = []
  const links = Array.from({ length: pages }, (_, i) => `<a href="/${i + 1}">${i + 1}</a>`).join('')
  let port = 0
  const sites = {
    log,
    hold: (_: LoggedPage): Promise<void> | undefined => undefined,
    get starts() {
      return addresses.map((address) => `http://${address}:${port}/`)
    },
    async close() {
      await Promise.all(
        servers.map(async (server) => {
          const closed = once(server, 'close')
          server.close()
          server.closeAllConnections()
          await closed
        }),
      )
    },
  }
  const respond = async (host: string, request: IncomingMessage, response: ServerResponse) => {
    const { url: path = '/', headers } = request
    if (path === '/robots.txt') return response.writeHead(404).end()
    const page: LoggedPage = { host, path, worker: String(headers['x-worker']), status: 0 }
    log.push(page)
    await sites.hold(page)
    if (response.destroyed) return undefined
    const { status, setCookie } = respondTo(host, path, headers.cookie ?? '')
    page.status = status
    response.writeHead(status, {
      'content-type': 'text/html',
      ...(setCookie !== undefined && { 'set-cookie': setCookie }),
    })
    return response.end(`<title>${path}</title>${path === '/' ? links : ''}`)
  }
  const addresses = Array.from({ length: hosts }, (_, i) => `127.2.0.${i + 1}`)
  const servers: Server[] = []
  for (const address of addresses) {
    const server = createServer((request, response) => void respond(address, request, response))
    server.listen(port, address)
    await once(server, 'listening')
    port ||= (server.address() as AddressInfo).port
    servers.push(server)
  }
  return sites
}
