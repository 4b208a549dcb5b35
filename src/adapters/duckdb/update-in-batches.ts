import { DropCounter } from '../../base/drop-counts.ts'
import { Interrupted } from '../../base/interrupted.ts'
import type { UpdateRequest, UpdateResult } from '../../domain/crawldb/crawl-db-requests.ts'
import { holding, type SegmentFolder } from '../crawl-directory/segment-folder.ts'
import type { Database } from './database.ts'
import { divideParts, type PartBatch } from './divide-parts.ts'
import { readMemoryLimit } from './memory-limit.ts'
import { readMergedParts, type SegmentPart, unmergedParts } from './segment-progress.ts'
import { type Session, sqlList } from './session.ts'
import { type EventFiles, filesOfParts, mergeParts } from './update-urls.ts'

/**
 * Merges segments into `urls`. The memory of a merge grows with its links, so an update with many links is divided into batches of parts,
 * each in a transaction of its own. A stop or a crash undoes only the batch that is being merged; the next update merges the rest.
 * @param maxLinks per batch. @default as many as fit in the memory limit of the database
 */
export async function updateInBatches(
  database: Database,
  folder: SegmentFolder,
  request: UpdateRequest,
  maxLinks?: number,
): Promise<UpdateResult> {
  const merged = request.force === true ? [] : await database.read(readMergedParts)
  const parts = await unmergedParts(folder, request.segments, merged)
  const files = await filesOfParts(folder, parts)
  return holding(folder, filesToRead(files, request), async () => {
    const batches =
      parts.length > 1 && isDivisible(request)
        ? await database.read(async (session) => {
            const links = await countLinks(session, files.links)
            const most = maxLinks ?? (await readMemoryLimit(session)) / BYTES_PER_LINK
            return divideParts(parts, request.segments, (part) => links.get(keyOf(part)) ?? 0, most)
          })
        : [{ parts, segments: request.segments }]
    // The peak of the memory of a crawl is in a merge.
    await database.releaseFreedMemory()
    const result = await mergeBatches(database, folder, request, batches)
    await database.releaseFreedMemory()
    return result
  })
}

/** Files of `parse_data` are read only to learn from them. */
function filesToRead({ fetches, links, pages }: EventFiles, { novelty }: UpdateRequest): string[] {
  return [...fetches, ...links, ...(novelty === undefined ? [] : pages)]
}

/**
 * An orphan is a page without a link in the whole update, a judge judges all URLs each time, and for parts that are merged again no progress is
 * recorded.
 */
function isDivisible({ rules, judge, force }: UpdateRequest): boolean {
  return rules.orphans === undefined && judge === undefined && force !== true
}

/** Memory for a link to a new page with the listing of a sitemap, in all tables of a merge: 1,200 to 1,400 were measured. */
const BYTES_PER_LINK = 2048

/** The number of links in files of `crawl_parse`, by segment and part. */
async function countLinks(session: Session, files: readonly string[]): Promise<ReadonlyMap<string, number>> {
  if (files.length === 0) return new Map()
  const rows = await session.all<SegmentPart & { links: number }>(`
    SELECT parse_path(file_name)[-3] AS segment, parse_filename(file_name) AS part, num_rows::DOUBLE AS links
    FROM parquet_file_metadata(${sqlList(files)})`)
  return new Map(rows.map((row) => [keyOf(row), row.links]))
}

function keyOf({ segment, part }: SegmentPart): string {
  return `${segment}/${part}`
}

async function mergeBatches(
  database: Database,
  folder: SegmentFolder,
  request: UpdateRequest,
  batches: readonly PartBatch[],
): Promise<UpdateResult> {
  const results: UpdateResult[] = []
  for (const [i, batch] of batches.entries()) {
    const ofBatch = requestOfBatch(request, batch.segments, i === 0, i === batches.length - 1)
    try {
      results.push(
        await database.change(async (session) => {
          const parts = request.force === true ? batch.parts : await withoutMerged(session, batch.parts)
          return mergeParts(session, folder, parts, ofBatch)
        }, request.signal),
      )
    } catch (error) {
      if (!(error instanceof Interrupted)) throw error
      return { ...sumOf(results), partsLeft: batches.slice(i).flatMap(({ parts }) => parts).length }
    }
  }
  return sumOf(results)
}

/** What concerns all URLs is done once: deleting with the first batch, planning with the last. */
function requestOfBatch(
  { purgeGone, purgeOrphans, replan, ...request }: UpdateRequest,
  segments: readonly string[],
  isFirst: boolean,
  isLast: boolean,
): UpdateRequest {
  return {
    ...request,
    segments,
    ...(isFirst && { purgeGone: purgeGone === true, purgeOrphans: purgeOrphans === true }),
    ...(isLast && { replan: replan === true }),
  }
}

/** Another update may have merged some of the parts meanwhile. */
async function withoutMerged(session: Session, parts: readonly SegmentPart[]): Promise<SegmentPart[]> {
  const merged = new Set((await readMergedParts(session)).map(keyOf))
  return parts.filter((part) => !merged.has(keyOf(part)))
}

function sumOf(results: readonly UpdateResult[]): UpdateResult {
  const sum = (count: (result: UpdateResult) => number) =>
    results.reduce((total, result) => total + count(result), 0)
  const dropped = new DropCounter()
  for (const result of results) dropped.addAll(result.dropped)
  return {
    fetched: sum(({ fetched }) => fetched),
    links: sum(({ links }) => links),
    added: sum(({ added }) => added),
    changed: sum(({ changed }) => changed),
    purged: sum(({ purged }) => purged),
    parts: sum(({ parts }) => parts),
    hostsPutOff: sum(({ hostsPutOff }) => hostsPutOff),
    pending: Object.assign({}, ...results.map(({ pending }) => pending)),
    dropped: dropped.counts(),
  }
}
