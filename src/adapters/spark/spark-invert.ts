import { appendAll } from '../../base/append-all.ts'
import type { Inlink, InvertRequest, InvertResult } from '../../domain/crawldb/link-db.ts'
import { holding, type SegmentFolder } from '../crawl-directory/segment-folder.ts'
import { fingerprintSql, hostInSpark, sparkText } from './crawl-tables.ts'
import type { CrawlVersions, NextVersion } from './crawl-versions.ts'
import { SEGMENT_TYPES } from './segment-types.ts'

/** Replaces the links of every page that was parsed in these segments, unless they come from a newer segment already. */
export async function invertOnSpark(
  next: NextVersion,
  folder: SegmentFolder,
  request: InvertRequest,
): Promise<InvertResult> {
  const files: string[] = []
  for (const segment of request.segments) appendAll(files, (await folder.files(segment))?.parse_data ?? [])
  if (files.length === 0) return { pages: 0, links: 0 }
  return holding(folder, files, () => invertFrom(next, files, request))
}

async function invertFrom(
  next: NextVersion,
  files: readonly string[],
  request: InvertRequest,
): Promise<InvertResult> {
  const { db } = next
  await db.viewFiles('parsed_pages', files, SEGMENT_TYPES.parse_data)
  const { pages } = await next.keep('sources', SOURCES, { pages: 'count(*)' })
  if (pages === 0) return { pages, links: 0 }
  await db.run(`CREATE OR REPLACE TEMP VIEW new_links AS ${linksOf(request)}`)
  const { links, dropped } = await next.keep('all_links', allLinks(request.maxInlinks ?? 10_000), {
    links: 'count_if(is_new)',
    dropped: 'count_if(NOT kept)',
  })
  await next.write('links', 'SELECT * FROM all_links WHERE kept')
  return { pages, links: links - dropped }
}

/** The last row of each page. */
const SOURCES = `
  SELECT s.* FROM (
    SELECT url, outlinks, anchors, element_at(split(file, '/'), -3) AS segment,
      row_number() OVER (PARTITION BY url ORDER BY element_at(split(file, '/'), -3) DESC, file DESC, file_row DESC) AS place
    FROM parsed_pages
  ) s LEFT ANTI JOIN links l ON l.from_url = s.url AND l.segment > s.segment
  WHERE s.place = 1`

function linksOf({
  ignoreInternal = true,
  ignoreExternal = false,
  maxAnchorLength = 100,
}: InvertRequest): string {
  const conditions = ['to_url <> from_url']
  if (ignoreInternal) conditions.push(`${hostInSpark('from_url')} <> ${hostInSpark('to_url')}`)
  if (ignoreExternal) conditions.push(`${hostInSpark('from_url')} = ${hostInSpark('to_url')}`)
  return `
    SELECT DISTINCT from_url, to_url, anchor, segment FROM (
      SELECT from_url, segment, link.to_url AS to_url, coalesce(left(link.anchor, ${maxAnchorLength}), '') AS anchor FROM (
        SELECT url AS from_url, segment, explode(arrays_zip(to_url, anchor)) AS link FROM (
          SELECT url, segment, outlinks AS to_url, anchors AS anchor FROM sources)))
    WHERE ${conditions.join(' AND ')}`
}

/** The links of other pages and the new ones. The oldest links to a URL are kept. */
function allLinks(maxInlinks: number): string {
  return `
    SELECT *, row_number() OVER (PARTITION BY to_url ORDER BY segment, ${fingerprintSql('from_url')}, anchor) <= ${maxInlinks} AS kept FROM (
      SELECT l.from_url, l.to_url, l.anchor, l.segment, false AS is_new FROM links l LEFT ANTI JOIN sources s ON s.url = l.from_url
      UNION ALL SELECT *, true FROM new_links)`
}

export function sparkInlinks(db: CrawlVersions, url: string): Promise<Inlink[]> {
  return db.all<Inlink>(
    `SELECT from_url AS \`from\`, anchor FROM links WHERE to_url = ${sparkText(url)} ORDER BY from_url, anchor`,
  )
}
