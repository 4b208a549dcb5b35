import type { DurableFiles } from '../../../base/durable-files.ts'
import { writeByName } from '../../../base/durable-files.ts'
import { metadataOf } from '../../../domain/crawldb/record-row.ts'
import type { AiUse, AiUsePreferences } from '../../../domain/robots/ai-use.ts'
import { type ExportedPages, exclusionReason } from '../../../domain/segment/page-sink.ts'
import { SEGMENT_COLUMNS } from '../../../domain/segment/segment-columns.ts'
import type { LinkRow } from '../../../domain/segment/segment-rows.ts'
import type { PageFilter, RecordedPage, UnparsedPage } from '../../../domain/segment/segment-store.ts'
import type { SegmentFiles } from '../../crawl-directory/segment-files.ts'
import type { SegmentFolder } from '../../crawl-directory/segment-folder.ts'
import { type Session, sqlList, sqlText } from '../session.ts'
import {
  filesOfGroup,
  isOf,
  lastInPart,
  latestRows,
  locateBodies,
  locatedIn,
  locateFetches,
  type PartGroup,
  rowsOf,
  segmentSource,
} from './segment-source.ts'
import { contentRowOf, fetchRowOf, linkRowOf, parseDataRowOf, type StoredRow } from './stored-rows.ts'

/** Files by segment name. */
export type FilesBySegment = ReadonlyMap<string, SegmentFiles>

/** A page, with the score and metadata of its fetch list entry if they were requested. */
export interface StoredFetch {
  readonly page: RecordedPage
  readonly score: number | null
  /** JSON. */
  readonly metadata: string | null
}

/**
 * Creates the temporary table `wanted_fetches (segment, part, part_row, url, score, metadata)`: for each URL the newest row that passes
 * `filter`, that is, the last row of the last part of the newest segment. Score and metadata are NULL.
 */
export async function selectFetches(
  session: Session,
  segments: FilesBySegment,
  { url, statuses }: PageFilter,
): Promise<void> {
  const conditions = [
    ...(url === undefined ? [] : [`url = ${sqlText(url)}`]),
    ...(statuses === undefined ? [] : [`list_contains(${sqlList(statuses)}::VARCHAR[], status)`]),
  ]
  const where = conditions.length === 0 ? '' : `WHERE ${conditions.join(' AND ')}`
  const rows = Array.from(
    segments,
    ([name, files]) =>
      `SELECT ${sqlText(name)} AS segment, part, part_row, url, NULL::DOUBLE AS score, NULL::VARCHAR AS metadata
      FROM ${segmentSource('crawl_fetch', files.crawl_fetch)} ${where}`,
  )
  await session.run(`
    CREATE OR REPLACE TEMP TABLE wanted_fetches AS
    FROM (${rows.join(' UNION ALL ')})
    QUALIFY row_number() OVER (PARTITION BY url ORDER BY segment DESC, part DESC, part_row DESC) = 1`)
}

/**
 * The pages of `wanted_fetches`, oldest first, a few parts at a time, so that memory does not grow with the segment. The caller holds the
 * files of `crawl_fetch`.
 */
export async function* readFetches(
  session: Session,
  folder: Pick<SegmentFolder, 'hold'>,
  segments: FilesBySegment,
  wanted: Pick<PageFilter, 'content' | 'body' | 'links' | 'outlinks'>,
): AsyncGenerator<StoredFetch[]> {
  for (const [segment, files] of segments) {
    const read = {
      ...files,
      ...(wanted.links === false && { crawl_parse: [] }),
      ...(wanted.content === false && { content: [] }),
    }
    for (const group of await locateFetches(session, segment, files)) {
      const release = await folder.hold(filesOfGroup(group, read))
      try {
        await locateBodies(session, group, read)
        const sql = pagesSql(group, read, wanted)
        for await (const rows of session.stream<PageRow>(sql))
          yield rows.map((row) => storedFetchOf(segment, row))
      } finally {
        release()
      }
    }
  }
}

