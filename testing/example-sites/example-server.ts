import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import type { Hit } from '../judge/hit.ts'
import type { Judge } from '../judge.ts'
import type { ExampleSite, SiteReply, SiteRequest } from './example-site.ts'

/** One site, listening at an address of its own and watched by a judge. */
export class ExampleServer {
  readonly #site: ExampleSite
  readonly #judge: Judge
  readonly #server: Server = createServer((request, response) => void this.#serve(request, response))

  constructor(site: ExampleSite, judge: Judge) {
    this.#site = site
    this.#judge = judge
  }

  /** `http://127.0.0.1:40123`, while it listens. */
  get origin(): string {
    const { address, port } = this.#server.address() as AddressInfo
    return `http://${address}:${port}`
  }

  async listen(address: string): Promise<void> {
    for (const path of this.#site.disallowed) this.#judge.disallow(address, path)
    await once(this.#server.listen(0, address), 'listening')
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections()
    await once(this.#server.close(), 'close')
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { host = '', 'user-agent': userAgent = '' } = request.headers
    const hit = this.#judge.started({
      host: host.replace(/:\d+$/, ''),
      address: request.socket.localAddress ?? '',
      path: request.url ?? '/',
      method: request.method ?? '',
      userAgent,
    })
    response.once('close', () => this.#judge.ended(hit, { brokenOff: true }))
    this.#send(this.#reply(await siteRequest(request, this.origin)), hit, response)
  }

  #reply(request: SiteRequest): SiteReply {
    if (request.path === '/robots.txt') return robotsText(this.#site, request.origin)
    return this.#site.response(request) ?? { status: 404, body: 'There is no such page here.' }
  }

  #send({ status = 200, headers = {}, body }: SiteReply, hit: Hit, response: ServerResponse): void {
    this.#judge.ended(hit, { status })
    response.writeHead(status, { ...headers, 'content-length': Buffer.byteLength(body) }).end(body)
  }
}

function robotsText({ disallowed, sitemaps = [] }: ExampleSite, origin: string): SiteReply {
  const lines = [
    'User-agent: *',
    ...disallowed.map((path) => `Disallow: ${path}`),
    ...sitemaps.map((path) => `Sitemap: ${origin}${path}`),
  ]
  return { headers: { 'content-type': 'text/plain' }, body: `${lines.join('\n')}\n` }
}

async function siteRequest(request: IncomingMessage, origin: string): Promise<SiteRequest> {
  const { pathname, searchParams } = new URL(request.url ?? '/', origin)
  const cookies = (request.headers.cookie ?? '').split('; ').map((pair) => {
    const [name = '', value = ''] = pair.split('=')
    return [name, value] as const
  })
  return {
    method: request.method ?? 'GET',
    path: pathname,
    query: searchParams,
    cookies: new Map(cookies),
    body: await text(request),
    origin,
  }
}
