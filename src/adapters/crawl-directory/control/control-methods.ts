import { createReadStream } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import type { CrawlDb } from '../../../domain/crawldb/crawl-db.ts'
import type { CrawlDbReader } from '../../../domain/crawldb/crawl-db-reader.ts'
import { CRAWL_STATUSES, type DbStatus, isDbStatus } from '../../../domain/crawldb/crawl-status.ts'
import type { LinkDb } from '../../../domain/crawldb/link-db.ts'
import type { DeadLetters } from '../../../domain/frontier/dead-letters.ts'
import type { ItemLog } from '../../../domain/frontier/item-log.ts'
import type { LiveCrawl } from '../../../domain/live/live-crawl.ts'
import type { HostQuery, LiveAction } from '../../../domain/live/live-report.ts'
import { CrawlNotRunning } from './control-error.ts'
import type { ReadLane } from './read-lanes.ts'

/** The part of an open crawl directory that other processes may read. */
export interface OwnedReads {
  readonly db: Pick<
    CrawlDb,
    'segments' | 'seeds' | 'find' | 'findAll' | 'countDue' | 'stats' | 'hostWaits' | 'novelty' | 'nearPages'
  >
  readonly links: Pick<LinkDb, 'inlinks'>
  readonly reader: Pick<CrawlDbReader, 'dump' | 'withStatus' | 'check'> & {
    /** The result of `CrawlDbReader.sql` in parts: first the columns, then rows. */
    sqlParts(query: string): AsyncIterable<SqlPart>
  }
  readonly items: ItemLog
  readonly deadLetters: Pick<DeadLetters, 'failed'>
}

export type SqlPart = { readonly columns: readonly string[] } | ReadonlyArray<readonly unknown[]>

/** What a method works with. */
export interface MethodContext {
  /** Queries are interrupted when the reader disconnects. */
  readonly reads: OwnedReads
  readonly live: LiveCrawl | undefined
  /** A private folder for temporary files. */
  readonly folder: string
}

/** A method of the control socket. Its response is a sequence of values. */
interface ControlMethod {
  readonly args: z.ZodType<readonly unknown[]>
  /** @default none: it does not use the database */
  readonly lane?: ReadLane
  run(context: MethodContext, args: readonly never[]): AsyncIterable<unknown>
}

function method<Args extends readonly unknown[]>(
  args: z.ZodType<Args>,
  lane: ReadLane | undefined,
  run: (context: MethodContext, args: Args) => AsyncIterable<unknown>,
): ControlMethod {
  return {
    args,
    ...(lane !== undefined && { lane }),
    run: (context, values) => run(context, values as unknown as Args),
  }
}

/** A method whose response is one value. */
function lookup<Args extends readonly unknown[]>(
  args: z.ZodType<Args>,
  find: (reads: OwnedReads, args: Args) => Promise<unknown>,
  lane: ReadLane = 'lookup',
): ControlMethod {
  return method(args, lane, async function* ({ reads }, values) {
    yield await find(reads, values)
  })
}

/** A method whose response is a list, sent in pieces. */
function list<Args extends readonly unknown[]>(
  args: z.ZodType<Args>,
  lane: ReadLane,
  find: (reads: OwnedReads, args: Args) => Promise<readonly unknown[]>,
): ControlMethod {
  return method(args, lane, async function* ({ reads }, values) {
    const rows = await find(reads, values)
    for (let i = 0; i < rows.length; i += ROWS_PER_VALUE) yield rows.slice(i, i + ROWS_PER_VALUE)
  })
}

/** A method of the running crawl. */
function ofLive<Args extends readonly unknown[]>(
  args: z.ZodType<Args>,
  call: (live: LiveCrawl, args: Args) => Promise<unknown>,
): ControlMethod {
  return method(args, undefined, async function* ({ live }, values) {
    if (live === undefined)
      throw new CrawlNotRunning('no fetch is running in the process that owns the crawl directory')
    yield await call(live, values)
  })
}

const ROWS_PER_VALUE = 500
const FILE_CHUNK_BYTES = 256 * 1024

const none = z.tuple([])
const text = z.string()
const number = z.number()
const dbStatus = z.enum(
  CRAWL_STATUSES.map(({ name }) => name).filter(isDbStatus) as [DbStatus, ...DbStatus[]],
)
const position = z.int().nonnegative()

const failureChoice = z.strictObject({
  code: text.exactOptional(),
  host: text.exactOptional(),
  limit: position.exactOptional(),
})

