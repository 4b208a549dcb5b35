import type { Settings } from '../adapters/config/config-schema.ts'
import { type SettingsSource, sourceForThreads } from '../adapters/config/load-settings.ts'
import { readStoredEngine } from '../adapters/crawl-directory/engine-file.ts'
import {
  type CrawlDirectory,
  type OpenOptions,
  openCrawlDirectory,
} from '../adapters/duckdb/open-crawl-directory.ts'
import { openCrawlDirectoryToRead } from '../adapters/duckdb/open-crawl-directory-to-read.ts'
import { ConfigurationError } from '../base/crawl-error.ts'

export interface EngineRequest extends OpenOptions {
  readonly source: SettingsSource
  readonly settings: Settings
}

/**
 * Opens a crawl directory with the engine of its CrawlDb: the one that the settings choose, else the one that the directory remembers,
 * else DuckDB.
 * @throws ConfigurationError if the CrawlDb of the directory has another engine
 */
export async function openWithEngine(
  dir: string,
  { source, settings, ...options }: EngineRequest,
  exclusive: boolean,
): Promise<CrawlDirectory> {
  const { kind, spark } = settings.engine
  const stored = await readStoredEngine(dir)
  const engine = kind ?? (spark !== undefined || stored !== undefined ? 'spark' : 'duckdb')
  if (engine === 'duckdb') return (exclusive ? openCrawlDirectory : openCrawlDirectoryToRead)(dir, options)
  requireForSpark(settings)
  // Loaded late: most crawls do not use it.
  const { needsDuckDb } = await import('../adapters/spark/needs-duckdb.ts')
  if (DUCKDB_COMMANDS.has(options.command)) throw needsDuckDb(options.command)
  const setting = exclusive ? duckDbSetting(settings) : undefined
  if (setting !== undefined) throw needsDuckDb(setting)
  const { openSparkDirectory, openSparkDirectoryToRead } = await import(
    '../adapters/spark/open-spark-directory.ts'
  )
  return (exclusive ? openSparkDirectory : openSparkDirectoryToRead)(dir, {
    ...options,
    spark: { ...stored, ...spark },
    settings: sourceForThreads(source, settings),
  })
}

/** Commands that only DuckDB implements. They are rejected before Spark starts, which may take a minute. */
const DUCKDB_COMMANDS: ReadonlySet<string> = new Set([
  ...['freegen', 'mergedb', 'mergelinkdb', 'updatehostdb'],
  ...['webgraph', 'linkrank', 'novelty'],
])

/** A setting of the steps that only DuckDB implements; `undefined`: none is set. */
function duckDbSetting({ links, novelty, hostDb }: Settings): string | undefined {
  if (links.inheritMetadata.length > 0) return 'links.inheritMetadata'
  if (novelty !== false) return 'novelty'
  if (hostDb.maxCountExpr !== undefined) return 'hostDb.maxCountExpr'
  return hostDb.delayExpr === undefined ? undefined : 'hostDb.delayExpr'
}

/** @throws ConfigurationError for settings that only DuckDB implements */
function requireForSpark({ schedule, links }: Settings): void {
  if (links.sitemaps)
    throw new ConfigurationError(
      'SETTING_INVALID',
      'links.sitemaps (--sitemaps) needs the DuckDB engine, and this CrawlDb is on Spark; give the sitemaps as seeds, or move it with orbweaver db convert --to duckdb',
    )
  const isPlanned = 'kind' in schedule ? schedule.kind === 'freshness' : schedule.planning !== undefined
  if (isPlanned)
    throw new ConfigurationError(
      'SETTING_INVALID',
      "schedule: 'freshness' needs the DuckDB engine, and this CrawlDb is on Spark; use 'adaptive', or move it with orbweaver db convert --to duckdb",
    )
}
