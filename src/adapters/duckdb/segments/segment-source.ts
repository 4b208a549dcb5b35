import {
  LATER_COLUMNS,
  SEGMENT_COLUMNS,
  type SegmentDirectory,
} from '../../../domain/segment/segment-columns.ts'
import { sqlList } from '../sql-text.ts'

/**
 * A relation with the rows of `files` of one directory, to be used after FROM: its columns, and `part` (the file's name) and
 * `part_row`, which together order the rows of a segment by age. No files give no rows.
 */
export function segmentSource(directory: SegmentDirectory, files: readonly string[]): string {
  const columns = Object.entries(SEGMENT_COLUMNS[directory])
  if (files.length === 0) {
    const empty = columns.map(([name, type]) => `NULL::${type} AS ${name}`)
    return `(SELECT ${empty.join(', ')}, NULL::VARCHAR AS part, NULL::BIGINT AS part_row WHERE false)`
  }
  const names = columns.map(([name]) => name).join(', ')
  return `(SELECT ${names}, parse_filename(filename) AS part, file_row_number AS part_row
    FROM ${parquetRows(directory, files)})`
}

/** The rows of files, with `filename` and `file_row_number`. Columns that older programs did not write are NULL. */
export function parquetRows(directory: SegmentDirectory, files: readonly string[]): string {
  const rows = `read_parquet(${sqlList(files)}, union_by_name = true, filename = true, file_row_number = true)`
  const later = LATER_COLUMNS[directory]?.map((name) => `NULL::VARCHAR AS ${name}`)
  // A relation without rows gives old files the columns that they lack.
  return later === undefined
    ? rows
    : `(SELECT ${later.join(', ')} WHERE false UNION ALL BY NAME FROM ${rows})`
}

/** The same, but of each URL only the last row, which is the one that counts. */
export function latestRows(directory: SegmentDirectory, files: readonly string[]): string {
  return `(FROM ${segmentSource(directory, files)}
    QUALIFY row_number() OVER (PARTITION BY url ORDER BY part DESC, part_row DESC) = 1)`
}

/** The same, but of each URL only the last row in each part: a page may have been visited twice within seconds. */
export function lastInPart(directory: 'parse_text' | 'parse_data', files: readonly string[]): string {
  return `(FROM ${segmentSource(directory, files)}
    QUALIFY row_number() OVER (PARTITION BY part, url ORDER BY part_row DESC) = 1)`
}
