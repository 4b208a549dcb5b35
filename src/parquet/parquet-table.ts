import { promisify } from 'node:util'
import { constants, zstdCompress } from 'node:zlib'
import type { ColumnType, ColumnValue } from './column-types.ts'
import { columnWriter } from './column-writer.ts'
import { footer, pageHead, type WrittenLeaf } from './footer.ts'

/** A row for columns of these types; what is `undefined` is NULL. */
export type Row<Columns extends Readonly<Record<string, ColumnType>>> = {
  readonly [Name in keyof Columns]: ColumnValue[Columns[Name]] | undefined
}

/** Gathers rows, column by column, and makes a Parquet file of them. */
export class ParquetTable<Columns extends Readonly<Record<string, ColumnType>>> {
  readonly #columns: Columns
  readonly #writers: ReadonlyArray<readonly [name: string, writer: ReturnType<typeof columnWriter>]>
  #rows = 0

  constructor(columns: Columns) {
    this.#columns = columns
    this.#writers = Object.entries(columns).map(([name, type]) => [name, columnWriter(type)])
  }

  get rows(): number {
    return this.#rows
  }

  /** Of the values, before they are compressed. */
  get bytes(): number {
    let sum = 0
    for (const [, { leaves }] of this.#writers) for (const { values } of leaves) sum += values.length
    return sum
  }

  add(row: Row<Columns>): void {
    for (const [name, writer] of this.#writers) writer.add(row[name])
    this.#rows++
  }

  /** The file, in pieces; compressed off the main thread. Nothing may be added after it. */
  async finish(): Promise<Uint8Array[]> {
    const pieces: Uint8Array[] = [MAGIC]
    let offset = MAGIC.length
    const written: WrittenLeaf[] = []
    for (const [column, { leaves }] of this.#writers) {
      for (const writer of leaves) {
        const page = writer.page()
        const stored = await compress(page)
        const head = pageHead(writer.length, page.length, stored.length)
        written.push({
          ...{ column, leaf: writer.leaf, offset, values: writer.length },
          rawBytes: head.length + page.length,
          storedBytes: head.length + stored.length,
        })
        pieces.push(head, stored)
        offset += head.length + stored.length
      }
    }
    const end = footer(this.#columns, this.#rows, written)
    const size = new Uint8Array(4)
    new DataView(size.buffer).setUint32(0, end.length, true)
    pieces.push(end, size, MAGIC)
    return pieces
  }
}

const MAGIC = new TextEncoder().encode('PAR1')

const zstd = promisify(zstdCompress)

/** The lowest level takes a third less time than the usual one, for a tenth more room. */
function compress(page: Uint8Array): Promise<Uint8Array> {
  // With room for all of it: what does not fit is asked for in pieces, a trip to another thread each.
  const chunkSize = Math.max(1024, page.length)
  return zstd(page, { chunkSize, params: { [constants.ZSTD_c_compressionLevel]: 1 } })
}
