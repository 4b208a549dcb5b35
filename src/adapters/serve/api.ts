import { type Context, Hono } from 'hono'
import { z } from 'zod'
import type { Clock } from '../../base/clock.ts'
import { ConfigurationError, CrawlError } from '../../base/crawl-error.ts'
import { SEARCH_SORTS } from '../../domain/search/search-query.ts'
import type { Access } from './access.ts'
import { crawlId, crawlNamed, whole, withParameters } from './api-parameters.ts'
import { liveRoutes } from './live-api.ts'
import { ScanLimit } from './scan-limit.ts'
import { searchFeed } from './search-feed.ts'
import { sendError } from './send-error.ts'
import { SearchBusy, SearchTooSlow, type ServedEntry } from './serve-ports.ts'

export interface ApiParts {
  /** At least one; the first is the default of all routes. */
  readonly crawls: readonly ServedEntry[]
  readonly access: Access
  readonly clock: Clock
  /** Called with errors whose details clients do not see. @default errors are dropped */
  readonly onFailure?: (error: Error) => void
}

/** The routes under `/api`. responses.ts has their responses. */
export function apiRoutes({ crawls, access, clock, onFailure = () => {} }: ApiParts): Hono {
  const api = new Hono()
  // These requests read whole segments or tables.
  const scans = new ScanLimit()
  const scan = <T>({ req }: Context, work: () => Promise<T>) => scans.run(req.raw.signal, work)
  const withCrawl = <T extends { readonly crawl?: string }>(
    context: Context,
    schema: z.ZodType<T>,
    respond: (crawl: StoredCrawl, parameters: Omit<T, 'crawl'>) => Promise<Response>,
  ) =>
    withParameters(context, schema, async ({ crawl: id, ...parameters }) => {
      const entry = crawlNamed(context, crawls, id)
      if (entry instanceof Response) return entry
      const { crawl, search } = entry
      if (crawl === undefined || search === undefined)
        return sendError(
          context,
          'not-found',
          `${entry.name} has no crawl directory: only /api/live is available.`,
        )
      return respond({ crawl, search }, parameters)
    })
  api.use(async (context, next) => {
    await next()
    context.header('cache-control', 'no-store')
  })
  api.route('/', liveRoutes({ crawls, access, clock }))
  api.get('/search', async (context) =>
    withCrawl(context, searchParameters, async ({ search }, { q, ...rest }) =>
      context.json(await search.search({ query: q.trim(), ...rest })),
    ),
  )
  api.get('/search.rss', async (context) =>
    withCrawl(context, searchParameters, async ({ search }, { q, ...rest }) => {
      const found = await search.search({ query: q.trim(), ...rest })
      if (found.kind === 'no-index')
        return sendError(context, 'not-found', 'This crawl has no search index yet.')
      return context.body(searchFeed(q.trim(), context.req.url, found), 200, {
        'content-type': 'application/rss+xml; charset=utf-8',
      })
    }),
  )
  api.get('/overview', async (context) =>
    withCrawl(context, onlyCrawl, async ({ crawl }) => context.json(await crawl.overview())),
  )
  api.get('/history', async (context) =>
    withCrawl(context, historyParameters, async ({ crawl }, { range }) =>
      context.json(await crawl.history(range)),
    ),
  )
  api.get('/host', async (context) =>
    withCrawl(context, hostParameters, async ({ crawl }, { host }) =>
      found(context, await scan(context, () => crawl.host(host)), `The crawl has no URLs of ${host}.`),
    ),
  )
  api.get('/hosts', async (context) =>
    withCrawl(context, hostsParameters, async ({ crawl }, query) =>
      context.json(await scan(context, () => crawl.hosts(query))),
    ),
  )
  api.get('/url', async (context) =>
    withCrawl(context, urlParameters, async ({ crawl }, { url }) =>
      context.json(await scan(context, () => crawl.url(url))),
    ),
  )
  api.get('/preview', async (context) =>
    withCrawl(context, previewParameters, async ({ crawl, search }, { url, q }) =>
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

type StoredCrawl = Required<Pick<ServedEntry, 'crawl' | 'search'>>

/** Messages of other errors may contain SQL and go only to the log. */
function publicMessage(error: Error): string {
  const isPublic = error instanceof CrawlError && !(error instanceof ConfigurationError)
  return isPublic ? error.message : 'Internal error. The terminal of the server shows the reason.'
}

function found(context: Context, document: object | undefined, missing: string): Response {
  return document === undefined ? sendError(context, 'not-found', missing) : context.json(document)
}

// The query parameters of each route.

const query = z.string().max(1_000).default('')
const url = z
  .string()
  .min(1)
  .max(8_000)
  .regex(/^\P{Cc}*$/u, 'must not contain control characters')
const filterValue = z.string().min(1).max(300)

const searchParameters = z.strictObject({
  crawl: crawlId,
  q: query,
  offset: whole(1_000_000).default(0),
  limit: whole(100).pipe(z.int().min(1)).default(10),
  site: filterValue.exactOptional(),
  type: filterValue.exactOptional(),
  lang: filterValue.exactOptional(),
  sort: z.enum(SEARCH_SORTS).exactOptional(),
})

const historyParameters = z.strictObject({
  crawl: crawlId,
  range: z.enum(['latest', 'all']).default('latest'),
})

const hostParameters = z.strictObject({
  crawl: crawlId,
  host: z
    .string()
    .max(300)
    .regex(/^[^\s/?#@\\'"`;<>\p{Cc}]+$/u, 'must be a host name')
    .toLowerCase(),
})

const hostsParameters = z.strictObject({
  crawl: crawlId,
  sort: z
    .enum(['host', 'urls', 'fetched', 'unfetched', 'gone', 'failuresInARow', 'averageMs', 'linkScore'])
    .default('urls'),
  descending: z
    .enum(['true', 'false'])
    .default('true')
    .transform((text) => text === 'true'),
  offset: whole(1_000_000_000).default(0),
  limit: whole(200).pipe(z.int().min(1)).default(50),
  contains: z
    .string()
    .max(300)
    .regex(/^\P{Cc}*$/u, 'must not contain control characters')
    .toLowerCase()
    .exactOptional(),
})

const urlParameters = z.strictObject({ crawl: crawlId, url })

const previewParameters = z.strictObject({ crawl: crawlId, url, q: query })

const onlyCrawl = z.strictObject({ crawl: crawlId })
