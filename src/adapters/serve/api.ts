import { type Context, Hono } from 'hono'
import type { z } from 'zod'
import { ConfigurationError, CrawlError } from '../../base/crawl-error.ts'
import {
  historyParameters,
  hostParameters,
  noParameters,
  previewParameters,
  searchParameters,
  urlParameters,
} from './api-parameters.ts'
import type { CrawlView } from './crawl-view.ts'
import { refuse } from './refuse.ts'
import { ScanLimit } from './scan-limit.ts'
import { SearchBusy, SearchTooSlow, type SearchView } from './search-view.ts'

/** The routes under `/api`; answers.ts has what they answer. */
export function apiRoutes(
  crawl: CrawlView,
  search: SearchView,
  onFailure: (error: Error) => void = () => {},
): Hono {
  const api = new Hono()
  // Each of these reads segments or tables from one end to the other.
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
      found(context, await scan(context, () => crawl.host(host)), `The crawl knows no URL of ${host}.`),
    ),
  )
  api.get('/url', async (context) =>
    withParameters(context, urlParameters, async ({ url }) =>
      context.json(await scan(context, () => crawl.url(url))),
    ),
  )
  api.get('/preview', async (context) =>
    withParameters(context, previewParameters, async ({ url, q }) =>
      // The index finds a page at once, segments are searched from one end to the other.
      found(
        context,
        (await search.document({ id: url, query: q })) ?? (await scan(context, () => crawl.preview(url))),
        'No text of this page is stored.',
      ),
    ),
  )
  api.all('*', (context) => refuse(context, 'not-found', `There is no ${context.req.path}.`))
  api.onError((error, context) => {
    if (error instanceof SearchTooSlow) return refuse(context, 'too-slow', error.message)
    if (error instanceof SearchBusy) return refuse(context, 'busy', error.message)
    onFailure(error)
    return refuse(context, 'failed', publicMessage(error))
  })
  return api
}

/** Errors of ours are written for people. Those of the databases, and of SQL that we wrote, may quote SQL: they are for the log. */
function publicMessage(error: Error): string {
  const isForPeople = error instanceof CrawlError && !(error instanceof ConfigurationError)
  return isForPeople ? error.message : 'The server could not answer. Its terminal has the reason.'
}

/** Parameters that are not what a route takes are refused, also one that is given twice: only the first would count. */
async function withParameters<T>(
  context: Context,
  schema: z.ZodType<T>,
  answer: (parameters: T) => Promise<Response>,
): Promise<Response> {
  const query = context.req.queries()
  const repeated = Object.keys(query).find((name) => (query[name]?.length ?? 0) > 1)
  if (repeated !== undefined) return refuse(context, 'bad-request', `${repeated} is given more than once.`)
  const parsed = schema.safeParse(context.req.query())
  if (!parsed.success) return refuse(context, 'bad-request', problemsOf(parsed.error))
  return answer(parsed.data)
}

/** `limit: must be a whole number` */
function problemsOf({ issues }: z.ZodError): string {
  return issues.map(({ path, message }) => [...path.map(String), message].join(': ')).join('; ')
}

function found(context: Context, document: object | undefined, otherwise: string): Response {
  return document === undefined ? refuse(context, 'not-found', otherwise) : context.json(document)
}
