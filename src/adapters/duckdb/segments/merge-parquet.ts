import { mkdir, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { VARCHAR } from '@duckdb/node-api'
import { appendAll } from '../../../base/append-all.ts'
import type { DurableFiles } from '../../../base/durable-files.ts'
import type { MergeResult, SegmentMergeOptions } from '../../../domain/segment/segment-merger.ts'
import { CONTENT_STATUSES, type FetchRowStatus } from '../../../domain/segment/segment-rows.ts'
import { type PartName, partFile, segmentName, writeMerge } from '../../crawl-directory/segment-files.ts'
import { holding, type SegmentFolder } from '../../crawl-directory/segment-folder.ts'
import type { PartDirectory } from '../../crawl-directory/segment-tables.ts'
import { fingerprint64Sql } from '../fingerprint64-sql.ts'
import { type Session, sqlList, sqlText } from '../session.ts'
import { temporaryName } from '../write-fetch-lists.ts'
import type { FilesBySegment } from './read-pages.ts'
import {
  filesOfGroup,
  isOf,
  locateBodies,
  locatedIn,
  locateFetches,
  type PartGroup,
  rowsOf,
  segmentSource,
} from './segment-source.ts'

/** Statuses of fetches that decide about the content of a page. */
const TELLING: readonly FetchRowStatus[] = [
  ...CONTENT_STATUSES,
  'fetch_redir_temp',
  'fetch_redir_perm',
  'fetch_gone',
]

/**
 * Writes the newest fetch of each URL of `segments` that decides about its content to new segments. They are written to
 * temporary directories, which are renamed when all are complete and on disk. Small parts are combined. The caller holds all files but the
 * large ones: `content`, `parse_text`, `parse_data`.
 */
export async function mergeParquet(
  session: Session,
  disk: DurableFiles,
  folder: SegmentFolder,
  segments: FilesBySegment,
  options: SegmentMergeOptions,
): Promise<MergeResult> {
  const segmentsPath = folder.path
  await renameUrls(session, segments, options.rewrite)
  const { pages, rows, slices } = await chooseFetches(session, segments, options.urlsPerSegment)
  const names = await freeNames(folder, options.now, slices)
  const temporaryOf = (name: string) => join(segmentsPath, temporaryName(name))
  try {
    for (const [slice, name] of names.entries()) {
      await rm(temporaryOf(name), { recursive: true, force: true })
      await writeSlice(session, disk, folder, temporaryOf(name), segments, slice)
      const merge = { from: [...segments.keys()], into: names, how: options.how ?? '' }
      await writeMerge(disk, temporaryOf(name), merge)
    }
    await options.onWritten?.(names)
    for (const name of names) await disk.rename(temporaryOf(name), join(segmentsPath, name))
  } catch (error) {
    for (const name of names) await rm(temporaryOf(name), { recursive: true, force: true })
    throw error
  }
  await disk.sync(segmentsPath)
  for (const name of names) await folder.publish(name)
  return { segments: names, pages, dropped: rows - pages }
}

/** Creates the table `renamed (url, new_url)`. URLs that are not in it are dropped. */
async function renameUrls(
  session: Session,
  segments: FilesBySegment,
  rewrite: ((url: string) => string | undefined) | undefined,
): Promise<void> {
  const urls = Array.from(
    segments.values(),
    (files) => `SELECT url FROM ${segmentSource('crawl_fetch', files.crawl_fetch)}
      UNION ALL SELECT url FROM ${segmentSource('crawl_parse', files.crawl_parse)}`,
  )
  const distinct = `SELECT DISTINCT url FROM (${urls.join(' UNION ALL ')})`
  if (rewrite === undefined) {
    await session.run(`CREATE TEMP TABLE renamed AS SELECT url, url AS new_url FROM (${distinct})`)
    return
  }
  await session.run(`CREATE TEMP TABLE found AS SELECT row_number() OVER () AS n, url FROM (${distinct})`)
  const renamed = await session.stage('renamed', { url: VARCHAR, new_url: VARCHAR })
  for await (const batch of session.batches<{ url: string }>('found')) {
    for (const { url } of batch) {
      const newUrl = rewrite(url)
      if (newUrl !== undefined) renamed.add(url, newUrl)
    }
  }
  renamed.close()
}

/** Creates the table `chosen`: fetches with the number of their new segment. */
async function chooseFetches(
  session: Session,
  segments: FilesBySegment,
  urlsPerSegment = Number.MAX_SAFE_INTEGER,
): Promise<{ pages: number; rows: number; slices: number }> {
  const rows = Array.from(
    segments,
    ([name, files]) =>
      `SELECT ${sqlText(name)} AS segment, part, part_row, url, status FROM ${segmentSource('crawl_fetch', files.crawl_fetch)}`,
  )
  await session.run(`CREATE TEMP TABLE fetched AS ${rows.join(' UNION ALL ')}`)
  await session.run(`
    CREATE TEMP TABLE chosen AS
    WITH newest AS (
      SELECT f.segment, f.part, f.part_row, f.url, r.new_url
      FROM fetched f JOIN renamed r ON r.url = f.url
      WHERE list_contains(${sqlList(TELLING)}, f.status)
      QUALIFY row_number() OVER (PARTITION BY r.new_url ORDER BY f.segment DESC, f.part DESC, f.part_row DESC) = 1
    )
    SELECT *, (row_number() OVER (ORDER BY segment, part, part_row) - 1) // ${urlsPerSegment} AS slice FROM newest`)
  return session.one(`
    SELECT count(*)::DOUBLE AS pages, (SELECT count(*) FROM fetched)::DOUBLE AS rows,
      coalesce(max(slice) + 1, 0)::DOUBLE AS slices
    FROM chosen`)
}

async function freeNames(folder: SegmentFolder, now: number, count: number): Promise<string[]> {
  const taken = new Set([...(await readdir(folder.path)), ...(await folder.list())])
  const names: string[] = []
  for (let at = now; names.length < count; at += 1_000) {
    const name = segmentName(at)
    if (!taken.has(name)) names.push(name)
  }
  return names
}

async function writeSlice(
  session: Session,
  disk: DurableFiles,
  folder: Pick<SegmentFolder, 'hold'>,
  path: string,
  segments: FilesBySegment,
  slice: number,
): Promise<void> {
  for (const directory of ['crawl_generate', ...COLUMNS.keys()])
    await mkdir(join(path, directory), { recursive: true })
  const written: string[] = []
  let sequence = 1
  await session.run(`CREATE OR REPLACE TEMP TABLE wanted_fetches AS FROM chosen WHERE slice = ${slice}`)
  for (const [segment, files] of segments) {
    for (const group of await locateFetches(session, segment, files)) {
      const part: PartName = { sequence: sequence++, writer: 'merge' }
      await holding(folder, filesOfGroup(group, files), async () => {
        await locateBodies(session, group, files)
        for (const [directory, columns] of COLUMNS) {
          const rows = mergedRows(directory, columns, group, rowsOf(directory, group, files))
          appendAll(written, await writeRows(session, rows, join(path, directory, partFile(part))))
        }
      })
    }
  }
  const lists = Array.from(
    segments,
    ([segment, files]) => `
      SELECT x.* EXCLUDE (part, part_row) REPLACE (v.new_url AS url, ${fingerprint64Sql('v.new_url')} AS fp)
      FROM wanted_fetches v JOIN ${segmentSource('crawl_generate', files.crawl_generate)} x ON x.url = v.url
      WHERE v.segment = ${sqlText(segment)}`,
  )
  const list = `FROM (${lists.join(' UNION ALL ')}) ORDER BY sort_value DESC, url`
  appendAll(written, await writeRows(session, list, join(path, 'crawl_generate', 'part-00000.parquet')))
  for (const file of written) await disk.sync(file)
  for (const directory of ['crawl_generate', ...COLUMNS.keys()]) await disk.sync(join(path, directory))
}

/** Columns of each directory that are replaced. */
const COLUMNS = new Map<PartDirectory, string>([
  ['content', 'v.new_url AS url'],
  ['parse_text', 'v.new_url AS url'],
  ['parse_data', 'v.new_url AS url'],
  ['crawl_parse', 'v.new_url AS from_url, r.new_url AS url'],
  ['crawl_fetch', 'v.new_url AS url'],
])

function mergedRows(directory: PartDirectory, columns: string, group: PartGroup, rows: string): string {
  const targets = directory === 'crawl_parse' ? 'JOIN renamed r ON r.url = x.url' : ''
  return `
    SELECT x.* EXCLUDE (part, part_row) REPLACE (${columns})
    FROM ${locatedIn(group)} v JOIN ${rows} x ON ${isOf(directory, 'x')} ${targets}
    ORDER BY x.part, x.part_row`
}

/** Returns the path; nothing if there were no rows. */
async function writeRows(session: Session, rows: string, file: string): Promise<string[]> {
  const count = await session.run(`COPY (${rows}) TO ${sqlText(file)} (FORMAT parquet, COMPRESSION zstd)`)
  if (count > 0) return [file]
  await rm(file)
  return []
}
