import { promisify } from 'node:util'
import { constants, zstdCompress, zstdCompressSync } from 'node:zlib'
import { releaseBytes } from '../../../base/release-bytes.ts'
import type { ByteBuffer, ByteReader } from './byte-buffer.ts'
import {
  type ColumnType,
  type ColumnValue,
  type ColumnWriter,
  columnWriter,
  type LeafWriter,
} from './column-writer.ts'
import { footer, pageHead, type WrittenLeaf } from './footer.ts'

/** A row for columns of these types; what is `undefined` is NULL. */
export type Row<Columns extends Readonly<Record<string, ColumnType>>> = {
  readonly [Name in keyof Columns]: ColumnValue[Columns[Name]] | undefined
}

/** Several rows: the values of each column, all of one length. */
export type RowColumns<Columns extends Readonly<Record<string, ColumnType>>> = {
  readonly [Name in keyof Columns]: readonly Row<Columns>[Name][]
}

/**
 * Gathers rows, column by column, and makes a Parquet file of them. Each page of a crawl runs through all its columns several times. Loops have
 * a counter: with iterators and destructuring, packing the first thousand pages took a fifth more CPU time, compiling included.
 */
export class ParquetTable<Columns extends Readonly<Record<string, ColumnType>>> {
  readonly #columns: Columns
  readonly #names: readonly string[]
  readonly #writers: readonly ColumnWriter[]
  readonly #leaves: readonly LeafWriter[]
  #rows = 0
  /** What zlib has made of columns, to be released. */
  #compressed: Uint8Array[] = []

  constructor(columns: Columns) {
    this.#columns = columns
    this.#names = Object.keys(columns)
    this.#writers = Object.values(columns).map(columnWriter)
    this.#leaves = this.#writers.flatMap(({ leaves }) => leaves)
  }

  get rows(): number {
    return this.#rows
  }

  /** Of the values, before they are compressed. */
  get bytes(): number {
    let sum = 0
    for (const { values } of this.#leaves) sum += values.length
    return sum
  }

  add(row: Row<Columns>): void {
    for (let i = 0; i < this.#writers.length; i++) this.#writers[i]?.add(row[this.#names[i] ?? ''])
    this.#rows++
  }

  /** The same as `add` of each row, in less time. */
  addColumns(rows: number, columns: RowColumns<Columns>): void {
    for (let i = 0; i < this.#writers.length; i++)
      this.#writers[i]?.addAll(columns[this.#names[i] ?? ''] ?? [])
    this.#rows += rows
  }

  /** Moves its rows to `into`: so another thread can make them, and `addPacked` of a table with the same columns takes them over. */
  pack(into: ByteBuffer): void {
    into.int32(this.#rows)
    for (let i = 0; i < this.#leaves.length; i++) this.#leaves[i]?.pack(into)
    this.clear()
  }

  addPacked(packed: ByteReader): void {
    this.#rows += packed.int32()
    for (let i = 0; i < this.#leaves.length; i++) this.#leaves[i]?.append(packed)
  }

  /** The file, in pieces that are valid until `clear`; large columns are compressed off the main thread. Nothing may be added before it is done. */
  async finish(): Promise<Uint8Array[]> {
    const pieces: Uint8Array[] = [MAGIC]
    let offset = MAGIC.length
    const written: WrittenLeaf[] = []
    for (const [i, { leaves }] of this.#writers.entries()) {
      const column = this.#names[i] ?? ''
      for (const writer of leaves) {
        const page = writer.page()
        const stored =
          page.values.length < MIN_COMPRESSED_BYTES ? page.values : await this.#compress(page.values)
        const head = pageHead(page, this.#rows, stored)
        const levels = page.repetition.length + page.definition.length
        const storedBytes = head.length + levels + stored.length
        written.push({
          ...{ column, leaf: writer.leaf, offset, values: page.length, storedBytes },
          rawBytes: head.length + levels + page.values.length,
        })
        pieces.push(head, page.repetition, page.definition, stored)
        offset += storedBytes
      }
    }
    const end = footer(this.#columns, this.#rows, written)
    const size = new Uint8Array(4)
    new DataView(size.buffer).setUint32(0, end.length, true)
    pieces.push(end, size, MAGIC)
    return pieces
  }

  /** Removes all rows and keeps the memory for the next ones. */
  clear(): void {
    for (let i = 0; i < this.#leaves.length; i++) this.#leaves[i]?.clear()
    this.#rows = 0
    for (const bytes of this.#compressed) releaseBytes(bytes)
    this.#compressed = []
  }

  async #compress(values: Uint8Array): Promise<Uint8Array> {
    // Room for what it will be, as a rule: what does not fit is requested in pieces, a trip to another thread each.
    const chunkSize = Math.max(1024, values.length >> 1)
    // The lowest level takes a third less time than the usual one, for a tenth more room.
    const options = { chunkSize, params: { [constants.ZSTD_c_compressionLevel]: 1 } }
    const isSmall = values.length < MIN_BYTES_FOR_THREAD
    const compressed = isSmall ? zstdCompressSync(values, options) : await zstd(values, options)
    // All the room that zlib made for it, unless that is in the pool which small Buffers share.
    if (compressed.buffer.byteLength > Buffer.poolSize)
      this.#compressed.push(new Uint8Array(compressed.buffer))
    return compressed
  }
}

const MAGIC = new TextEncoder().encode('PAR1')

/** Most columns of most parts are empty or nearly so, and a compressor takes longer to set up than they do. */
const MIN_COMPRESSED_BYTES = 256

/** The trip to another thread takes 0.1 ms. Compressing this much takes the main thread less. */
const MIN_BYTES_FOR_THREAD = 16 * 1024

const zstd = promisify(zstdCompress)
