import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { gzipSync } from 'node:zlib'
import type { Clock } from '../base/clock.ts'
import type { DemoPage, DemoResource, DemoRobots, DemoSite, Target } from './demo-site.ts'
import { resourceAt } from './reachable.ts'
import { escapeHtml, renderPage } from './render-page.ts'

/** A request that the demo web received. */
export interface DemoHit {
  /** Milliseconds since the epoch. */
  readonly at: number
  readonly url: string
  readonly method: string
  readonly status: number
  /** `''`: the header was missing. */
  readonly userAgent: string
  /** Whether it had If-None-Match or If-Modified-Since. */
  readonly conditional: boolean
}

interface DemoResponse {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer
}

/** HTTP server of one site. Handles GET and HEAD, gzip and conditional requests. */
export class DemoServer {
  readonly site: DemoSite
  readonly #clock: Clock
  readonly #addressOf: (target: Target, from: DemoSite) => string
  readonly #onHit: (hit: DemoHit) => void
  readonly #counts = new Map<string, number>()
  readonly #server: Server

  /** @param addressOf returns the URL of a target on a page of a site */
  constructor(
    site: DemoSite,
    clock: Clock,
    addressOf: (target: Target, from: DemoSite) => string,
    onHit: (hit: DemoHit) => void,
  ) {
    this.site = site
    this.#clock = clock
    this.#addressOf = addressOf
    this.#onHit = onHit
    this.#server = createServer((request, response) => this.#handle(request, response))
  }

  /** `http://127.0.0.1:8080`, while it listens. */
  get origin(): string {
    const { address, port } = this.#server.address() as AddressInfo
    return `http://${address}:${port}`
  }

