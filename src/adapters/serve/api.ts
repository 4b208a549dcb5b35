import { type Context, Hono } from 'hono'
import { z } from 'zod'
import { ConfigurationError, CrawlError } from '../../base/crawl-error.ts'
import { ScanLimit } from './scan-limit.ts'
import { sendError } from './send-error.ts'
import { type CrawlApi, type SearchApi, SearchBusy, SearchTooSlow } from './serve-ports.ts'

/** The routes under `/api`. responses.ts has their responses. */
export function apiRoutes(
  crawl: CrawlApi,
  search: SearchApi,
  onFailure: (error: Error) => void = () => {},
): Hono {
  const api = new Hono()
  // These requests read whole segments or tables.
  const scans = new ScanLimit()
  const scan = <T>({ req }: Context, work: () => Promise<T>) => scans.run(req.raw.signal, work)
  api.use(async (context, next) => {
    await next()
    context.header('cache-control', 'no-store')
  })
  api.get('/search', async (context) =>
    withParameters(context, searchParameters, async ({ q, ...rest }) =>
      context.json(await search.search({ query: q.trim(), ...rest })),
    ),
  )
  api.get('/overview', async (context) =>
    withParameters(context, noParameters, async () => context.json(await crawl.overview())),
  )
  api.get('/history', async (context) =>
    withParameters(context, historyParameters, async ({ range }) => context.json(await crawl.history(range))),
  )
  api.get('/host', async (context) =>
    withParameters(context, hostParameters, async ({ host }) =>
      found(context, await scan(context, () => crawl.host(host)), `The crawl has no URLs of ${host}.`),
    ),
  )
  api.get('/url', async (context) =>
    withParameters(context, urlParameters, async ({ url }) =>
      context.json(await scan(context, () => crawl.url(url))),
    ),
  )
  api.get('/preview', async (context) =>
    withParameters(context, previewParameters, async ({ url, q }) =>
      // A lookup in the index is fast; segments are read completely.
      found(
        context,
        (await search.document({ id: url, query: q })) ?? (await scan(context, () => crawl.preview(url))),
        'The crawl has no stored text of this page.',
      ),
    ),
  )
  api.all('*', (context) => sendError(context, 'not-found', `${context.req.path} does not exist.`))
  api.onError((error, context) => {
    if (error instanceof SearchTooSlow) return sendError(context, 'too-slow', error.message)
    if (error instanceof SearchBusy) return sendError(context, 'busy', error.message)
    onFailure(error)
    return sendError(context, 'failed', publicMessage(error))
  })
  return api
}

/** Messages of other errors may contain SQL and go only to the log. */
function publicMessage(error: Error): string {
  const isPublic = error instanceof CrawlError && !(error instanceof ConfigurationError)
  return isPublic ? error.message : 'Internal error. The terminal of the server shows the reason.'
}

/** Rejects invalid, unknown and repeated parameters. */
async function withParameters<T>(
  context: Context,
  schema: z.ZodType<T>,
  respond: (parameters: T) => Promise<Response>,
): Promise<Response> {
  const query = context.req.queries()
  const repeated = Object.keys(query).find((name) => (query[name]?.length ?? 0) > 1)
  if (repeated !== undefined) return sendError(context, 'bad-request', `${repeated} is given more than once.`)
  const parsed = schema.safeParse(context.req.query())
  if (!parsed.success) return sendError(context, 'bad-request', problemsOf(parsed.error))
  return respond(parsed.data)
}

/** `limit: must be a whole number` */
function problemsOf({ issues }: z.ZodError): string {
  return issues.map(({ path, message }) => [...path.map(String), message].join(': ')).join('; ')
}

function found(context: Context, document: object | undefined, missing: string): Response {
  return document === undefined ? sendError(context, 'not-found', missing) : context.json(document)
}

// The query parameters of each route. Unknown names are rejected, so that a misspelled filter is not ignored.

const whole = (most: number) =>
  z
    .string()
    .regex(/^\d{1,9}$/, 'must be a whole number')
    .transform(Number)
    .pipe(z.int().max(most))

const query = z.string().max(1_000).default('')
const url = z
  .string()
  .min(1)
  .max(8_000)
  .regex(/^\P{Cc}*$/u, 'must not contain control characters')
const filterValue = z.string().min(1).max(300)

const searchParameters = z.strictObject({
  q: query,
  offset: whole(1_000_000).default(0),
  limit: whole(100).pipe(z.int().min(1)).default(10),
  site: filterValue.exactOptional(),
  type: filterValue.exactOptional(),
  lang: filterValue.exactOptional(),
})

const historyParameters = z.strictObject({ range: z.enum(['latest', 'all']).default('latest') })

const hostParameters = z.strictObject({
  host: z
    .string()
    .max(300)
    .regex(/^[^\s/?#@\\'"`;<>\p{Cc}]+$/u, 'must be a host name')
    .toLowerCase(),
})

const urlParameters = z.strictObject({ url })

const previewParameters = z.strictObject({ url, q: query })

const noParameters = z.strictObject({})
