import { readdir, readFile } from 'node:fs/promises'
import { extname, join, relative, sep } from 'node:path'
import { Hono } from 'hono'
import type { Clock } from '../../base/clock.ts'
import { withoutUndefined } from '../../base/without-undefined.ts'
import { Access } from './access.ts'
import { apiRoutes } from './api.ts'
import { crossSiteGuard, hostGuard, securityHeaders } from './request-guards.ts'
import { sendError } from './send-error.ts'
import type { ServedEntry } from './serve-ports.ts'

export interface ServeAppParts {
  /** At least one; the first is the default of the API. */
  readonly crawls: readonly ServedEntry[]
  readonly clock: Clock
  /** Who may act. @default clients on this machine */
  readonly access?: Access
  /** More routes, for example `/metrics`. All guards apply. @default none */
  readonly routes?: Hono
  /** The built files of the page. */
  readonly files: ReadonlyMap<string, WebFile>
  /** Routes of the control API, under `/api/v1`. They check who may use them. @default none */
  readonly control?: Hono
  /** The address that the server listens on. */
  readonly host: string
  /** Called with errors whose details clients do not see. */
  readonly onFailure?: (error: Error) => void
}

/** Paths of the page. All return the same document, which reads its address. */
const PLACES = ['/', '/crawls', '/live', '/statistics', '/url', '/hosts', '/host']

/** All other routes change nothing. */
const POSTS = ['/api/live/actions', '/api/login']

/** They say whether a token is needed, and take it. */
const OPEN_PATHS = ['/api/crawls', '/api/login']

/** All other paths are files of the page. */
const DATA = /^\/(?:api\/|metrics$)/

/** The app with all routes of the server. */
export function createServeApp(parts: ServeAppParts): Hono {
  const { crawls, clock, files, host, routes, control, onFailure } = parts
  const app = new Hono()
  const access = parts.access ?? new Access(clock, {})
  app.use(securityHeaders)
  app.use(hostGuard(host))
  app.use(crossSiteGuard)
  if (control !== undefined) app.route('/api/v1', control)
  app.use(async (context, next) => {
    const { method, path } = context.req
    const methods = POSTS.includes(path) ? ['POST'] : ['GET', 'HEAD']
    if (methods.includes(method)) return next()
    const allow = methods.join(', ')
    context.header('allow', allow)
    return sendError(context, 'method', `${path} does not accept ${method}, only ${allow}.`)
  })
  app.use(async (context, next) => {
    const { path } = context.req
    const isOpen = OPEN_PATHS.includes(path) || !DATA.test(path)
    const rejected = isOpen ? undefined : access.rejectsRead(context)
    return rejected === undefined ? next() : sendError(context, rejected.code, rejected.message)
  })
  app.route('/api', apiRoutes({ crawls, access, clock, ...withoutUndefined({ onFailure }) }))
  if (routes !== undefined) app.route('/', routes)
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
