import { SEGMENT_COLUMNS, type SegmentDirectory } from '../../domain/segment/segment-columns.ts'
import type { PageRecord } from '../../domain/segment/segment-rows.ts'
import { ByteReader } from './parquet/byte-reader.ts'
import { ParquetTable } from './parquet/parquet-table.ts'
import { ParsedTables } from './parsed-tables.ts'
import { contentColumns, fetchColumns } from './row-columns.ts'

/** The directories that fetching and parsing add to. */
export type PartDirectory = Exclude<SegmentDirectory, 'crawl_generate'>

/** Pages waiting to be written as one part: a table for each directory. */
export class PartBuffer {
  readonly #parsed = new ParsedTables()
  readonly tables = {
    content: new ParquetTable(SEGMENT_COLUMNS.content),
    parse_text: this.#parsed.parse_text,
    parse_data: this.#parsed.parse_data,
    crawl_parse: this.#parsed.crawl_parse,
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

  add(page: PageRecord): void {
    const { fetch, content, packed } = page
    this.tables.crawl_fetch.add(fetchColumns(fetch))
    if (content !== undefined) this.tables.content.add(contentColumns(content))
    if (packed === undefined) this.#parsed.add(page)
    else this.#parsed.addPacked(new ByteReader(packed))
  }
}
