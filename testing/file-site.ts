import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A file of a `FileSite`. */
export interface SiteFile {
  readonly body: Uint8Array | string
  /** @default application/octet-stream */
  readonly type?: string
  readonly etag?: string
  /** Whether Range is obeyed. @default true */
  readonly ranges?: boolean
  /** Bytes after which the connection is cut, for each request in turn; after the last one, the file is sent completely. @default never */
  readonly cuts?: readonly number[]
  /** Content-Length, if it is not that of the body. */
  readonly length?: number
  /** @default 200, or 206 for a range */
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  /** Waits for this before the last part of the body is sent. */
  readonly hold?: Promise<void>
}

/** A request that the site received. */
export interface SiteHit {
  readonly path: string
  readonly range: string | undefined
  readonly ifRange: string | undefined
  readonly ifNoneMatch: string | undefined
  readonly status: number
}

/** Pages and files on a real socket, which misbehave on demand. It records all requests. */
export class FileSite {
  readonly hits: SiteHit[] = []
  readonly pages = new Map<string, string>()
  /** A list: one for each request in turn; the last one is repeated. */
  readonly files = new Map<string, SiteFile | readonly SiteFile[]>()
  readonly redirects = new Map<string, string>()
  robots = 'User-agent: *\nDisallow: /private/\n'
  readonly #server: Server = createServer((request, response) => void this.#serve(request, response))
  readonly #sent = new Map<string, number>()

  /** @param address of loopback: one per host */
  static async start(address = '127.0.0.1'): Promise<FileSite> {
    const site = new FileSite()
    await once(site.#server.listen(0, address), 'listening')
    return site
  }

  get origin(): string {
    const { address, port } = this.#server.address() as AddressInfo
    return `http://${address}:${port}`
  }

  /** The requests for one path. */
  hitsOf(path: string): SiteHit[] {
    return this.hits.filter((hit) => hit.path === path)
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections()
    await once(this.#server.close(), 'close')
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = request.url ?? '/'
    const count = this.#sent.get(path) ?? 0
    this.#sent.set(path, count + 1)
    const versions = [this.files.get(path) ?? []].flat()
    const file = versions[Math.min(count, versions.length - 1)]
    const page = path === '/robots.txt' ? this.robots : this.pages.get(path)
    const target = this.redirects.get(path)
    if (target !== undefined) response.writeHead(302, { location: target }).end()
    else if (file !== undefined) await this.#sendFile(file, count, request, response)
    else if (page === undefined) response.writeHead(404).end('no such page')
    else {
      const type = path === '/robots.txt' ? 'text/plain' : 'text/html'
      response.writeHead(200, { 'content-type': type }).end(page)
    }
    const { range, 'if-range': ifRange, 'if-none-match': ifNoneMatch } = request.headers
    this.hits.push({
      ...{ path, range },
      ifRange: typeof ifRange === 'string' ? ifRange : undefined,
      ...{ ifNoneMatch, status: response.statusCode },
    })
  }

  async #sendFile(
    file: SiteFile,
    count: number,
    { headers }: IncomingMessage,
    response: ServerResponse,
  ): Promise<void> {
    const body = Buffer.from(file.body)
    const { type = 'application/octet-stream', etag, ranges = true, cuts = [], hold } = file
    response.setHeader('content-type', type)
    for (const [name, value] of Object.entries(file.headers ?? {})) response.setHeader(name, value)
    if (etag !== undefined) response.setHeader('etag', etag)
    if (etag !== undefined && headers['if-none-match'] === etag) {
      response.writeHead(304).end()
      return
    }
    const from = ranges && headers['if-range'] === etag ? firstByte(headers.range) : 0
    const remaining = body.subarray(from)
    const cut = cuts[count]
    if (from > 0) response.setHeader('content-range', `bytes ${from}-${body.length - 1}/${body.length}`)
    const isChunked = file.headers?.['transfer-encoding'] === 'chunked'
    if (!isChunked) response.setHeader('content-length', file.length ?? remaining.length)
    response.writeHead(file.status ?? (from > 0 ? 206 : 200))
    if (cut !== undefined) {
      response.write(remaining.subarray(0, cut), () => setImmediate(() => response.destroy()))
      return
    }
    if (hold !== undefined) {
      response.write(remaining.subarray(0, remaining.length / 2))
      await hold
      response.end(remaining.subarray(remaining.length / 2))
    } else response.end(remaining)
  }
}

function firstByte(range: string | undefined): number {
  return Number(/^bytes=(\d+)-$/.exec(range ?? '')?.[1] ?? 0)
}
