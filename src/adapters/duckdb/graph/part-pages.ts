import { basename } from 'node:path'
import type { SegmentFolder } from '../../crawl-directory/segment-folder.ts'
import { type Session, sqlList } from '../session.ts'

/** A part of a segment with its files; one without parsed pages has only the file of its fetches. */
export interface GraphPart {
  readonly segment: string
  readonly part: string
  readonly fetched: string
  readonly parsed: string | undefined
}

/** All parts of these segments, the oldest first. */
export async function partsOf(folder: SegmentFolder, segments: readonly string[]): Promise<GraphPart[]> {
  const parts: GraphPart[] = []
  for (const segment of segments.toSorted()) {
    const files = await folder.files(segment)
    const parsed = new Map(files?.parse_data.map((file) => [basename(file), file]))
    for (const fetched of files?.crawl_fetch.toSorted() ?? []) {
      const part = basename(fetched)
      parts.push({ segment, part, fetched, parsed: parsed.get(part) })
    }
  }
  return parts
}

/**
 * A file of a part. A page has a version, by which newer ones have higher numbers: the number of its file (the upper 32 bits of 64), and of its
 * row in the file.
 */
export interface GraphFile {
  readonly number: number
  readonly path: string
  readonly kind: 'fetched' | 'parsed'
}

/** The files of parts, the oldest first. Part `i` has the numbers `2 i` and `2 i + 1`. */
export function numberFiles(parts: readonly GraphPart[]): GraphFile[] {
  return parts.flatMap(({ fetched, parsed }, i): GraphFile[] => [
    { number: 2 * i, path: fetched, kind: 'fetched' },
    ...(parsed === undefined ? [] : [{ number: 2 * i + 1, path: parsed, kind: 'parsed' as const }]),
  ])
}

/** The number of the part of `version`, in SQL. */
export function partNumberSql(version: string): string {
  return `(${version} >> 33)`
}

/** Selects `version`, `url` and `outlinks` of the pages in these files. A redirect is a page with one link, and a page that is gone has none. */
export function pagesIn(files: readonly GraphFile[]): string {
  const selects = [NO_PAGES]
  for (const [kind, own] of Map.groupBy(files, (file) => file.kind)) {
    const number = `([${own.map((file) => file.number).join(', ')}])[file_index::BIGINT + 1]`
    const paths = sqlList(own.map((file) => file.path))
    selects.push(`
      SELECT (${number}::UBIGINT << 32) | file_row_number::UBIGINT, url, ${OUTLINKS[kind]}
      FROM read_parquet(${paths}, union_by_name = true) WHERE ${CONDITION[kind]}`)
  }
  return selects.join(' UNION ALL ')
}

const NO_PAGES =
  'SELECT NULL::UBIGINT AS version, NULL::VARCHAR AS url, NULL::VARCHAR[] AS outlinks WHERE false'

const OUTLINKS = {
  fetched: 'CASE WHEN redirect_to IS NULL THEN [] ELSE [redirect_to] END',
  parsed: 'outlinks',
}

const CONDITION = {
  fetched: `status IN ('fetch_redir_temp', 'fetch_redir_perm', 'fetch_gone')`,
  parsed: 'true',
}

/** The pages from one version up to, but not including, another one, and the files that have them. */
export interface PageRange {
  readonly from: bigint
  readonly to: bigint
  readonly files: readonly GraphFile[]
}

/** Divides all pages of these files into ranges with about `maxLinks` links: at least one row group of a file each. */
export async function pageRanges(
  session: Session,
  files: readonly GraphFile[],
  maxLinks: number,
): Promise<PageRange[]> {
  const ranges: PageRange[] = []
  let from = 0n
  let links = 0
  let touched = new Set<GraphFile>()
  const groups = await readRowGroups(session, files)
  for (const file of files) {
    let row = 0
    for (const group of groups.get(file.path) ?? []) {
      const start = (BigInt(file.number) << 32n) | BigInt(row)
      if (links > 0 && links + group.links > maxLinks) {
        ranges.push({ from, to: start, files: [...touched] })
        from = start
        links = 0
        touched = new Set()
      }
      touched.add(file)
      links += group.links
      row += group.rows
    }
  }
  const end = BigInt((files.at(-1)?.number ?? 0) + 1) << 32n
  return [...ranges, { from, to: end, files: [...touched] }]
}

interface RowGroup {
  readonly rows: number
  /** Rows without a link count as one. */
  readonly links: number
}

/** The row groups of each file, from the metadata of the file. */
async function readRowGroups(
  session: Session,
  files: readonly GraphFile[],
): Promise<ReadonlyMap<string, readonly RowGroup[]>> {
  if (files.length === 0) return new Map()
  const groups = await session.all<RowGroup & { readonly path: string }>(`
    SELECT file_name AS path, row_group_num_rows::DOUBLE AS rows, num_values::DOUBLE AS links
    FROM parquet_metadata(${sqlList(files.map(({ path }) => path))})
    WHERE path_in_schema = 'redirect_to' OR starts_with(path_in_schema, 'outlinks,')
    ORDER BY row_group_id`)
  return Map.groupBy(groups, ({ path }) => path)
}
