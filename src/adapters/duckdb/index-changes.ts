import { isDbStatus, statusCode, statusName } from '../../domain/crawldb/crawl-status.ts'
import { metadataOf } from '../../domain/crawldb/record-row.ts'
import { type IndexedLink, NOT_FOR_AN_INDEX } from '../../domain/indexing/index-document.ts'
import type { ChangedPage, ChangesRequest } from '../../domain/indexing/index-ledger.ts'
import type { FetchRowStatus } from '../../domain/segment/segment-rows.ts'
import type { SegmentFiles } from '../crawl-directory/segment-files.ts'
import type { SegmentFolder } from '../crawl-directory/segment-folder.ts'
import { fingerprint64Sql } from './fingerprint64-sql.ts'
import { type FilesBySegment, readFetches, type StoredFetch } from './segments/read-pages.ts'
import { segmentSource } from './segments/segment-source.ts'
import { type Session, sqlList, sqlText } from './session.ts'

/**
 * The pages that changed since they were last written to an index, with the data of their documents.
 *
 * One table joins the newest fetch of each page, its record and its inlinks, with a fingerprint of them; a page whose fingerprint equals
 * that in the ledger is unchanged. The query scans all fetches and links, but reads the texts of changed pages only.
 */
export async function* findIndexChanges(
  session: Session,
  folder: SegmentFolder,
  target: string,
  request: UnfinishedRequest,
): AsyncGenerator<ChangedPage[]> {
  const segments = await segmentFilesOf(folder)
  const read = segments.values().flatMap(({ crawl_fetch }) => crawl_fetch)
  const release = await folder.hold([...read])
  try {
    yield* changesIn(session, folder, segments, target, request)
  } finally {
    release()
  }
}

async function* changesIn(
  session: Session,
  folder: SegmentFolder,
  segments: FilesBySegment,
  target: string,
  request: UnfinishedRequest,
): AsyncGenerator<ChangedPage[]> {
  await session.run(`CREATE TEMP TABLE newest AS ${newestFetches(segments)}`)
  await session.run(`CREATE TEMP TABLE called AS ${anchorTexts(request)}`)
  await session.run(`CREATE TEMP TABLE pages AS ${currentPages(request.rules)}`)
  await session.run('DROP TABLE newest; DROP TABLE called')
  const wanted = wantedPages(target, request)
  await session.run(
    `CREATE TEMP TABLE gone AS SELECT url, status, inputs, was_indexed FROM ${wanted} WHERE unwanted`,
  )
  if (request.segments === undefined) await session.run(`INSERT INTO gone ${forgottenPages(target)}`)
  for await (const rows of session.stream<GonePage>(
    'SELECT url, status, inputs::VARCHAR AS inputs, was_indexed FROM gone',
  ))
    yield rows.map(goneOf)
  await session.run(`CREATE TEMP TABLE wanted_fetches AS
    SELECT segment, part, part_row, url, score::DOUBLE AS score,
      to_json({status: status, inputs: inputs::VARCHAR, metadata: metadata, anchors: anchors, cluster: cluster, inlinks: inlinks,
        was_indexed: was_indexed, may_be_indexed: may_be_indexed})::VARCHAR AS metadata
    FROM ${wanted} WHERE NOT unwanted`)
  await session.run('DROP TABLE pages')
  for await (const fetches of readFetches(session, folder, segments, {
    ...{ content: request.content, body: request.body ?? false },
    ...{ links: false, outlinks: request.outlinks ?? false },
  }))
    yield fetches.map(changedOf)
}

interface UnfinishedRequest extends ChangesRequest {
  /** Whether the index may have pages that the ledger does not know of. */
  readonly unfinished: boolean
}

/** Statuses of fetches that decide about the content of a page. */
export const TELLING: readonly FetchRowStatus[] = [
  ...(['fetch_success', 'parse_failed', 'fetch_gone', 'fetch_redir_temp', 'fetch_redir_perm'] as const),
]

const UNWANTED = NOT_FOR_AN_INDEX.map(statusCode).join(', ')

function newestFetches(segments: FilesBySegment): string {
  const fetches = Array.from(
    segments,
    ([name, { crawl_fetch }]) =>
      `SELECT ${sqlText(name)} AS segment, part, part_row, url, status, fetched_at, signature
       FROM ${segmentSource('crawl_fetch', crawl_fetch)} WHERE list_contains(${sqlList(TELLING)}, status)`,
  )
  const none = `SELECT '' AS segment, part, part_row, url, status, fetched_at, signature FROM ${segmentSource('crawl_fetch', [])}`
  return `
    SELECT *, ${fingerprint64Sql('url')} AS fp FROM (${[none, ...fetches].join(' UNION ALL ')})
    QUALIFY row_number() OVER (PARTITION BY url ORDER BY segment DESC, part DESC, part_row DESC) = 1`
}

/** A text with which links lead to more pages than this names none of them: “Next”, “here”. */
export const MAX_NAMED_PAGES = 50

function anchorTexts({ maxAnchors, maxInlinks = 0 }: ChangesRequest): string {
  const anchors = `
    SELECT to_fp AS fp, to_url AS url, list(anchor ORDER BY uses DESC, anchor)[1:${maxAnchors}] AS anchors
    FROM (
      FROM (SELECT to_fp, to_url, trim(anchor) AS anchor, count(*) AS uses FROM links GROUP BY ALL)
      QUALIFY count(*) OVER (PARTITION BY lower(anchor)) <= ${MAX_NAMED_PAGES}
    )
    WHERE anchor <> '' GROUP BY ALL`
  if (maxInlinks === 0) return `SELECT *, NULL::VARCHAR AS inlinks FROM (${anchors})`
  const inlinks = `
    SELECT to_fp AS fp, to_url AS url, to_json(list({url: from_url, anchor: trim(anchor)} ORDER BY from_url, anchor)[1:${maxInlinks}])::VARCHAR AS inlinks
    FROM (SELECT DISTINCT to_fp, to_url, from_url, anchor FROM links) GROUP BY ALL`
  return `SELECT * FROM (${inlinks}) LEFT JOIN (${anchors}) USING (fp, url)`
}