const dumpOptions = z.strictObject({
  format: z.enum(['csv', 'jsonl', 'parquet']),
  status: z.array(dbStatus).exactOptional(),
  host: text.exactOptional(),
  regex: text.exactOptional(),
  minRetries: position.exactOptional(),
  expr: text.exactOptional(),
  minScore: number.exactOptional(),
  topN: position.exactOptional(),
})

const hostQuery: z.ZodType<HostQuery> = z.strictObject({
  sort: z.enum(['host', 'queued', 'inFlight', 'nextAllowedAt', 'delayMs', 'requests', 'errors', 'averageMs']),
  descending: z.boolean(),
  offset: position,
  limit: position,
  contains: text.exactOptional(),
})

const liveAction: z.ZodType<LiveAction> = z.discriminatedUnion('action', [
  z.strictObject({ action: z.enum(['pause', 'resume', 'stop']) }),
  z.strictObject({
    action: z.literal('set-delay'),
    host: text,
    delayMs: z.number().nonnegative().nullable(),
  }),
  z.strictObject({ action: z.literal('retry-failed'), url: text.exactOptional() }),
]) as z.ZodType<LiveAction>

/** Everything that a reader can request, by name. Arguments are checked: some become part of SQL statements. */
export const CONTROL_METHODS = {
  /** Whether the owner responds. */
  ping: method(none, undefined, async function* () {}),
  segments: lookup(none, ({ db }) => db.segments()),
  seeds: list(none, 'lookup', ({ db }) => db.seeds()),
  find: lookup(z.tuple([text]), ({ db }, [url]) => db.find(url)),
  findAll: list(z.tuple([z.array(text)]), 'lookup', async ({ db }, [urls]) => [
    ...(await db.findAll(urls)).entries(),
  ]),
  countDue: lookup(z.tuple([number, number]), ({ db }, [now, most]) => db.countDue(now, most)),
  stats: lookup(none, ({ db }) => db.stats()),
  hostWaits: lookup(z.tuple([number, text.optional()]), ({ db }, [now, host]) => db.hostWaits(now, host)),
  novelty: lookup(z.tuple([text.optional()]), ({ db }, [url]) => db.novelty(url)),
  nearPages: list(z.tuple([text.optional()]), 'lookup', ({ db }, [url]) => db.nearPages(url)),
  inlinks: list(z.tuple([text]), 'lookup', ({ links }, [url]) => links.inlinks(url)),
  withStatus: method(z.tuple([z.array(dbStatus)]), 'scan', ({ reads }, [statuses]) =>
    reads.reader.withStatus(statuses),
  ),
  check: lookup(none, ({ reader }) => reader.check(), 'scan'),
  sql: method(z.tuple([text]), 'scan', ({ reads }, [query]) => reads.reader.sqlParts(query)),
  dump: method(z.tuple([dumpOptions]), 'scan', async function* ({ reads, folder }, [options]) {
    // The database writes the file faster than rows could be sent, and without the main thread. The reader gets its bytes.
    const temporary = await mkdtemp(join(folder, 'dump-'))
    try {
      const file = join(temporary, 'records')
      const records = await reads.reader.dump(file, options)
      yield* createReadStream(file, { highWaterMark: FILE_CHUNK_BYTES })
      yield records
    } finally {
      await rm(temporary, { recursive: true, force: true })
    }
  }),
  items: list(z.tuple([position, position]), 'lookup', ({ items }, [after, limit]) =>
    items.items(after, limit),
  ),
  rejected: list(z.tuple([position, position]), 'lookup', ({ items }, [after, limit]) =>
    items.rejected(after, limit),
  ),
  failed: list(z.tuple([failureChoice]), 'lookup', ({ deadLetters }, [choice]) => deadLetters.failed(choice)),
  isLive: method(none, undefined, async function* ({ live }) {
    yield live !== undefined
  }),
  liveReport: ofLive(none, (live) => live.report()),
  liveSeries: ofLive(none, (live) => live.series()),
  liveHosts: ofLive(z.tuple([hostQuery]), (live, [query]) => live.hosts(query)),
  liveAct: ofLive(z.tuple([liveAction]), (live, [action]) => live.act(action)),
} satisfies Record<string, ControlMethod>

export type ControlMethodName = keyof typeof CONTROL_METHODS

export function controlMethod(name: string): ControlMethod | undefined {
  return Object.hasOwn(CONTROL_METHODS, name) ? CONTROL_METHODS[name as ControlMethodName] : undefined
}
