import { z } from 'zod'

/** The requests and responses of the control API. Their types, their checks and the OpenAPI document are derived from these schemas. */

/** Names of the schemas in the OpenAPI document. */
export const namedSchemas = z.registry<{ id: string }>()

const count = (description: string) => z.int().min(0).describe(description)
const time = (description: string) => z.int().describe(`${description} Milliseconds since the epoch.`)

export const crawlName = z
  .string()
  .regex(
    /^[A-Za-z0-9](?:[A-Za-z0-9._-]{0,98}[A-Za-z0-9_-])?$/,
    'a name has up to 100 letters, digits, "-", "_" and ".", and starts with a letter or digit',
  )
  .describe('Name of the crawl: the name of its directory.')

const seed = z
  .string()
  .min(1)
  .max(8_192)
  .regex(/^[^\p{Cc}]+(?:\t[^\p{Cc}]*)*$/u, 'must not contain control characters')

const seeds = z
  .array(seed)
  .max(10_000)
  .describe('URLs, each optionally followed by TAB-separated key=value items, as in a seed file.')

/** Checked against the schema of the configuration by the implementation. */
export const settings = z
  .record(z.string(), z.unknown())
  .describe(
    'Settings of the crawl, as in orbweaver.config.json. Settings that are not listed cannot be set over the API.',
  )
  .register(namedSchemas, { id: 'Settings' })

export const newCrawl = z
  .strictObject({ name: crawlName, seeds: seeds.default([]), settings: settings.exactOptional() })
  .register(namedSchemas, { id: 'NewCrawl' })

export const settingsDocument = z
  .strictObject({ settings })
  .register(namedSchemas, { id: 'SettingsDocument' })

export const injectRequest = z
  .strictObject({
    seeds: seeds.min(1),
    existing: z
      .enum(['keep', 'update', 'overwrite'])
      .default('keep')
      .describe(
        'What happens to known URLs: keep them, update score, interval and metadata, or overwrite the record.',
      ),
  })
  .register(namedSchemas, { id: 'InjectRequest' })

export const startRequest = z
  .strictObject({
    maxPages: z.int().min(1).exactOptional().describe('Maximum number of fetched pages. Default: no limit.'),
    rounds: z.int().min(1).exactOptional().describe('Maximum number of rounds. Default: no limit.'),
    maxMinutes: z
      .number()
      .positive()
      .max(525_600)
      .exactOptional()
      .describe('Stop after this time. Default: no limit.'),
    index: z.boolean().default(true).describe('Update the search index after each round.'),
  })
  .register(namedSchemas, { id: 'StartRequest' })

export const injected = z
  .strictObject({
    seeds: count('Seeds in the request.'),
    injected: count('URLs that are new in the crawl.'),
    existing: count('URLs that the crawl knew.'),
    rejected: z.record(z.string(), z.int()).describe('Rejected seeds, by reason.'),
    examples: z
      .array(z.strictObject({ seed: z.string(), reason: z.string() }))
      .describe('Some of the rejected seeds.'),
  })
  .register(namedSchemas, { id: 'Injected' })

export const job = z
  .strictObject({
    id: z.string(),
    kind: z.enum(['crawl', 'index']),
    state: z
      .enum(['running', 'finished', 'stopped', 'failed', 'interrupted'])
      .describe(
        'interrupted: its process ended without a result, for example because it was killed. Start it again to resume.',
      ),
    startedAt: time('When it was started.'),
    endedAt: time('When it ended.').exactOptional(),
    limits: z.strictObject({
      maxPages: z.int().exactOptional(),
      rounds: z.int().exactOptional(),
      maxMinutes: z.number().exactOptional(),
      index: z.boolean().exactOptional(),
    }),
    result: z
      .strictObject({
        ended: z.string().describe('Why it ended: done, pages, rounds, time, interrupted, …'),
        pages: count('Fetched pages.').exactOptional(),
        added: count('URLs that were not known before.').exactOptional(),
        due: count('URLs that are due and were not fetched.').exactOptional(),
        failures: z.array(z.strictObject({ kind: z.string(), count: z.int() })).exactOptional(),
        indexed: count('Documents added to the search index, or replaced.').exactOptional(),
        durationMs: z.number().exactOptional(),
      })
      .exactOptional(),
    error: z.strictObject({ code: z.string(), message: z.string() }).exactOptional(),
  })
  .describe('The last run that was started over the API.')
  .register(namedSchemas, { id: 'Job' })