/** Rows are returned as JSON: for a page with 60 links that is three times as fast as reading value by value. */
function pagesSql(
  group: PartGroup,
  files: SegmentFiles,
  { body = true, outlinks = true }: Pick<PageFilter, 'body' | 'outlinks'>,
): string {
  const contentColumnNames = Object.keys(SEGMENT_COLUMNS.content).filter((column) => column !== 'body')
  const dataColumnNames = Object.keys(SEGMENT_COLUMNS.parse_data).filter(
    (column) => outlinks || (column !== 'outlinks' && column !== 'anchors'),
  )
  return `
    SELECT to_json(f)::VARCHAR AS fetch, t.text AS text, d.json AS data, l.json AS links, c.json AS response, c.body AS body,
      v.score AS score, v.metadata AS metadata
    FROM ${locatedIn(group)} v
    JOIN ${rowsOf('crawl_fetch', group, files)} f ON ${isOf('crawl_fetch', 'f')}
    LEFT JOIN ${rowsOf('parse_text', group, files)} t ON ${isOf('parse_text', 't')}
    LEFT JOIN (
      SELECT part, url, to_json(struct_pack(${dataColumnNames.join(', ')}))::VARCHAR AS json
      FROM ${rowsOf('parse_data', group, files)}
    ) d ON ${isOf('parse_data', 'd')}
    LEFT JOIN (
      SELECT part, from_url, to_json(list(x))::VARCHAR AS json
      FROM ${rowsOf('crawl_parse', group, files)} x GROUP BY part, from_url
    ) l ON ${isOf('crawl_parse', 'l')}
    LEFT JOIN (
      SELECT part, part_row, ${body ? 'body' : 'NULL::BLOB AS body'},
        to_json(struct_pack(${contentColumnNames.join(', ')}))::VARCHAR AS json
      FROM ${rowsOf('content', group, files)}
    ) c ON ${isOf('content', 'c')}
    ORDER BY v.part, v.part_row`
}

interface PageRow {
  /** JSON, as are `data`, `links` and `response`. */
  readonly fetch: string
  readonly text: string | null
  readonly data: string | null
  readonly links: string | null
  readonly response: string | null
  readonly body: Uint8Array | null
  readonly score: number | null
  readonly metadata: string | null
}

/** Sorted here: sorting 60 links costs less in JavaScript than a sorted list per page in SQL. */
function linksOf(json: string): LinkRow[] {
  const rows = JSON.parse(json) as Array<StoredRow & { readonly part_row: number }>
  return rows.sort((a, b) => a.part_row - b.part_row).map(linkRowOf)
}

function storedFetchOf(segment: string, row: PageRow): StoredFetch {
  const { text, data, links, response, body, score, metadata } = row
  const fetch = fetchRowOf(JSON.parse(row.fetch) as StoredRow)
  const page: RecordedPage = {
    segment,
    fetch,
    ...(response !== null && { content: contentRowOf(JSON.parse(response) as StoredRow, body) }),
    ...(text !== null && { parseText: { url: fetch.url, text } }),
    ...(data !== null && { parseData: parseDataRowOf(JSON.parse(data) as StoredRow) }),
    ...(links !== null && { links: linksOf(links) }),
  }
  return { page, score, metadata }
}

/** Fetched pages without parse data, with the score and metadata of their fetch list entry. */
export async function* readUnparsed(
  session: Session,
  folder: Pick<SegmentFolder, 'hold'>,
  name: string,
  files: SegmentFiles,
): AsyncGenerator<UnparsedPage[]> {
  await session.run(`
    CREATE TEMP TABLE wanted_fetches AS
    WITH origins AS (${originsSql(files)})
    SELECT ${sqlText(name)} AS segment, f.part, f.part_row, f.url, o.score, o.metadata
    FROM ${latestRows('crawl_fetch', files.crawl_fetch)} f
    LEFT JOIN origins o ON o.url = f.url
    WHERE f.status = 'fetch_success'
      AND f.url NOT IN (SELECT url FROM ${segmentSource('parse_data', files.parse_data)})`)
  for await (const fetches of readFetches(session, folder, new Map([[name, files]]), { links: false })) {
    const unparsed: UnparsedPage[] = []
    for (const { page, score, metadata } of fetches) {
      const { content, fetch } = page
      if (content === undefined) continue
      unparsed.push({ content, fetch, score: score ?? 0, metadata: metadataOf(metadata) })
    }
    yield unparsed
  }
}

