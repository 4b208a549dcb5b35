import { Hono } from 'hono'
import { apiRoutes } from './api.ts'
import type { CrawlView } from './crawl-view.ts'
import { crossSiteGuard } from './cross-site-guard.ts'
import { hostGuard } from './host-guard.ts'
import { refuse } from './refuse.ts'
import type { SearchView } from './search-view.ts'
import { securityHeaders } from './security-headers.ts'
import type { WebFile } from './web-files.ts'

export interface ServeAppParts {
  readonly crawl: CrawlView
  readonly search: SearchView
  /** The built page. */
  readonly files: ReadonlyMap<string, WebFile>
  /** What the server listens on. */
  readonly host: string
  /** Gets what a client is not told about a failure. */
  readonly onFailure?: (error: Error) => void
}

/** The places of the page: each is the same document, which looks at its address. */
const PLACES = ['/', '/statistics', '/url', '/host']

/** All that the server answers. Nothing it does changes a crawl. */
export function createServeApp({ crawl, search, files, host, onFailure }: ServeAppParts): Hono {
  const app = new Hono()
  app.use(securityHeaders)
  app.use(hostGuard(host))
  app.use(crossSiteGuard)
  app.use(async (context, next) => {
    if (context.req.method === 'GET' || context.req.method === 'HEAD') return next()
    return context.text('Only GET and HEAD are answered.', 405, { allow: 'GET, HEAD' })
  })
  app.route('/api', apiRoutes(crawl, search, onFailure))
  app.get('*', (context) => {
    const { path } = context.req
    const file = files.get(PLACES.includes(path) ? '/index.html' : path)
    if (file === undefined) return refuse(context, 'not-found', `There is no ${path}.`)
    return context.body(file.bytes, 200, {
      'content-type': file.type,
      'cache-control': file.immutable ? 'max-age=31536000, immutable' : 'no-cache',
    })
  })
  return app
}
