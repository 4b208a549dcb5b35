import { SEGMENT_COLUMNS } from '../../domain/segment/segment-columns.ts'
import type { ParsedRows } from '../../domain/segment/segment-rows.ts'
import type { ByteBuffer } from './parquet/byte-buffer.ts'
import type { ByteReader } from './parquet/byte-reader.ts'
import { ParquetTable } from './parquet/parquet-table.ts'
import { linkColumns, parseDataColumns } from './row-columns.ts'

/** The directories that parsing adds to, as tables. */
export class ParsedTables {
  readonly parse_text = new ParquetTable(SEGMENT_COLUMNS.parse_text)
  readonly parse_data = new ParquetTable(SEGMENT_COLUMNS.parse_data)
  readonly crawl_parse = new ParquetTable(SEGMENT_COLUMNS.crawl_parse)

  add({ parseText, parseData, links = [] }: Partial<ParsedRows>): void {
    if (parseText !== undefined) this.parse_text.add(parseText)
    if (parseData !== undefined) this.parse_data.add(parseDataColumns(parseData))
    for (const link of links) this.crawl_parse.add(linkColumns(link))
  }

  /** Moves the rows to `into`, for `addPacked` in another thread: a copy of some bytes there, and no object for each link. */
  pack(into: ByteBuffer): void {
    this.parse_text.pack(into)
    this.parse_data.pack(into)
    this.crawl_parse.pack(into)
  }

  addPacked(packed: ByteReader): void {
    this.parse_text.addPacked(packed)
    this.parse_data.addPacked(packed)
    this.crawl_parse.addPacked(packed)
  }
}
