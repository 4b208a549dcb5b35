import { type Context, Hono } from 'hono'
import { z } from 'zod'
import type { Clock } from '../../base/clock.ts'
import { withoutUndefined } from '../../base/without-undefined.ts'
import type { HostList, LiveSeries } from '../../domain/live/live-report.ts'
import type { Access } from './access.ts'
import { crawlId, crawlNamed, whole, withParameters } from './api-parameters.ts'
import { LiveFeed } from './live-feed.ts'
import { liveActionSchema, loginSchema } from './live-requests.ts'
import { readBody } from './read-body.ts'
import type { CrawlList, CrawlSummary, LiveMessage } from './responses.ts'
import { sendError } from './send-error.ts'
import type { ServedEntry } from './serve-ports.ts'
import { SharedResults } from './shared-results.ts'

export interface LiveApiParts {
  readonly crawls: readonly ServedEntry[]
  readonly access: Access
  readonly clock: Clock
}

/** The routes that show running crawls and act on them. */
export function liveRoutes({ crawls, access, clock }: LiveApiParts): Hono {
  const api = new Hono()
  const known = new Map<ServedEntry, WatchedCrawl>()
  // Crawls may be added while the server runs.
  const watched = () =>
    crawls.map((entry) => {
      const crawl = known.get(entry) ?? watchedCrawl(entry, clock)
      known.set(entry, crawl)
      return crawl
    })
  let streams = 0

  api.get('/crawls', async (context) =>
    withParameters(context, z.strictObject({}), async () =>
      context.json({
        crawls: await Promise.all(
          (access.rejectsRead(context) === undefined ? watched() : []).map(async ({ entry, message }) =>
            summaryOf(entry, await message()),
          ),
        ),
        access: access.of(context),
      } satisfies CrawlList),
    ),
  )

  api.get('/live', async (context) =>
    withWatched(context, onlyCrawl, async ({ feed }) => {
      if (streams >= MAX_STREAMS)
        return sendError(
          context,
          'too-many-streams',
          `${MAX_STREAMS} pages are already connected to this server. Close some of them.`,
        )
      const headers = { 'content-type': 'text/event-stream; charset=utf-8', 'x-accel-buffering': 'no' }
      if (context.req.method === 'HEAD') return context.body(null, 200, headers)
      streams++
      const stream = feed.open(() => {
        streams--
      })
      return context.body(stream.body, 200, headers)
    }),
  )

  api.get('/live/report', async (context) =>
    withWatched(context, onlyCrawl, async ({ message }) => context.json(await message())),
  )

  api.get('/live/series', async (context) =>
    withWatched(context, onlyCrawl, async ({ entry, results }) =>
      context.json(
        await results.get('series', async () => {
          const live = await entry.live.find()
          return live === undefined ? NO_SERIES : live.series()
        }),
      ),
    ),
  )

  api.get('/live/hosts', async (context) =>
    withWatched(context, hostsParameters, async ({ entry, results }, query) =>
      context.json(
        await results.get(JSON.stringify(query), async () => {
          const live = await entry.live.find()
          return live === undefined ? NO_HOSTS : live.hosts(query)
        }),
      ),
    ),
  )

  api.post('/live/actions', async (context) => {
    const rejected = access.rejectsAction(context)
    if (rejected !== undefined) return sendError(context, rejected.code, rejected.message)
    const body = await readBody(context, liveActionSchema, BODY)
    if (body instanceof Response) return body
    return withWatched(context, onlyCrawl, async ({ entry }) => {
      const running = await entry.live.find()
      if (running === undefined) return sendError(context, 'not-running', `${entry.name} is not running.`)
      return context.json(await running.act(body))
    })
  })

  api.post('/login', async (context) => {
    const body = await readBody(context, loginSchema, BODY)
    if (body instanceof Response) return body
    const rejected = access.login(context, body.token)
    if (rejected !== undefined) return sendError(context, rejected.code, rejected.message)
    return context.body(null, 204)
  })

  return api

  function withWatched<T extends { readonly crawl?: string }>(
    context: Context,
    schema: z.ZodType<T>,
    respond: (entry: WatchedCrawl, parameters: Omit<T, 'crawl'>) => Promise<Response>,
  ): Promise<Response> {
    return withParameters(context, schema, async ({ crawl: id, ...parameters }) => {
      const entry = crawlNamed(context, watched(), id)
      return entry instanceof Response ? entry : respond(entry, parameters)
    })
  }
}

/** Each takes a connection and gets an event per second. */
const MAX_STREAMS = 50

const NO_SERIES: LiveSeries = { points: [] }
const NO_HOSTS: HostList = { total: 0, hosts: [] }

interface WatchedCrawl {
  readonly id: string
  readonly entry: ServedEntry
  readonly feed: LiveFeed
  /** Responses that concurrent clients share. */
  readonly results: SharedResults
  message(): Promise<LiveMessage>
}

function watchedCrawl(entry: ServedEntry, clock: Clock): WatchedCrawl {
  const feed = new LiveFeed(clock, entry.live)
  const results = new SharedResults(clock)
  return { id: entry.id, entry, feed, results, message: () => results.get('report', () => feed.message()) }
}

function summaryOf(entry: ServedEntry, message: LiveMessage): CrawlSummary {
  const { id, name, crawl, search, changedAt, hasIndex } = entry
  const capabilities = [
    ...(search === undefined ? [] : (['search'] as const)),
    ...(crawl === undefined ? [] : (['reports'] as const)),
    'live' as const,
  ]
  const about = {
    ...{ id, name, capabilities, hasIndex: hasIndex?.() === true },
    ...withoutUndefined({ changedAt: changedAt?.() }),
  }
  if (message.state === 'idle')
    return { ...about, state: 'idle', ...withoutUndefined({ problem: message.problem }) }
  const { kind, state, command, pid, startedAt, actions } = message.report
  return { ...about, state: 'running', running: { kind, state, command, pid, startedAt, actions } }
}

const BODY = { maxBytes: 20_000 }

const onlyCrawl = z.strictObject({ crawl: crawlId })

const hostsParameters = z.strictObject({
  crawl: crawlId,
  sort: z
    .enum(['host', 'queued', 'inFlight', 'nextAllowedAt', 'delayMs', 'requests', 'errors', 'averageMs'])
    .default('queued'),
  descending: z
    .enum(['true', 'false'])
    .default('true')
    .transform((text) => text === 'true'),
  offset: whole(10_000_000).default(0),
  limit: whole(200).pipe(z.int().min(1)).default(50),
  contains: z.string().max(300).exactOptional(),
})