/** Score and metadata by URL: fetch list entries, and redirect targets with the values of the first URL of the chain. The hop limit ends loops. */
function originsSql(files: SegmentFiles): string {
  const fetches = `(SELECT url, redirected_from FROM ${latestRows('crawl_fetch', files.crawl_fetch)} WHERE redirected_from IS NOT NULL)`
  return `
    WITH RECURSIVE origins AS (
      SELECT url, score, metadata, 0 AS hops FROM ${segmentSource('crawl_generate', files.crawl_generate)}
      UNION ALL
      SELECT f.url, o.score, o.metadata, o.hops + 1 FROM ${fetches} f JOIN origins o ON o.url = f.redirected_from WHERE o.hops < 20
    )
    SELECT url, arg_min(score, hops) AS score, arg_min(metadata, hops) AS metadata FROM origins GROUP BY url`
}

/** The columns of an exported page and where they come from: f is crawl_fetch, d parse_data, t parse_text. A public interface. */
export const EXPORT_COLUMNS: Readonly<Record<string, string>> = {
  url: 'f.url',
  fetched_at: 'make_timestamptz(f.fetched_at * 1000)',
  status: 'f.status',
  http_status: 'f.http_status',
  content_type: 'f.content_type',
  title: 'd.title',
  description: 'd.description',
  language: 'd.language',
  canonical: 'd.canonical',
  noindex: 'd.noindex',
  text: 't.text',
  signature: 'f.signature',
  bytes: 'f.bytes',
  etag: 'f.etag',
  last_modified: 'f.last_modified',
  ai_use: 'f.ai_use',
  metadata: 'd.metadata',
  segment: 'v.segment',
}

/** Joins the rows of each page and writes them as one file. */
export async function exportParquet(
  session: Session,
  disk: DurableFiles,
  segments: FilesBySegment,
  file: string,
  filter: PageFilter,
  excludeRefused: readonly AiUse[],
): Promise<ExportedPages> {
  await selectFetches(session, segments, filter)
  const excluded = await removeRefused(session, segments, excludeRefused)
  const columns = Object.entries(EXPORT_COLUMNS).map(([name, source]) => `${source} AS ${name}`)
  const pages = Array.from(
    segments,
    ([segment, files]) => `
      SELECT ${columns.join(', ')}
      FROM (FROM wanted_fetches WHERE segment = ${sqlText(segment)}) v
      JOIN ${segmentSource('crawl_fetch', files.crawl_fetch)} f ON ${isOf('crawl_fetch', 'f')}
      LEFT JOIN ${lastInPart('parse_text', files.parse_text)} t ON ${isOf('parse_text', 't')}
      LEFT JOIN ${lastInPart('parse_data', files.parse_data)} d ON ${isOf('parse_data', 'd')}`,
  )
  const rows = pages.join(' UNION ALL ')
  const written = await writeByName(
    file,
    (path) => session.run(`COPY (${rows}) TO ${sqlText(path)} (FORMAT parquet, COMPRESSION zstd)`),
    disk,
  )
  return { pages: written, excluded }
}

/** Deletes the pages that refuse one of `uses` from `wanted_fetches`, and counts them by reason. */
async function removeRefused(
  session: Session,
  segments: FilesBySegment,
  uses: readonly AiUse[],
): Promise<Record<string, number>> {
  const excluded: Record<string, number> = {}
  if (uses.length === 0) return excluded
  const refuses = uses.map((use) => `(f.ai_use ->> '$.${use}') = 'disallow'`).join(' OR ')
  const refused = Array.from(
    segments,
    ([segment, files]) => `
      SELECT v.url, f.ai_use FROM (FROM wanted_fetches WHERE segment = ${sqlText(segment)}) v
      JOIN ${segmentSource('crawl_fetch', files.crawl_fetch)} f ON ${isOf('crawl_fetch', 'f')} WHERE ${refuses}`,
  )
  await session.run(`CREATE OR REPLACE TEMP TABLE refused AS ${refused.join(' UNION ALL ')}`)
  const counts = session.stream<{ ai_use: string; pages: number }>(
    'SELECT ai_use, count(*)::DOUBLE AS pages FROM refused GROUP BY ai_use',
  )
  for await (const batch of counts) {
    for (const { ai_use, pages } of batch) {
      const reason = exclusionReason({ aiUse: JSON.parse(ai_use) as AiUsePreferences }, uses) ?? ''
      excluded[reason] = (excluded[reason] ?? 0) + pages
    }
  }
  await session.run('DELETE FROM wanted_fetches WHERE url IN (SELECT url FROM refused)')
  return excluded
}
