import { ParquetTable } from '../../parquet/parquet-table.ts'
import { SEGMENT_COLUMNS, type SegmentDirectory } from '../../segment/segment-columns.ts'
import type { PageRecord } from '../../segment/segment-rows.ts'
import { contentColumns, fetchColumns, linkColumns, parseDataColumns } from './row-columns.ts'

/** The directories that fetching and parsing add to. */
export type PartDirectory = Exclude<SegmentDirectory, 'crawl_generate'>

/** Pages waiting to be written as one part: a table for each directory. */
export class PartBuffer {
  readonly tables = {
    content: new ParquetTable(SEGMENT_COLUMNS.content),
    parse_text: new ParquetTable(SEGMENT_COLUMNS.parse_text),
    parse_data: new ParquetTable(SEGMENT_COLUMNS.parse_data),
    crawl_parse: new ParquetTable(SEGMENT_COLUMNS.crawl_parse),
    crawl_fetch: new ParquetTable(SEGMENT_COLUMNS.crawl_fetch),
  }

  /** What it holds in memory. */
  get bytes(): number {
    let sum = 0
    for (const table of Object.values(this.tables)) sum += table.bytes
    return sum
  }

  /** Forgets its pages, and keeps the room they took for others. */
  clear(): void {
    for (const table of Object.values(this.tables)) table.clear()
  }

  get isEmpty(): boolean {
    return this.tables.crawl_fetch.rows === 0
  }

  add({ fetch, content, parseText, parseData, links = [] }: PageRecord): void {
    const { tables } = this
    tables.crawl_fetch.add(fetchColumns(fetch))
    if (content !== undefined) tables.content.add(contentColumns(content))
    if (parseText !== undefined) tables.parse_text.add(parseText)
    if (parseData !== undefined) tables.parse_data.add(parseDataColumns(parseData))
    for (const link of links) tables.crawl_parse.add(linkColumns(link))
  }
}
