import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A site that sends the number of pages that a test allows, so that a crawl of it stops at that point. */
export interface GatedSite {
  readonly url: string
  /** Sends pages until this number is sent in all. */
  allow(pages: number): void
  /** Resolves when a page is requested that is not allowed yet. */
  requested(): Promise<void>
  close(): Promise<void>
}

/** `pages` pages: the first one links to all others, and to one that does not exist. */
export async function serveGatedSite(pages: number): Promise<GatedSite> {
  const held: Array<() => void> = []
  const waiting: Array<() => void> = []
  let allowed = 0
  let sent = 0
  const links = Array.from({ length: pages - 1 }, (_, i) => `<a href="/page/${i}">page ${i}</a>`).join('')
  const send = (response: ServerResponse, html: string) => {
    const now = () => {
      sent++
      response.end(html)
    }
    if (sent < allowed) now()
    else {
      held.push(now)
      for (const resolve of waiting.splice(0)) resolve()
    }
  }
  const server = createServer(({ url = '/' }, response) => {
    response.setHeader('content-type', 'text/html')
    if (url === '/') send(response, `<title>Start</title>${links}<a href="/gone">gone</a>`)
    else if (url.startsWith('/page/')) send(response, `<title>${url}</title><p>This is ${url}.`)
    else response.writeHead(404).end('not found')
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    allow(count) {
      allowed = count
      while (sent < allowed && held.length > 0) held.shift()?.()
    },
    requested: () =>
      held.length > 0 ? Promise.resolve() : new Promise((resolve) => void waiting.push(resolve)),
    async close() {
      const closed = once(server, 'close')
      server.close()
      server.closeAllConnections()
      await closed
    },
  }
}
