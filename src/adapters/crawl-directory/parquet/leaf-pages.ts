import { promisify } from 'node:util'
import { constants, zstdCompress, zstdCompressSync } from 'node:zlib'
import { releaseBytes } from '../../../base/release-bytes.ts'
import { MAX_KEPT_ROOM } from './byte-buffer.ts'
import type { LeafPage, LeafWriter } from './column-writer.ts'
import { pageHead } from './footer.ts'

/** Pages of a file, in the order of their rows. */
export interface StoredPages {
  readonly pieces: readonly Uint8Array[]
  /** Values with those that are missing. */
  readonly values: number
  /** With the heads of the pages. */
  readonly rawBytes: number
  readonly storedBytes: number
}

/**
 * The values of one leaf as pages. Values that fill a page are compressed while rows are still added: rows that wait to be written were the
 * largest part of the memory of a crawl, and compressed they take a fifth of it.
 */
export class LeafPages {
  readonly #writer: LeafWriter
  #full: FullPage[] = []
  /** Rows of the full pages. */
  #rows = 0
  /** The room of a page that was compressed, for the next one. */
  #spare: Buffer<ArrayBuffer> | undefined
  #last: Uint8Array | undefined

  constructor(writer: LeafWriter) {
    this.#writer = writer
  }

  /** Size of all values, before they are compressed. */
  get rawBytes(): number {
    return this.#writer.values.length + sum(this.#full, (page) => page.rawBytes)
  }

  /** Size of what is in memory. */
  get memoryBytes(): number {
    return this.#writer.values.length + sum(this.#full, (page) => page.memoryBytes)
  }

  /** Starts to compress the values, off the main thread, if they fill a page. @param rows of the table, all of them complete */
  closeFull(rows: number, pageBytes: number): void {
    if (this.#writer.values.length < pageBytes) return
    const page = this.#writer.takePage(this.#spare)
    // Read now: the room of the values is used again.
    const rawBytes = page.values.length
    this.#spare = undefined
    const stored = compress(page.values).then((bytes) => {
      full.compressed = bytes
      full.memoryBytes = bytes.length
      this.#reuse(page.values)
      return storedPage(page, rawBytes, full.rows, bytes)
    })
    // `finish` reports the error.
    stored.catch(() => undefined)
    const full: FullPage = { stored, rows: rows - this.#rows, rawBytes, memoryBytes: rawBytes }
    this.#full.push(full)
    this.#rows = rows
  }

  /** All pages. They are valid until `clear`. @param rows of the table */
  async finish(rows: number): Promise<StoredPages> {
    const pages = await Promise.all(this.#full.map(({ stored }) => stored))
    if (rows > this.#rows || pages.length === 0) {
      const page = this.#writer.page()
      const { length } = page.values
      if (length >= MIN_COMPRESSED_BYTES) this.#last = await compress(page.values)
      pages.push(storedPage(page, length, rows - this.#rows, this.#last ?? page.values))
    }
    return {
      pieces: pages.flatMap(({ pieces }) => pieces),
      values: sum(pages, ({ values }) => values),
      rawBytes: sum(pages, ({ rawBytes }) => rawBytes),
      storedBytes: sum(pages, ({ storedBytes }) => storedBytes),
    }
  }

  /** Removes all values and keeps some memory for the next ones. */
  clear(): void {
    this.#writer.clear()
    for (const { compressed } of this.#full) if (compressed !== undefined) releaseBytes(compressed)
    if (this.#last !== undefined) releaseBytes(this.#last)
    this.#last = undefined
    this.#full = []
    this.#rows = 0
  }

  #reuse({ buffer }: Uint8Array): void {
    if (!(buffer instanceof ArrayBuffer)) return
    const room = Buffer.from(buffer)
    if (this.#spare === undefined && room.length <= MAX_KEPT_ROOM) this.#spare = room
    else releaseBytes(room)
  }
}

interface FullPage {
  readonly stored: Promise<StoredPages>
  readonly rows: number
  readonly rawBytes: number
  memoryBytes: number
  compressed?: Uint8Array
}

/** @param stored the values, compressed; the same object: they are not */
function storedPage(page: LeafPage, valueBytes: number, rows: number, stored: Uint8Array): StoredPages {
  const { repetition, definition, values, length } = page
  const isCompressed = stored !== values
  const head = pageHead(page, { rows, valueBytes, storedBytes: stored.length, isCompressed })
  const headBytes = head.length + repetition.length + definition.length
  return {
    pieces: [head, repetition, definition, stored],
    values: length,
    rawBytes: headBytes + valueBytes,
    storedBytes: headBytes + stored.length,
  }
}

async function compress(values: Uint8Array): Promise<Uint8Array> {
  // Room for what it will be, as a rule: what does not fit is requested in pieces, a trip to another thread each.
  const chunkSize = Math.max(1024, values.length >> 1)
  // The lowest level takes a third less time than the usual one, for a tenth more room.
  const options = { chunkSize, params: { [constants.ZSTD_c_compressionLevel]: 1 } }
  const isSmall = values.length < MIN_BYTES_FOR_THREAD
  const compressed = isSmall ? zstdCompressSync(values, options) : await zstd(values, options)
  // Without the rest of the room.
  const bytes = new Uint8Array(compressed)
  releaseBytes(new Uint8Array(compressed.buffer))
  return bytes
}

function sum<T>(list: readonly T[], size: (one: T) => number): number {
  let total = 0
  for (const one of list) total += size(one)
  return total
}

/** Most columns of most parts are empty or nearly so, and a compressor takes longer to set up than they do. */
const MIN_COMPRESSED_BYTES = 256

/** The trip to another thread takes 0.1 ms. Compressing this much takes the main thread less. */
const MIN_BYTES_FOR_THREAD = 16 * 1024

const zstd = promisify(zstdCompress)
