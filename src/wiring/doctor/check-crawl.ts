import { existsSync } from 'node:fs'
import { join } from 'node:path'
import {
  CrawlDirectoryLocked,
  CrawlDirectoryMissing,
  DatabaseUnreadable,
} from '../../adapters/crawl-directory/crawl-directory-error.ts'
import { ENGINE_FILE } from '../../adapters/crawl-directory/engine-file.ts'
import { ParquetSegments } from '../../adapters/duckdb/segments/parquet-segments.ts'
import { checkIndex, indexFile } from '../../adapters/sqlite-index/index-file.ts'
import { wallClock } from '../../base/clock.ts'
import { formatCount } from '../../base/format-values.ts'
import { withoutUndefined } from '../../base/without-undefined.ts'
import {
  type CrawlDiagnosis,
  compareSegments,
  diagnoseCrawl,
  repairSegments,
  type SegmentDifferences,
  type SegmentRepair,
} from '../../flows/cycle/diagnose-crawl.ts'
import { freeLostSegments } from '../../flows/cycle/unfinished-segments.ts'
import { openCrawlSegments } from '../crawl-segments.ts'
import { type SessionOptions, sessionSettings, withCrawl, withCrawlToRead } from '../crawl-session.ts'
import { checkStore, type StoreCheck } from './check-store.ts'
import { type Finding, ok, problem, warning } from './finding.ts'

export interface CrawlCheck {
  readonly findings: readonly Finding[]
  readonly diagnosis: CrawlDiagnosis
  readonly repair?: CrawlRepair
  /** One URL per host with a seed. Empty if the CrawlDb could not be read. */
  readonly seeds: readonly string[]
}

export interface CrawlRepair extends SegmentRepair {
  /** URLs of missing segments that are due again. */
  readonly freed: number
}

/** What could be read of the CrawlDb. */
function isCrawlDb(file: string): boolean {
  return file.endsWith('crawldb.duckdb') || file.endsWith(ENGINE_FILE)
}

interface CrawlDbFacts {
  /** Why it cannot be read. */
  readonly damage?: string
  /** The process that uses it. */
  readonly lockedBy?: string
  readonly seeds: readonly string[]
  readonly differences: SegmentDifferences
}

/**
 * Reads every file of a crawl directory, and compares the CrawlDb with the segments.
 * @param wantsRepair move damaged parts aside, and release the URLs of missing segments
 */
export async function checkCrawl(request: SessionOptions, wantsRepair: boolean): Promise<CrawlCheck> {
  const { dir } = request
  const file = ['crawldb.duckdb', ENGINE_FILE].map((name) => join(dir, name)).find((path) => existsSync(path))
  if (file === undefined)
    throw new CrawlDirectoryMissing(
      `there is no crawl in ${dir}: ${join(dir, 'crawldb.duckdb')} does not exist`,
    )
  const { settings } = await sessionSettings({ loadsCode: false, ...request })
  const { folder, store, ...place } = await openCrawlSegments(dir, settings, 'read')
  const parquet = await ParquetSegments.open(dir, { folder })
  let storeCheck: StoreCheck | undefined
  let facts: CrawlDbFacts
  let diagnosis: CrawlDiagnosis
  try {
    storeCheck = store && (await checkStore(store))
    const segments = storeCheck?.isReadable === false ? undefined : parquet
    facts = await crawlDbFacts(request, segments)
    const crawlDb = { file, check: async () => facts.damage }
    const index = { file: indexFile(dir), check: async () => checkIndex(dir) }
    diagnosis = await diagnoseCrawl(
      segments ?? NO_FILES,
      existsSync(index.file) ? [crawlDb, index] : [crawlDb],
    )
  } finally {
    parquet.close()
    await place.close()
  }
  const repair = wantsRepair ? await repairCrawl(request, diagnosis, facts) : undefined
  const findings = [
    ...databaseFindings(diagnosis, facts),
    ...(storeCheck === undefined ? [] : [storeCheck.finding]),
    ...(storeCheck?.isReadable === false ? [] : segmentFindings(dir, diagnosis, repair, wantsRepair)),
    ...differenceFindings(dir, facts.differences, repair),
  ]
  return { findings, diagnosis, seeds: facts.seeds, ...withoutUndefined({ repair }) }
}

const NO_FILES: Pick<ParquetSegments, 'checkFiles'> = { async *checkFiles() {} }

