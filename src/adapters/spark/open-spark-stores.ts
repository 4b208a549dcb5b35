import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { CrawlDb } from '../../domain/crawldb/crawl-db.ts'
import type { LinkDb } from '../../domain/crawldb/link-db.ts'
import type { IndexLedger } from '../../domain/indexing/index-ledger.ts'
import { LocalSegmentFolder, type SegmentFolder } from '../crawl-directory/segment-folder.ts'
import { recoverSegments } from '../duckdb/segment-progress.ts'
import { CrawlVersions, fileUri, type VersionsOptions } from './crawl-versions.ts'
import { RuleQueries, type RuleSource } from './rule-queries.ts'
import { SparkCrawlDb } from './spark-crawl-db.ts'
import { SparkCrawlDbReader } from './spark-crawl-db-reader.ts'
import { SparkIndexLedger } from './spark-index-ledger.ts'
import type { SparkSession } from './spark-session.ts'

export interface SparkStoresOptions extends VersionsOptions {
  readonly rules: RuleSource
  /** @default the folder `segments` of the crawl directory */
  readonly segmentFolder?: SegmentFolder
  /** Where the CrawlDb is: a URI that every executor can reach. @default the folder `crawldb` of the crawl directory */
  readonly location?: string
  /** Whether unfinished work of a killed process is completed or rolled back; the caller holds the lock. @default true */
  readonly recovers?: boolean
}

/** The CrawlDb of a crawl directory on Spark, and the ports next to it. */
export interface SparkStores {
  readonly segmentsPath: string
  readonly segmentFolder: SegmentFolder
  readonly db: CrawlDb
  readonly links: LinkDb
  readonly reader: SparkCrawlDbReader
  readonly indexLedger: IndexLedger
  /** Waits for pending changes. The session stays open. */
  close(): Promise<void>
}

/** Opens the CrawlDb of the crawl directory `path`; it is empty if there is none. @throws DatabaseUnreadable */
export async function openSparkStores(
  session: SparkSession,
  path: string,
  {
    rules,
    location,
    recovers = true,
    segmentFolder = new LocalSegmentFolder(join(path, 'segments')),
    ...options
  }: SparkStoresOptions,
): Promise<SparkStores> {
  const temporary = join(path, '.tmp')
  const paths = {
    segments: segmentFolder,
    seeds: join(temporary, 'seeds'),
    scratch: join(temporary, 'scratch'),
  }
  const versions = await CrawlVersions.open(session, location ?? fileUri(crawlDbFolder(path)), options)
  if (recovers) {
    await rm(temporary, { recursive: true, force: true })
    await recoverSegments(segmentFolder, new Set(versions.current.segments.map(({ name }) => name)))
  }
  const db = new SparkCrawlDb(versions, new RuleQueries(versions, rules), paths)
  return {
    segmentsPath: segmentFolder.path,
    segmentFolder,
    db,
    links: db,
    reader: new SparkCrawlDbReader(versions, paths.scratch),
    indexLedger: new SparkIndexLedger(versions, paths),
    close: () => versions.close(),
  }
}

/** The default folder of the CrawlDb in a crawl directory. */
export function crawlDbFolder(path: string): string {
  return join(path, 'crawldb')
}
