import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'

/** An app on loopback whose pages are a shell, two scripts and one call of an API, linked as a binary tree. */
export class RenderApp {
  readonly #server: Server
  /** Calls of the API: one per page that was rendered. */
  rendered = 0

  private constructor(pages: number) {
    this.#server = createServer((request, response) => {
      const path = request.url ?? '/'
      if (path.startsWith('/api/')) this.rendered++
      const [type, body] = appResponse(path, pages)
      response
        .writeHead(body === '' ? 404 : 200, { 'content-type': type, 'cache-control': 'max-age=600' })
        .end(body)
    })
  }

  static async start(pages: number): Promise<RenderApp> {
    const app = new RenderApp(pages)
    await new Promise<void>((resolve) => app.#server.listen(0, '127.0.0.1', resolve))
    return app
  }

  get start(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/0`
  }

  close(): void {
    this.#server.close()
  }
}

const SHELL =
  '<!doctype html><title>App</title><div id="root"></div><script src="/vendor.js"></script><script src="/app.js"></script>'
const VENDOR = `window.modules = [${'() => { return [1, 2, 3].map((x) => x * 2) },\n'.repeat(5_000)}]`
const APP = `fetch('/api' + location.pathname).then((r) => r.json()).then(({ title, text, links }) => {
  document.getElementById('root').innerHTML = '<h1>' + title + '</h1><p>' + text + '</p>' + links.map((n) => '<a href="/' + n + '">' + n + '</a>').join(' ')
})`

/** Page n links to the two pages of a binary tree below it. */
function appResponse(path: string, pages: number): readonly [type: string, body: string] {
  if (path === '/vendor.js') return ['text/javascript', VENDOR]
  if (path === '/app.js') return ['text/javascript', APP]
  const n = Number(/^\/api\/(\d+)$/.exec(path)?.[1] ?? Number.NaN)
  if (n < pages) {
    const links = [2 * n + 1, 2 * n + 2].filter((to) => to < pages)
    return ['application/json', JSON.stringify({ title: `Page ${n}`, text: 'word '.repeat(300), links })]
  }
  return ['text/html', /^\/\d+$/.test(path) ? SHELL : '']
}
