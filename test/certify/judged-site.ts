import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { steadyClock } from '../../src/base/clock.ts'
import { Judge } from '../../testing/judge.ts'

export interface JudgedSiteOptions {
  /** @default 404 */
  readonly robots?: string
  /** Pages `/1` to `/n`, to which the front page links. */
  readonly pages: number
  /** Links of the front page besides. @default none */
  readonly more?: readonly string[]
  /** The first response to this path is 429 with this Retry-After. @default none */
  readonly limited?: { readonly path: string; readonly seconds: number }
  /** Time until a response is sent. @default 2 */
  readonly latencyMs?: number
}

/** A real server on 127.0.0.1 with a judge that sees every request. */
export class JudgedSite {
  readonly judge = new Judge(steadyClock)
  readonly #server: Server
  #isLimited: boolean

  private constructor(options: JudgedSiteOptions) {
    const { robots, pages, more = [], limited, latencyMs = 2 } = options
    this.#isLimited = limited !== undefined
    const links = [...Array.from({ length: pages }, (_, i) => `/${i + 1}`), ...more]
    const front = `<title>front</title>${links.map((path) => `<a href="${path}">page</a>`).join('')}`
    this.#server = createServer((request, response) => {
      const path = request.url ?? '/'
      const hit = this.judge.started({
        ...{ host: '127.0.0.1', address: '127.0.0.1', path, method: request.method ?? 'GET' },
        userAgent: request.headers['user-agent'] ?? '',
      })
      response.on('close', () => this.judge.ended(hit, { brokenOff: true }))
      const end = (status: number, headers: Record<string, string>, body: string, waitMs = 0) =>
        setTimeout(() => {
          this.judge.ended(hit, { status, waitMs })
          response.writeHead(status, headers).end(body)
        }, latencyMs)
      if (path === '/robots.txt' && robots === undefined) end(404, {}, '')
      else if (path === '/robots.txt') end(200, { 'Content-Type': 'text/plain' }, robots ?? '')
      else if (path === limited?.path && this.#isLimited) {
        this.#isLimited = false
        end(429, { 'Retry-After': String(limited.seconds) }, '', limited.seconds * 1000)
      } else end(200, { 'Content-Type': 'text/html' }, path === '/' ? front : `<title>${path}</title>`)
    })
  }

  static async start(options: JudgedSiteOptions): Promise<JudgedSite> {
    const site = new JudgedSite(options)
    await once(site.#server.listen(0, '127.0.0.1'), 'listening')
    return site
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/`
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections()
    await once(this.#server.close(), 'close')
  }
}
