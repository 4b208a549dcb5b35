import { basename } from 'node:path'
import type { Inlink, InvertRequest, InvertResult } from '../../domain/crawldb/link-db.ts'
import { holding, type SegmentFolder } from '../crawl-directory/segment-folder.ts'
import { fingerprint64Sql } from './fingerprint64-sql.ts'
import { hostSql } from './new-urls.ts'
import { type Session, sqlList, sqlText } from './session.ts'

/** Replaces the links of every page that was parsed in these segments, unless they come from a newer segment already. */
export async function invertLinks(
  session: Session,
  folder: SegmentFolder,
  request: InvertRequest,
): Promise<InvertResult> {
  const parsed = await parsedFiles(folder, request.segments)
  const files = request.onlyNew === true ? await newFiles(session, parsed) : parsed
  if (files.size === 0) return { pages: 0, links: 0 }
  await holding(folder, [...files.values()].flat(), () =>
    session.run(`CREATE TEMP TABLE sources AS ${newestPages(files)}`),
  )
  await session.run(`
    DELETE FROM sources WHERE EXISTS (
      SELECT 1 FROM links l WHERE l.from_fp = sources.fp AND l.from_url = sources.url AND l.segment > sources.segment)`)
  await session.begin()
  await session.run(`
    DELETE FROM links USING sources s WHERE links.from_fp = s.fp AND links.from_url = s.url`)
  const links = await session.run(`INSERT INTO links ${linksOf(request)}`)
  await recordParts(session, files)
  const dropped = await capLinks(session, request.maxInlinks ?? 10_000)
  const { count } = await session.one<{ count: number }>('SELECT count(*)::DOUBLE AS count FROM sources')
  return { pages: count, links: links - dropped }
}

export function inlinksOf(session: Session, url: string): Promise<Inlink[]> {
  return session.all<Inlink>(
    `SELECT from_url AS "from", anchor FROM links WHERE to_fp = ${fingerprint64Sql('$1::VARCHAR')} AND to_url = $1 ORDER BY from_url, anchor`,
    [url],
  )
}

/** The files of `parse_data`, by segment. */
async function parsedFiles(folder: SegmentFolder, segments: readonly string[]): Promise<FilesOfSegments> {
  const parsed = new Map<string, readonly string[]>()
  for (const segment of segments) {
    const files = (await folder.files(segment))?.parse_data ?? []
    if (files.length > 0) parsed.set(segment, files)
  }
  return parsed
}

/** Those that `invertLinks` has not read yet. */
async function newFiles(session: Session, parsed: FilesOfSegments): Promise<FilesOfSegments> {
  const parts = await session.all<{ segment: string; part: string }>(
    'SELECT segment, part FROM inverted_parts',
  )
  const inverted = new Set(parts.map(({ segment, part }) => `${segment}/${part}`))
  const left = Array.from(parsed, ([segment, files]): [string, readonly string[]] => [
    segment,
    files.filter((file) => !inverted.has(`${segment}/${basename(file)}`)),
  ])
  return new Map(left.filter(([, files]) => files.length > 0))
}

async function recordParts(session: Session, files: FilesOfSegments): Promise<void> {
  for (const [segment, paths] of files) {
    const names = sqlList(paths.map((path) => basename(path)))
    await session.run(`DELETE FROM inverted_parts WHERE segment = $1 AND list_contains(${names}, part)`, [
      segment,
    ])
    await session.run(`INSERT INTO inverted_parts SELECT $1, unnest(${names})`, [segment])
  }
}

type FilesOfSegments = ReadonlyMap<string, readonly string[]>

function newestPages(parsed: FilesOfSegments): string {
  const selects = Array.from(
    parsed,
    ([segment, files]) =>
      `SELECT url, outlinks, anchors, ${sqlText(segment)} AS segment, filename
       FROM read_parquet(${sqlList(files)}, union_by_name = true, filename = true)`,
  )
  return `
    SELECT ${fingerprint64Sql('url')} AS fp, url, outlinks, anchors, segment FROM (${selects.join(' UNION ALL ')})
    QUALIFY row_number() OVER (PARTITION BY url ORDER BY segment DESC, filename DESC) = 1`
}

function linksOf({
  ignoreInternal = true,
  ignoreExternal = false,
  maxAnchorLength = 100,
}: InvertRequest): string {
  const conditions = ['to_url <> from_url']
  if (ignoreInternal) conditions.push(`${hostSql('from_url')} <> ${hostSql('to_url')}`)
  if (ignoreExternal) conditions.push(`${hostSql('from_url')} = ${hostSql('to_url')}`)
  return `
    SELECT DISTINCT from_fp, from_url, ${fingerprint64Sql('to_url')}, to_url, anchor, segment
    FROM (
      SELECT fp AS from_fp, url AS from_url, segment, unnest(outlinks) AS to_url,
        coalesce(left(unnest(anchors), ${maxAnchorLength}), '') AS anchor
      FROM sources
    ) WHERE ${conditions.join(' AND ')}`
}

/** Keeps the oldest links. Returns how many were deleted. */
async function capLinks(session: Session, maxInlinks: number): Promise<number> {
  return session.run(`
    DELETE FROM links WHERE rowid IN (
      SELECT rowid FROM links
      WHERE to_fp IN (SELECT to_fp FROM links GROUP BY to_fp HAVING count(*) > ${maxInlinks})
      QUALIFY row_number() OVER (PARTITION BY to_fp, to_url ORDER BY segment, from_fp, anchor) > ${maxInlinks})`)
}
