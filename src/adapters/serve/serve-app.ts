import { readdir, readFile } from 'node:fs/promises'
import { extname, join, relative, sep } from 'node:path'
import { Hono } from 'hono'
import { apiRoutes } from './api.ts'
import { crossSiteGuard, hostGuard, securityHeaders } from './request-guards.ts'
import { sendError } from './send-error.ts'
import type { CrawlApi, SearchApi } from './serve-ports.ts'

export interface ServeAppParts {
  readonly crawl: CrawlApi
  readonly search: SearchApi
  /** The built files of the page. */
  readonly files: ReadonlyMap<string, WebFile>
  /** The address that the server listens on. */
  readonly host: string
  /** Called with errors whose details clients do not see. */
  readonly onFailure?: (error: Error) => void
}

/** Paths of the page. All return the same document, which reads its address. */
const PLACES = ['/', '/statistics', '/url', '/host']

/** The app with all routes of the server. It never changes a crawl. */
export function createServeApp({ crawl, search, files, host, onFailure }: ServeAppParts): Hono {
  const app = new Hono()
  app.use(securityHeaders)
  app.use(hostGuard(host))
  app.use(crossSiteGuard)
  app.use(async (context, next) => {
    if (context.req.method === 'GET' || context.req.method === 'HEAD') return next()
    return context.text('Only GET and HEAD are allowed.', 405, { allow: 'GET, HEAD' })
  })
  app.route('/api', apiRoutes(crawl, search, onFailure))
  app.get('*', (context) => {
    const { path } = context.req
    const file = files.get(PLACES.includes(path) ? '/index.html' : path)
    if (file === undefined) return sendError(context, 'not-found', `${path} does not exist.`)
    return context.body(file.bytes, 200, {
      'content-type': file.type,
      'cache-control': file.immutable ? 'max-age=31536000, immutable' : 'no-cache',
    })
  })
  return app
}

export interface WebFile {
  readonly bytes: Uint8Array<ArrayBuffer>
  readonly type: string
  /** Its name changes with its content. */
  readonly immutable: boolean
}

/** The built files of the page, by path: `/index.html`, `/assets/…`. They are kept in memory: no request reads the file system. */
export async function readWebFiles(folder: string): Promise<ReadonlyMap<string, WebFile>> {
  const files = new Map<string, WebFile>()
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    const type = TYPES[extname(entry.name)]
    if (!entry.isFile() || type === undefined) continue
    const file = join(entry.parentPath, entry.name)
    const path = `/${relative(folder, file).split(sep).join('/')}`
    files.set(path, {
      bytes: new Uint8Array(await readFile(file)),
      type,
      immutable: path.startsWith('/assets/'),
    })
  }
  return files
}

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
}