/**
 * Every page that was fetched or whose status removes it from an index. The status of the record counts if the record is as new as the
 * fetch. Scores change with every new link, so they are rounded: only a change by about half, a fifth of the boost, counts.
 * The order of anchor texts does not count: it changes with every link.
 */
function currentPages(rules: string): string {
  return `
    SELECT *, coalesce(status IN (${UNWANTED}), false) AS unwanted,
      ${fingerprint64Sql(`concat_ws(' ', ${sqlText(rules)}, CASE WHEN status IN (${UNWANTED}) THEN status END, fetch_status, fetched_at, signature,
        round(2 * log2(greatest(score, 1e-6)))::INTEGER, to_json(list_sort(anchors)), cluster, inlinks)`)} AS inputs
    FROM (
      SELECT coalesce(n.fp, u.fp) AS fp, coalesce(n.url, u.url) AS url, n.segment, n.part, n.part_row, n.status AS fetch_status,
        n.fetched_at, n.signature, coalesce(u.score, 1) AS score, u.metadata, a.anchors, a.inlinks,
        printf('%016x', p.cluster) AS cluster,
        CASE WHEN n.url IS NULL OR u.last_fetch_time >= n.fetched_at THEN u.status END AS status
      FROM newest n
      FULL JOIN (FROM urls WHERE last_fetch_time > 0 OR status IN (${UNWANTED})) u ON u.fp = n.fp AND u.url = n.url
      LEFT JOIN near_pages p ON p.fp = coalesce(n.fp, u.fp) AND p.cluster IS NOT NULL
      LEFT JOIN called a ON a.fp = coalesce(n.fp, u.fp) AND a.url = coalesce(n.url, u.url)
    )`
}

/** The rows of `pages` that changed for this index. */
function wantedPages(target: string, { all, segments, unfinished }: UnfinishedRequest): string {
  const inSegments =
    segments === undefined ? 'true' : `list_contains(${sqlList(segments)}::VARCHAR[], p.segment)`
  const news = all
    ? 'p.unwanted OR p.part IS NOT NULL'
    : `CASE WHEN p.unwanted THEN coalesce(l.indexed, ${unfinished}) ELSE p.part IS NOT NULL AND l.inputs IS DISTINCT FROM p.inputs END`
  return `(
    SELECT p.*, coalesce(l.indexed, false) AS was_indexed, ${unfinished} OR was_indexed AS may_be_indexed
    FROM pages p LEFT JOIN (FROM indexed_pages WHERE target = ${sqlText(target)}) l ON l.fp = p.fp AND l.url = p.url
    WHERE ${inSegments} AND (${news}))`
}

/** Indexed pages that are no longer in the CrawlDb or in a segment. */
function forgottenPages(target: string): string {
  return `
    SELECT l.url, NULL, l.inputs, l.indexed FROM indexed_pages l
    ANTI JOIN pages p ON p.fp = l.fp AND p.url = l.url
    ANTI JOIN urls u ON u.fp = l.fp AND u.url = l.url
    WHERE l.target = ${sqlText(target)} AND l.indexed`
}

export interface GonePage {
  readonly url: string
  readonly status: number | null
  readonly inputs: string
  readonly was_indexed: boolean
}

export function goneOf({ url, status, inputs, was_indexed: wasIndexed }: GonePage): ChangedPage {
  return {
    url,
    inputs,
    wasIndexed,
    mayBeIndexed: true,
    ...statusOf(status),
    score: 0,
    metadata: {},
    anchors: [],
  }
}

/** Details of a fetch, stored as JSON in the column `metadata`. */
interface FetchDetails {
  readonly status: number | null
  readonly inputs: string
  readonly metadata: string | null
  readonly anchors: readonly string[] | null
  /** Absent on Spark. */
  readonly cluster?: string | null
  /** JSON. */
  readonly inlinks?: string | null
  readonly was_indexed: boolean
  readonly may_be_indexed: boolean
}

export function changedOf({ page, score, metadata: details }: StoredFetch): ChangedPage {
  const { status, inputs, metadata, anchors, cluster, inlinks, ...indexed } = JSON.parse(
    details ?? '{}',
  ) as FetchDetails
  const { url } = page.fetch
  const known = {
    ...statusOf(status),
    score: score ?? 1,
    metadata: metadataOf(metadata),
    anchors: anchors ?? [],
    ...(typeof cluster === 'string' && { cluster }),
    ...(typeof inlinks === 'string' && { inlinks: JSON.parse(inlinks) as IndexedLink[] }),
  }
  const ledger = { wasIndexed: indexed.was_indexed, mayBeIndexed: indexed.may_be_indexed }
  return { url, inputs, ...ledger, ...known, page }
}

function statusOf(code: number | null): Pick<ChangedPage, 'status'> {
  const status = code === null ? undefined : statusName(code)
  return status !== undefined && isDbStatus(status) ? { status } : {}
}

/** The files of all segments, by their names. */
export async function segmentFilesOf(folder: SegmentFolder): Promise<FilesBySegment> {
  const segments = new Map<string, SegmentFiles>()
  for (const name of await folder.list()) {
    const files = await folder.files(name)
    if (files !== undefined) segments.set(name, files)
  }
  return segments
}
