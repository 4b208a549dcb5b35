import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A site of one page, without robots.txt, that knows when it was first requested. */
export class OnePageSite {
  /** Of the first request since this was last set, as `performance.now()`. */
  firstRequestAt = Number.POSITIVE_INFINITY
  readonly #server: Server

  private constructor(page: string) {
    this.#server = createServer(({ url }, response) => {
      this.firstRequestAt = Math.min(this.firstRequestAt, performance.now())
      if (url === '/') response.setHeader('content-type', 'text/html').end(page)
      else response.writeHead(404).end()
    })
  }

  static async open(page: string): Promise<OnePageSite> {
    const site = new OnePageSite(page)
    site.#server.listen(0, '127.0.0.1')
    await once(site.#server, 'listening')
    return site
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/`
  }

  close(): void {
    this.#server.close()
    this.#server.closeAllConnections()
  }
}
