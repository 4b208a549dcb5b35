import type { ByteBuffer, ByteReader } from './byte-buffer.ts'
import {
  type ColumnType,
  type ColumnValue,
  type ColumnWriter,
  columnWriter,
  type LeafWriter,
} from './column-writer.ts'
import { footer, type WrittenLeaf } from './footer.ts'
import { LeafPages } from './leaf-pages.ts'

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
  /** One for each leaf. */
  readonly #pages: readonly LeafPages[]
  #rows = 0

  constructor(columns: Columns) {
    this.#columns = columns
    this.#names = Object.keys(columns)
    this.#writers = Object.values(columns).map(columnWriter)
    this.#leaves = this.#writers.flatMap(({ leaves }) => leaves)
    this.#pages = this.#leaves.map((leaf) => new LeafPages(leaf))
  }

  get rows(): number {
    return this.#rows
  }

  /** Of the values, before they are compressed. */
  get bytes(): number {
    let sum = 0
    for (const { rawBytes } of this.#pages) sum += rawBytes
    return sum
  }

  /** Of the values, compressed or not, as they are now. */
  get memoryBytes(): number {
    let sum = 0
    for (const { memoryBytes } of this.#pages) sum += memoryBytes
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

  /**
   * Moves its rows to `into`: so another thread can make them, and `addPacked` of a table with the same columns takes them over. Not after
   * `compressPages`.
   */
  pack(into: ByteBuffer): void {
    into.int32(this.#rows)
    for (let i = 0; i < this.#leaves.length; i++) this.#leaves[i]?.pack(into)
    this.clear()
  }

  addPacked(packed: ByteReader): void {
    this.#rows += packed.int32()
    for (let i = 0; i < this.#leaves.length; i++) this.#leaves[i]?.append(packed)
  }

  /** Compresses the columns that fill a page, off the main thread. Rows can be added meanwhile. */
  compressPages(pageBytes = PAGE_BYTES): void {
    for (let i = 0; i < this.#pages.length; i++) this.#pages[i]?.closeFull(this.#rows, pageBytes)
  }

  /** The file, in pieces that are valid until `clear`; large columns are compressed off the main thread. Nothing may be added before it is done. */
  async finish(): Promise<Uint8Array[]> {
    const pieces: Uint8Array[] = [MAGIC]
    let offset = MAGIC.length
    const written: WrittenLeaf[] = []
    const pages = this.#pages.values()
    for (const [i, { leaves }] of this.#writers.entries()) {
      const column = this.#names[i] ?? ''
      for (const { leaf } of leaves) {
        const stored = await pages.next().value?.finish(this.#rows)
        if (stored === undefined) continue
        const { values, rawBytes, storedBytes } = stored
        written.push({ column, leaf, offset, values, rawBytes, storedBytes })
        for (const piece of stored.pieces) pieces.push(piece)
        offset += storedBytes
      }
    }
    const end = footer(this.#columns, this.#rows, written)
    const size = new Uint8Array(4)
    new DataView(size.buffer).setUint32(0, end.length, true)
    pieces.push(end, size, MAGIC)
    return pieces
  }

  /** Removes all rows and keeps some memory for the next ones. */
  clear(): void {
    for (let i = 0; i < this.#pages.length; i++) this.#pages[i]?.clear()
    this.#rows = 0
  }
}

const MAGIC = new TextEncoder().encode('PAR1')

/** About the window of the compressor: larger pages are hardly smaller when compressed. */
const PAGE_BYTES = 512 * 1024
