import { type Context, Hono } from 'hono'
import type { z } from 'zod'
import { CrawlError } from '../../../base/crawl-error.ts'
import type { JsonObject } from '../../../base/json.ts'
import type { Access } from '../access.ts'
import { withParameters } from '../api-parameters.ts'
import { readBody } from '../read-body.ts'
import { sendError } from '../send-error.ts'
import { SearchBusy, SearchTooSlow } from '../serve-ports.ts'
import { CONTROL_OPERATIONS, type ControlOperation, type OperationId } from './control-operations.ts'
import {
  crawlName,
  injectRequest,
  logQuery,
  newCrawl,
  searchQuery,
  settingsDocument,
  startRequest,
} from './control-schemas.ts'
import { ControlRefused, type CrawlManager } from './crawl-manager.ts'

export interface ControlApiParts {
  readonly control: CrawlManager
  readonly access: Access
  /** The OpenAPI document. */
  readonly openApi: JsonObject
  /** Called with errors whose details clients do not see. @default errors are dropped */
  readonly onFailure?: (error: Error) => void
}

/** The routes under `/api/v1`. All but the health check need the token of the server. */
export function controlRoutes({ control, access, openApi, onFailure = () => {} }: ControlApiParts): Hono {
  const api = new Hono()
  api.use(async (context, next) => {
    const rejected = isHealthCheck(context) ? undefined : access.rejectsControl(context)
    context.header('cache-control', 'no-store')
    return rejected === undefined ? next() : sendError(context, rejected.code, rejected.message)
  })
  const handlers = handlersOf(control)
  for (const [id, operation] of Object.entries(CONTROL_OPERATIONS) as [OperationId, ControlOperation][])
    api.on(operation.method.toUpperCase(), operation.path.replace('{name}', ':name'), async (context) => {
      const name = context.req.param('name')
      if (name !== undefined && !crawlName.safeParse(name).success)
        return sendError(context, 'not-found', 'There is no crawl of this name; /api/v1/crawls lists them.')
      return handlers[id](context, name ?? '')
    })
  api.get('/openapi.json', (context) => context.json(openApi))
  api.all('*', (context) => {
    const { path, method } = context.req
    const allow = methodsOf(path.replace(/^\/api\/v1/, ''))
    if (allow.length === 0) return sendError(context, 'not-found', `${path} does not exist.`)
    context.header('allow', allow.join(', '))
    return sendError(context, 'method', `${path} does not accept ${method}, only ${allow.join(', ')}.`)
  })
  api.onError((error, context) => {
    if (error instanceof ControlRefused) return sendError(context, error.reason, error.message)
    if (error instanceof SearchTooSlow) return sendError(context, 'too-slow', error.message)
    if (error instanceof SearchBusy) return sendError(context, 'busy', error.message)
    onFailure(error)
    const isPublic = error instanceof CrawlError
    return sendError(context, 'failed', isPublic ? error.message : INTERNAL)
  })
  return api
}

const INTERNAL = 'Internal error. The terminal of the server shows the reason.'

type Handler = (context: Context, name: string) => Promise<Response>

function handlersOf(control: CrawlManager): Record<OperationId, Handler> {
  const act =
    (action: 'stop' | 'pause' | 'resume', status: 200 | 202): Handler =>
    async (context, name) =>
      context.json(await control.act(name, action), status)
  return {
    getHealth: async (context) => context.json({ status: 'ok' }),
    listCrawls: async (context) => context.json({ crawls: await control.list() }),
    createCrawl: (context) =>
      withBody(context, newCrawl, async (body) => context.json(await control.create(body), 201)),
    getCrawl: async (context, name) => context.json(await control.status(name)),
    getSummary: async (context, name) => {
      const { directory: _, ...overview } = await (await control.reports(name)).crawl.overview()
      return context.json(overview)
    },
    getSettings: async (context, name) => context.json({ settings: await control.settings(name) }),
    putSettings: (context, name) =>
      withBody(context, settingsDocument, async ({ settings }) =>
        context.json({ settings: await control.configure(name, settings) }),
      ),
    injectSeeds: (context, name) =>
      withBody(context, injectRequest, async (body) => context.json(await control.inject(name, body))),
    startCrawl: (context, name) =>
      withBody(context, startRequest, async (body) => context.json(await control.start(name, body), 202), {}),
    stopCrawl: act('stop', 202),
    pauseCrawl: act('pause', 200),
    resumeCrawl: act('resume', 200),
    indexCrawl: async (context, name) => context.json(await control.index(name), 202),
    searchCrawl: (context, name) =>
      withParameters(context, searchQuery, async ({ q, offset, limit }) => {
        const { search } = await control.reports(name)
        const request = { query: q.trim(), offset: Number(offset), limit: Number(limit) }
        const results = await search.search(request)
        return context.json(results.kind === 'found' ? results : { kind: results.kind })
      }),
    getLog: (context, name) =>
      withParameters(context, logQuery, async ({ lines }) =>
        context.json({ lines: await control.log(name, Number(lines)) }),
      ),
  }
}

async function withBody<T>(
  context: Context,
  schema: z.ZodType<T>,
  respond: (body: T) => Promise<Response>,
  empty?: object,
): Promise<Response> {
  const body = await readBody(context, schema, { maxBytes: MAX_BODY_BYTES, ...(empty && { empty }) })
  return body instanceof Response ? body : respond(body)
}

/** 10,000 seeds of 100 characters, and more. */
const MAX_BODY_BYTES = 2_000_000

function isHealthCheck({ req }: Context): boolean {
  return req.path === '/api/v1/health' && req.method === 'GET'
}

function methodsOf(path: string): string[] {
  const isPath = (template: string) =>
    new RegExp(`^${template.replaceAll('.', '\\.').replace('{name}', '[^/]+')}$`).test(path)
  const methods = Object.values(CONTROL_OPERATIONS).filter((operation) => isPath(operation.path))
  return methods.map(({ method }) => method.toUpperCase())
}