/** @param segments `undefined`: they cannot be read now */
async function crawlDbFacts(
  request: SessionOptions,
  segments: ParquetSegments | undefined,
): Promise<CrawlDbFacts> {
  const nothing = { seeds: [], differences: { missing: [], unknown: [], unfinished: [] } }
  try {
    return await withCrawlToRead(request, async ({ db, reader }) => {
      await reader.check()
      const differences = segments === undefined ? nothing.differences : await compareSegments(db, segments)
      return { seeds: await db.seeds(), differences }
    })
  } catch (error) {
    if (error instanceof DatabaseUnreadable) return { ...nothing, damage: error.message }
    if (error instanceof CrawlDirectoryLocked) return { ...nothing, lockedBy: error.message }
    throw error
  }
}

async function repairCrawl(
  request: SessionOptions,
  { unreadable, damagedDatabases }: CrawlDiagnosis,
  { differences }: CrawlDbFacts,
): Promise<CrawlRepair | undefined> {
  if (damagedDatabases.length > 0 || unreadable.length + differences.missing.length === 0) return undefined
  return withCrawl(request, async ({ db, segments }) => {
    const freed = await freeLostSegments(db, segments)
    if (unreadable.length === 0) return { folder: '', parts: 0, urls: 0, freed }
    return { ...(await repairSegments(db, segments, unreadable, wallClock.now())), freed }
  })
}

function databaseFindings(
  { databases, damagedDatabases }: CrawlDiagnosis,
  { lockedBy }: CrawlDbFacts,
): Finding[] {
  const damaged = new Set(damagedDatabases.map(({ file }) => file))
  return [
    ...(lockedBy === undefined
      ? []
      : [warning('CrawlDb', `not checked: ${lockedBy}`, 'Run this check again when the process has ended.')]),
    ...databases
      .filter((file) => !damaged.has(file) && !(lockedBy !== undefined && isCrawlDb(file)))
      .map((file) => ok('database', file)),
    ...damagedDatabases.map(({ file, reason }) =>
      problem(
        'database',
        reason,
        isCrawlDb(file)
          ? 'Restore it from a backup, or move it away, inject the seeds again and merge the segments with orbweaver updatedb.'
          : 'Delete the index and create it again with orbweaver index.',
      ),
    ),
  ]
}

function segmentFindings(
  dir: string,
  { files, unreadable, damagedDatabases }: CrawlDiagnosis,
  repair: CrawlRepair | undefined,
  wantsRepair: boolean,
): Finding[] {
  if (unreadable.length === 0) return [ok('segments', `${formatCount(files, 'file')} read: no damage`)]
  if (repair !== undefined)
    return [
      ok(
        'segments',
        `moved ${formatCount(repair.parts, 'part')} to ${repair.folder}; ${formatCount(repair.urls, 'URL')} will be fetched again by the next crawl or fetch`,
      ),
    ]
  const remedy =
    wantsRepair && damagedDatabases.length > 0
      ? 'Not repaired: repair the databases first.'
      : `To move the part aside and fetch its pages again: orbweaver doctor ${dir} --repair`
  return unreadable.map(({ file, reason }) =>
    problem('segments', `${file} cannot be read: ${reason}`, remedy),
  )
}

function differenceFindings(
  dir: string,
  { missing, unknown, unfinished }: SegmentDifferences,
  repair: CrawlRepair | undefined,
): Finding[] {
  const findings: Finding[] = []
  if (missing.length > 0)
    findings.push(
      repair === undefined
        ? problem(
            'CrawlDb',
            `${names(missing)} not on disk, and their URLs wait for a result`,
            `To release the URLs: orbweaver doctor ${dir} --repair`,
          )
        : ok(
            'CrawlDb',
            `released ${formatCount(repair.freed, 'URL')} of ${names(missing)} no longer on disk`,
          ),
    )
  if (unknown.length > 0)
    findings.push(
      warning(
        'CrawlDb',
        `${names(unknown)} not in the CrawlDb`,
        `To merge the results: orbweaver updatedb ${dir} ${unknown.join(' ')}`,
      ),
    )
  if (unfinished.length > 0)
    findings.push(ok('CrawlDb', `${names(unfinished)} not finished; the next crawl resumes there`))
  return findings
}

const MAX_NAMES = 3

/** `segment 20260101000000 is`, `5 segments (20260101000000, …) are` */
function names(segments: readonly string[]): string {
  if (segments.length === 1) return `segment ${segments[0]} is`
  const listed = segments.slice(0, MAX_NAMES).join(', ')
  return `${segments.length} segments (${listed}${segments.length > MAX_NAMES ? ', …' : ''}) are`
}
