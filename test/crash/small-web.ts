import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout } from 'node:timers/promises'

/** A request for a page, as the server saw it. */
export interface Hit {
  readonly url: string
  /** Milliseconds since the epoch. */
  readonly at: number
}

/** Requests with this header are counted apart, so that many crawls of the same URLs can run at once. */
export const LANE_HEADER = 'x-lane'

const HOSTS = ['127.0.0.1', '127.0.0.2', '127.0.0.3', '127.0.0.4']
const PAGES = 26

/** Starts the servers; the caller closes them. Four addresses serve as four hosts; on macOS, where only one is available, there is one host. */
export async function startSmallWeb(responseMs: number): Promise<SmallWeb> {
  const web = new SmallWeb(responseMs)
  await web.listen()
  return web
}

/**
 * Pages, redirects, errors and duplicates on a few loopback hosts. A response depends only on the URL, so every crawl ends in the same
 * state, in whatever order and however often it requests the pages.
 */
export class SmallWeb {
  readonly #responseMs: number
  readonly #servers: Server[] = []
  readonly #origins: string[] = []
  readonly #hits = new Map<string, Hit[]>()
  #waiting: Array<{ readonly lane: string; readonly resolve: () => void }> = []

  constructor(responseMs: number) {
    this.#responseMs = responseMs
  }

  /** Seed lines: half of the pages, with scores and metadata. */
  get seedLines(): string[] {
    return this.#origins.flatMap((origin, host) =>
      Array.from({ length: PAGES }, (_, n) => `${origin}/p/${n}\tnutch.score=${1 + n / 8}\tgroup=${host}`),
    )
  }

  /** Requests of the crawl with this header in order, without robots.txt. */
  hitsOf(lane: string): readonly Hit[] {
    return this.#hits.get(lane) ?? []
  }

  /** Fulfilled at the next request of a crawl with this header. */
  nextRequestOf(lane: string): Promise<void> {
    return new Promise((resolve) => this.#waiting.push({ lane, resolve }))
  }

  /** @internal Called once, by `startSmallWeb`. */
  async listen(): Promise<void> {
    let port = 0
    for (const [host, address] of HOSTS.entries()) {
      const server = createServer((request, response) => void this.#response(host, request, response))
      this.#servers.push(server)
      try {
        await once(server.listen(port, address), 'listening')
      } catch (error) {
        if (host === 0 || !(error instanceof Error && 'code' in error && error.code === 'EADDRNOTAVAIL'))
          throw error
        await once(server.listen(0, HOSTS[0]), 'listening')
      }
      const bound = server.address() as AddressInfo
      port = bound.port
      this.#origins.push(`http://${bound.address}:${bound.port}`)
    }
  }

  async close(): Promise<void> {
    for (const server of this.#servers) {
      server.closeAllConnections()
      await once(server.close(), 'close')
    }
  }

  async #response(host: number, request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = request.url ?? '/'
    if (path === '/robots.txt') {
      response.end('User-agent: *\nDisallow: /private/\n')
      return
    }
    const lane = request.headers[LANE_HEADER]?.toString() ?? ''
    const hits = this.#hits.get(lane) ?? []
    this.#hits.set(lane, hits)
    hits.push({ url: `${this.#origins[host]}${path}`, at: Date.now() })
    for (const one of this.#waiting) if (one.lane === lane) one.resolve()
    this.#waiting = this.#waiting.filter((one) => one.lane !== lane)
    await setTimeout(this.#responseMs)
    const { status, headers, body } = this.#reply(host, path)
    response.writeHead(status, headers).end(body)
  }

  #reply(host: number, path: string): Reply {
    const [, kind, text = ''] = path.split('/')
    const n = Number(text)
    const other = this.#origins[(host + 1) % this.#origins.length]
    if (kind === 'p' && n % 8 === 5) return redirect(301, `/p/${(n + 17) % PAGES}`)
    if (kind === 'p' && n % 8 === 6) return redirect(302, `${other}/d/${n}`)
    if (kind === 'd' && n % 8 === 3) return redirect(301, `/d/${n + 1}`)
    if (kind === 'p' && n % 8 === 7) return { status: 404, headers: {}, body: 'gone' }
    if (kind === 'd' && n % 8 === 5) return { status: 410, headers: {}, body: 'gone' }
    if (kind === 'p' && n === 24) return { status: 500, headers: {}, body: 'broken' }
    // Some pages have the same content under two addresses.
    return page(other ?? '', kind === 'p' && n === 17 ? 16 : n, kind ?? '')
  }
}

interface Reply {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

function redirect(status: number, location: string): Reply {
  return { status, headers: { location }, body: '' }
}

function page(other: string, n: number, kind: string): Reply {
  const targets = [
    `/${kind}/${(n + 1) % PAGES}`,
    `/d/${(n * 3) % PAGES}`,
    `/d/${(n * 7 + 2) % PAGES}`,
    `${other}/p/${(n + 5) % PAGES}`,
    `${other}/d/${(n + 9) % PAGES}`,
    `/private/${n}`,
  ]
  const links = targets.map((target, i) => `<a href="${target}">link ${i} of ${n}</a>`).join(' ')
  const prose = `<p>Page ${n} of kind ${kind} has words that no other has: ${'spool '.repeat(n + 20)}</p>`
  const body = `<!doctype html><title>${kind} ${n}</title><h1>${n}</h1>${prose.repeat(8)}${links}`
  const etag = `"${createHash('sha256').update(body).digest('hex').slice(0, 16)}"`
  return { status: 200, headers: { 'content-type': 'text/html', etag }, body }
}
