import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { ConfigurationError } from '../../base/crawl-error.ts'
import { withoutUndefined } from '../../base/without-undefined.ts'
import type { SettingsSource } from '../config/load-settings.ts'
import { writeStoredEngine } from '../crawl-directory/engine-file.ts'
import { type CrawlDirectory, type OpenOptions, withDirectoryLock } from '../duckdb/open-crawl-directory.ts'
import { openCrawlDirectoryToRead } from '../duckdb/open-crawl-directory-to-read.ts'
import { DATABASE_FILE } from '../duckdb/open-database.ts'
import type { CrawlRulesSource } from './crawl-rules.ts'
import { fileUri } from './crawl-versions.ts'
import { openSparkStores, type SparkStores } from './open-spark-stores.ts'
import { type SparkOptions, SparkSession } from './spark-session.ts'

export interface SparkDirectoryOptions extends OpenOptions {
  readonly spark: SparkOptions & {
    readonly crawldb?: string
    readonly buckets?: number
    readonly keepVersions?: number
  }
  /** How executors load the rules of the crawl. */
  readonly settings: SettingsSource
}

/**
 * Opens a crawl directory whose CrawlDb is on Spark for writing, and creates it on first use. Spark runs until it is closed.
 * @throws CrawlDirectoryLocked, DatabaseUnreadable, SparkUnavailable
 */
export function openSparkDirectory(path: string, options: SparkDirectoryOptions): Promise<CrawlDirectory> {
  return withDirectoryLock(path, options, async () => {
    checkEngine(path)
    const opened = await openSession(path, options, true)
    const { master, submit, node, package: folder, crawldb } = options.spark
    await writeStoredEngine(path, withoutUndefined({ master, submit, node, package: folder, crawldb }))
    const directory = { path, ...opened.stores, ...NO_SPIDER }
    return { directory, reads: () => directory, close: opened.close }
  })
}

/** The same for reading; see `openCrawlDirectoryToRead`. */
export function openSparkDirectoryToRead(
  path: string,
  options: SparkDirectoryOptions,
): Promise<CrawlDirectory> {
  return openCrawlDirectoryToRead(path, options, async () => {
    checkEngine(path)
    const { stores, close } = await openSession(path, options, false)
    return { path, ...stores, ...NO_SPIDER, showLive() {}, close }
  })
}

/** @throws ConfigurationError if the CrawlDb is in DuckDB */
function checkEngine(path: string): void {
  if (!existsSync(join(path, DATABASE_FILE))) return
  throw new ConfigurationError(
    'CRAWL_MISMATCH',
    `the CrawlDb of ${path} is in DuckDB, not on Spark: convert it with "orbweaver db convert ${path}", or do not choose the engine spark`,
  )
}

async function openSession(
  path: string,
  { spark, settings, segmentFolder }: SparkDirectoryOptions,
  recovers: boolean,
): Promise<{ stores: SparkStores; close(): Promise<void> }> {
  const session = await SparkSession.start(spark)
  try {
    const { crawldb, buckets, keepVersions } = spark
    const stores: SparkStores = await openSparkStores(session, path, {
      recovers,
      ...withoutUndefined({
        location: crawldb === undefined ? undefined : locationOf(crawldb),
        buckets,
        keepVersions,
        segmentFolder,
      }),
      rules: {
        source: async (): Promise<CrawlRulesSource> => ({ settings, seeds: await stores.db.seeds() }),
      },
    })
    return {
      stores,
      async close() {
        await stores.close()
        await session.close()
      },
    }
  } catch (error) {
    await session.close()
    throw error
  }
}

/** The URI of an address in the settings, which may be a path on this machine. */
function locationOf(crawldb: string): string {
  const address = crawldb.replace(/\/+$/, '').replace(/^file:\/*/, '/')
  return /^[a-z][a-z0-9+.-]*:/.test(address) ? address : fileUri(resolve(address))
}

/** Spiders have their queue and items in DuckDB or in Redis. */
const NO_SPIDER = {
  items: { items: async () => [], rejected: async () => [] },
  deadLetters: { failed: async () => [], retryFailed: async () => 0 },
  frontier(): never {
    throw new ConfigurationError(
      'CRAWL_MISMATCH',
      'spiders do not run on Spark: use another directory for them, or --redis',
    )
  },
}