  /** Rejects if the address does not exist or the port is in use; port 0 chooses a free one. */
  async listen(address: string, port: number): Promise<void> {
    await once(this.#server.listen(port, address), 'listening')
  }

  async close(): Promise<void> {
    if (!this.#server.listening) return
    this.#server.closeAllConnections()
    await once(this.#server.close(), 'close')
  }

  #handle(request: IncomingMessage, response: ServerResponse): void {
    const path = request.url ?? '/'
    const resource = resourceAt(this.site, path)
    const count = (this.#counts.get(path) ?? 0) + 1
    this.#counts.set(path, count)
    const content = unchanged(request, this.#responseTo(request, path, resource, count))
    this.#onHit({
      at: this.#clock.now(),
      url: `${this.origin}${path}`,
      method: request.method ?? 'GET',
      status: content.status,
      userAgent: request.headers['user-agent'] ?? '',
      conditional: 'if-none-match' in request.headers || 'if-modified-since' in request.headers,
    })
    const send = () => sendResponse(request, response, content)
    const delayMs = resource?.kind === 'page' ? resource.delayMs : undefined
    if (delayMs === undefined) send()
    // Cancels the timer when the client disconnects.
    else response.once('close', this.#clock.after(delayMs, send))
  }

  #responseTo(
    { method }: IncomingMessage,
    path: string,
    resource: DemoResource | undefined,
    count: number,
  ): DemoResponse {
    const { robots } = this.site
    if (method !== 'GET' && method !== 'HEAD')
      return plainResponse(405, 'Only GET and HEAD.', { allow: 'GET, HEAD' })
    if (path === '/robots.txt' && robots !== undefined) return plainResponse(200, this.#robotsText(robots))
    switch (resource?.kind) {
      case undefined:
        return this.#failure(404, 'Page not found.')
      case 'failure':
        return this.#failure(resource.status, resource.body)
      case 'redirect':
        return plainResponse(resource.status, '', { location: this.#url(resource.to) })
      case 'file':
        return this.#file(resource)
      case 'busy':
        if (count > 1) return this.#page(resource.page, count)
        return plainResponse(503, 'Come back in a moment.', {
          'retry-after': String(resource.retryAfterSeconds),
        })
      case 'page':
        return this.#page(resource, count)
    }
  }

  #page(page: DemoPage, count: number): DemoResponse {
    const { charset = 'utf-8', modified = this.site.modified, counts = false } = page
    const html = renderPage(page, this.site, (target) => this.#url(target)).replace('{count}', String(count))
    const body = Buffer.from(html, charset === 'utf-8' ? 'utf8' : 'latin1')
    const type = { 'content-type': `text/html; charset=${charset}` }
    return { status: 200, headers: counts ? type : { ...type, ...validators(body, modified) }, body }
  }

  #file({ type, links, body, modified = this.site.modified }: DemoResource & { kind: 'file' }): DemoResponse {
    const bytes = Buffer.from(body(links.map((target) => this.#absolute(target))))
    return { status: 200, headers: { 'content-type': type, ...validators(bytes, modified) }, body: bytes }
  }

  #failure(status: number, text: string): DemoResponse {
    const html = `<!doctype html><title>${status}</title><h1>${status}</h1><p>${escapeHtml(text)}</p>`
    return { status, headers: { 'content-type': 'text/html; charset=utf-8' }, body: Buffer.from(html) }
  }

  #robotsText({ disallow = [], crawlDelaySeconds, sitemap = false }: DemoRobots): string {
    return [
      'User-agent: *',
      ...(disallow.length === 0 ? ['Disallow:'] : disallow.map((prefix) => `Disallow: ${prefix}`)),
      ...(crawlDelaySeconds === undefined ? [] : [`Crawl-delay: ${crawlDelaySeconds}`]),
      ...(sitemap ? ['', `Sitemap: ${this.#absolute('/sitemap.xml')}`] : []),
      '',
    ].join('\n')
  }

  /** An absolute URL, as sitemaps and feeds require it. */
  #absolute(target: Target): string {
    return new URL(this.#url(target), this.origin).href
  }

  #url(target: Target): string {
    return this.#addressOf(target, this.site)
  }
}

function plainResponse(
  status: number,
  text: string,
  headers: Readonly<Record<string, string>> = {},
): DemoResponse {
  return {
    status,
    headers: { 'content-type': 'text/plain; charset=utf-8', ...headers },
    body: Buffer.from(text),
  }
}

function validators(body: Buffer, modified: string): Readonly<Record<string, string>> {
  // Weak, because the same page may be sent compressed.
  const etag = `W/"${createHash('sha256').update(body).digest('hex').slice(0, 16)}"`
  return { etag, 'last-modified': new Date(modified).toUTCString() }
}

/** 304 if the client has this version. If-None-Match takes precedence over If-Modified-Since. */
function unchanged({ headers }: IncomingMessage, response: DemoResponse): DemoResponse {
  const { etag, 'last-modified': lastModified } = response.headers
  if (etag === undefined || lastModified === undefined) return response
  const known = headers['if-none-match']?.split(/\s*,\s*/)
  const since = Date.parse(headers['if-modified-since'] ?? '')
  const same = known === undefined ? Date.parse(lastModified) <= since : known.includes(etag)
  return same
    ? { status: 304, headers: { etag, 'last-modified': lastModified }, body: Buffer.alloc(0) }
    : response
}

const WORTH_COMPRESSING_BYTES = 500

function sendResponse(
  request: IncomingMessage,
  response: ServerResponse,
  { status, headers, body }: DemoResponse,
): void {
  const acceptsGzip = /\bgzip\b/.test(request.headers['accept-encoding']?.toString() ?? '')
  const zipped = acceptsGzip && body.length >= WORTH_COMPRESSING_BYTES
  const bytes = zipped ? gzipSync(body) : body
  const length = status === 304 ? {} : { 'content-length': String(bytes.length) }
  const coding = zipped ? { 'content-encoding': 'gzip' } : {}
  response.writeHead(status, { ...headers, ...coding, ...length, vary: 'accept-encoding' })
  response.end(request.method === 'HEAD' || status === 304 ? undefined : bytes)
}