export const crawlStatus = z
  .strictObject({
    name: crawlName,
    state: z
      .enum(['idle', 'running', 'paused', 'stopping', 'finished', 'stopped', 'failed', 'interrupted'])
      .describe('State of the process that works on the crawl; without one, the state of the last job.'),
    hasIndex: z.boolean().describe('Whether the crawl can be searched.'),
    changedAt: time('When the data of the crawl last changed.').exactOptional(),
    job: job.exactOptional(),
    live: z
      .strictObject({
        startedAt: time('When the run started.'),
        activity: z.string().exactOptional().describe('What the crawl does now, for people.'),
        ...{
          pages: count('Fetched pages.'),
          requests: count('Requests sent.'),
          errors: count('Failed requests.'),
        },
        bytes: count('Bytes of bodies, as received.'),
        queued: count('URLs in the host queues.'),
        due: count('URLs that are due and not in the host queues.').exactOptional(),
        pagesPerSecond: z.number(),
      })
      .exactOptional()
      .describe('While it fetches.'),
    problem: z.string().exactOptional().describe('Why the state could not be read completely.'),
  })
  .register(namedSchemas, { id: 'Crawl' })

export const crawlList = z
  .strictObject({ crawls: z.array(crawlStatus) })
  .register(namedSchemas, { id: 'CrawlList' })

export const createdCrawl = z
  .strictObject({ crawl: crawlStatus, injected })
  .register(namedSchemas, { id: 'CreatedCrawl' })

export const actionResult = z
  .strictObject({ ok: z.boolean(), message: z.string(), data: z.unknown().exactOptional() })
  .register(namedSchemas, { id: 'ActionResult' })

export const logLines = z
  .strictObject({ lines: z.array(z.string()).describe('Oldest first.') })
  .register(namedSchemas, { id: 'Log' })

export const health = z.strictObject({ status: z.literal('ok') }).register(namedSchemas, { id: 'Health' })

export const errorResponse = z
  .strictObject({ error: z.strictObject({ code: z.string(), message: z.string() }) })
  .register(namedSchemas, { id: 'Error' })

/** Documents that the API of the page returns, too: `Overview` and `SearchResponse` of responses.ts. */
export const summary = z
  .looseObject({
    segments: count('Number of segments.'),
    db: z
      .looseObject({
        total: count('URLs in the CrawlDb.'),
        hosts: count('Hosts.'),
        statuses: z.array(z.looseObject({ status: z.string(), count: z.int() })),
      })
      .exactOptional()
      .describe('Absent if the CrawlDb could not be read yet.'),
  })
  .register(namedSchemas, { id: 'Summary' })

export const searchResults = z
  .looseObject({
    kind: z.enum(['found', 'no-index']),
    total: z.int().exactOptional().describe('Number of results.'),
    hits: z.array(z.looseObject({ url: z.string() })).exactOptional(),
    unfiltered: z
      .looseObject({ query: z.string(), total: z.int(), exact: z.boolean() })
      .exactOptional()
      .describe('The query without its filters, if only that finds pages.'),
  })
  .register(namedSchemas, { id: 'SearchResults' })

const whole = (least: number, most: number, standard: string) =>
  z
    .string()
    .regex(/^\d{1,9}$/, 'must be a whole number')
    .refine((text) => Number(text) >= least && Number(text) <= most, `must be from ${least} to ${most}`)
    .default(standard)

export const searchQuery = z.strictObject({
  q: z.string().min(1).max(1_000).describe('The query, as for orbweaver search.'),
  offset: whole(0, 1_000_000, '0').describe('Number of results to skip.'),
  limit: whole(1, 100, '10').describe('Maximum number of results.'),
})

export const logQuery = z.strictObject({
  lines: whole(1, 10_000, '100').describe('Maximum number of lines.'),
})

export type ControlledCrawl = z.output<typeof crawlStatus>
export type ControlJob = z.output<typeof job>
export type Injected = z.output<typeof injected>
export type StartLimits = z.output<typeof startRequest>
export type InjectRequest = z.output<typeof injectRequest>
export type NewCrawl = z.output<typeof newCrawl>
export type ActionResult = z.output<typeof actionResult>
