import { existsSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { CrawlDirectoryMissing } from '../adapters/crawl-directory/crawl-directory-error.ts'
import { takeCrawlLock } from '../adapters/crawl-directory/crawl-lock.ts'
import {
  ENGINE_FILE,
  readStoredEngine,
  type StoredEngine,
  writeStoredEngine,
} from '../adapters/crawl-directory/engine-file.ts'
import { DuckExchange } from '../adapters/duckdb/duck-exchange.ts'
import { DATABASE_FILE, LOCK_FILE } from '../adapters/duckdb/open-database.ts'
import { fileUri } from '../adapters/spark/crawl-versions.ts'
import { crawlDbFolder } from '../adapters/spark/open-spark-stores.ts'
import { SparkExchange } from '../adapters/spark/spark-exchange.ts'
import { SparkSession } from '../adapters/spark/spark-session.ts'
import { wallClock } from '../base/clock.ts'
import { ConfigurationError } from '../base/crawl-error.ts'
import { diskFiles } from '../base/durable-files.ts'
import { withoutUndefined } from '../base/without-undefined.ts'
import type { TableCounts } from '../domain/crawldb/crawl-db-exchange.ts'
import { type SessionOptions, sessionSettings } from './crawl-session.ts'

export interface ConvertOptions
  extends Pick<SessionOptions, 'dir' | 'settings' | 'configFile' | 'command' | 'force'> {
  readonly to: 'duckdb' | 'spark'
  /** Keep the files of the old CrawlDb; no command uses them any more. @default false */
  readonly keep?: boolean
}

export interface ConvertedDb {
  readonly rows: TableCounts
  /** The old CrawlDb: a file, a folder, or a URI. */
  readonly old: string
}

/**
 * Moves the CrawlDb of a crawl directory to another engine. The new one counts when it is complete; then the old one is deleted. A process
 * that is killed before leaves the old one as it was.
 * @returns `undefined` if the CrawlDb is on that engine already
 * @throws CrawlDirectoryMissing, CrawlDirectoryLocked, SparkUnavailable, RowsLost
 */
export async function convertCrawlDb(options: ConvertOptions): Promise<ConvertedDb | undefined> {
  const { to, command, force = false, keep = false } = options
  const dir = resolve(options.dir)
  const { settings } = await sessionSettings({ loadsCode: true, ...options })
  if (!existsSync(join(dir, DATABASE_FILE)) && !existsSync(join(dir, ENGINE_FILE)))
    throw new CrawlDirectoryMissing(`there is no crawl in ${dir}: create one with orbweaver inject`)
  const lock = takeCrawlLock(join(dir, LOCK_FILE), { command, force, now: wallClock.now() })
  const folder = join(dir, '.tmp', 'convert')
  try {
    const stored = await readStoredEngine(dir)
    if ((stored === undefined ? 'duckdb' : 'spark') === to) return undefined
    await rm(folder, { recursive: true, force: true })
    const spark = { ...stored, ...settings.engine.spark }
    const memory = withoutUndefined({ memoryMb: settings.memoryMb })
    return to === 'spark'
      ? await toSpark(dir, folder, spark, memory, keep)
      : await toDuckDb(dir, folder, spark, memory, keep)
  } finally {
    await rm(folder, { recursive: true, force: true })
    lock.release()
  }
}

type SparkSettings = StoredEngine &
  Parameters<typeof SparkSession.start>[0] & { readonly buckets?: number; readonly keepVersions?: number }

interface Memory {
  readonly memoryMb?: number
}

async function toSpark(
  dir: string,
  folder: string,
  spark: SparkSettings,
  memory: Memory,
  keep: boolean,
): Promise<ConvertedDb> {
  const file = join(dir, DATABASE_FILE)
  const rows = await using(DuckExchange.open(file, memory), async (source) => {
    if (await source.hasSpider())
      throw new ConfigurationError(
        'CRAWL_MISMATCH',
        `${dir} has requests or items of a spider, and spiders do not run on Spark. Nothing was changed; use another directory for the crawl on Spark`,
      )
    return source.exportTables(folder)
  })
  await withSpark(dir, spark, (target) => target.importTables(folder, rows))
  const { master, submit, node, package: packageFolder, crawldb } = spark
  await writeStoredEngine(dir, withoutUndefined({ master, submit, node, package: packageFolder, crawldb }))
  if (!keep) for (const old of [file, `${file}.wal`]) await rm(old, { force: true })
  return { rows, old: file }
}

async function toDuckDb(
  dir: string,
  folder: string,
  spark: SparkSettings,
  memory: Memory,
  keep: boolean,
): Promise<ConvertedDb> {
  const file = join(dir, DATABASE_FILE)
  const aside = `${file}.new`
  for (const old of [aside, `${aside}.wal`]) await rm(old, { force: true })
  return withSpark(dir, spark, async (source, session) => {
    const rows = await source.exportTables(folder)
    await using(DuckExchange.open(aside, memory), (target) => target.importTables(folder, rows))
    await diskFiles.sync(aside)
    await rm(`${file}.wal`, { force: true })
    await diskFiles.rename(aside, file)
    await diskFiles.sync(dir)
    await rm(join(dir, ENGINE_FILE))
    await diskFiles.sync(dir)
    const old = locationOf(dir, spark)
    if (!keep) await session.request('delete', { paths: [old] })
    return { rows, old }
  })
}

/** Calls `work` with the CrawlDb on Spark, and ends Spark. */
async function withSpark<T>(
  dir: string,
  spark: SparkSettings,
  work: (exchange: SparkExchange, session: SparkSession) => Promise<T>,
): Promise<T> {
  const session = await SparkSession.start(spark)
  try {
    const { buckets, keepVersions } = spark
    const versions = withoutUndefined({ buckets, keepVersions })
    return await using(SparkExchange.open(session, locationOf(dir, spark), versions), (exchange) =>
      work(exchange, session),
    )
  } finally {
    await session.close()
  }
}

function locationOf(dir: string, { crawldb }: SparkSettings): string {
  return crawldb?.replace(/\/+$/, '') ?? fileUri(crawlDbFolder(dir))
}

async function using<Resource extends { close(): Promise<void> }, T>(
  opening: Promise<Resource>,
  work: (resource: Resource) => Promise<T>,
): Promise<T> {
  const resource = await opening
  try {
    return await work(resource)
  } finally {
    await resource.close()
  }
}
