import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { type Clock, wallClock } from '../../base/clock.ts'
import { type DurableFiles, diskFiles } from '../../base/durable-files.ts'
import type { PageRecord } from '../../domain/segment/segment-rows.ts'
import type { SegmentAppender } from '../../domain/segment/segment-store.ts'
import {
  clearAbandoned,
  lockHolderName,
  type PartName,
  partFile,
  prepareForAppend,
  temporaryPartFile,
} from './segment-files.ts'
import { committedParts, type SegmentFolder } from './segment-folder.ts'
import { type PartDirectory, PartTables } from './segment-tables.ts'

export interface SegmentWriterOptions {
  /** Names the parts that this process writes. Several processes may add to one segment if each has its own name. @default 'w0' */
  readonly writer?: string
  /** Whether the caller holds the lock of the crawl directory: then files abandoned by killed processes are removed. @default false */
  readonly exclusive?: boolean
  /** Maximum time between adding a page and writing it, not counting the write before it. @default 2000 */
  readonly flushMs?: number
  /** Size at which a part is written, before it is compressed. @default 16 MiB */
  readonly partBytes?: number
  /** `room` waits while pages that are not written take more memory than this. Most of them are compressed. @default 16 MiB */
  readonly bufferBytes?: number
  /** @default wallClock */
  readonly clock?: Clock
  /** @default the file system */
  readonly files?: DurableFiles
}

/** Called with the error of a failed write; the returned one is thrown. */
type ExplainError = (error: unknown) => Promise<unknown>

/** Collects pages into parts and writes them as Parquet files, one part at a time, in the order in which the pages were added. */
export class SegmentWriter implements SegmentAppender {
  readonly #folder: Pick<SegmentFolder, 'path' | 'publish'>
  readonly #name: string
  readonly #writer: string
  readonly #files: DurableFiles
  readonly #clock: Clock
  readonly #explain: ExplainError
  readonly #onClose: () => void
  readonly #flushMs: number
  readonly #partBytes: number
  readonly #bufferBytes: number
  #sequence: number
  /** The tables that were written last, reused by the next batch to save allocations. */
  #spare: PartTables | undefined
  #collecting = new Batch(new PartTables())
  /** Batches that are queued or being written. */
  readonly #unwritten = new Set<Batch>()
  #lastWrite: Promise<void> = Promise.resolve()
  #cancelTimer: (() => void) | undefined
  /** `flushMs` have passed, and the part before is still being written. */
  #isDue = false
  #failure: { readonly error: unknown } | undefined
  #closed = false

  /**
   * Opens a segment and removes unfinished files of an earlier process with the same writer name.
   * @param onClose is called once, when the writer is closed
   */
  static async open(
    folder: Pick<SegmentFolder, 'path' | 'files' | 'publish'>,
    name: string,
    options: SegmentWriterOptions,
    explain: ExplainError,
    onClose: () => void,
  ): Promise<SegmentWriter> {
    const path = join(folder.path, name)
    const committed = committedParts(await folder.files(name))
    if (options.exclusive === true) await clearAbandoned(path, wallClock.now(), committed)
    const sequence = await prepareForAppend(path, options.writer ?? DEFAULT_WRITER, committed)
    return new SegmentWriter(folder, name, sequence, options, explain, onClose)
  }

  private constructor(
    folder: Pick<SegmentFolder, 'path' | 'publish'>,
    name: string,
    sequence: number,
    options: SegmentWriterOptions,
    explain: ExplainError,
    onClose: () => void,
  ) {
    this.#folder = folder
    this.#name = name
    this.#sequence = sequence
    this.#explain = explain
    this.#onClose = onClose
    this.#writer = options.writer ?? DEFAULT_WRITER
    this.#files = options.files ?? diskFiles
    this.#clock = options.clock ?? wallClock
    this.#flushMs = options.flushMs ?? 2_000
    this.#partBytes = options.partBytes ?? 16 * 1024 * 1024
    this.#bufferBytes = options.bufferBytes ?? 16 * 1024 * 1024
  }

  add(page: PageRecord): Promise<void> {
    return this.#collect([page])
  }

  addParsed(pages: readonly Omit<PageRecord, 'content'>[]): Promise<void> {
    return this.#collect(pages)
  }

  async room(): Promise<void> {
    while (this.#memoryBytes() >= this.#bufferBytes) {
      await (this.#unwritten.size > 0 ? this.#lastWrite : this.#send())
    }
    if (this.#failure !== undefined) throw this.#failure.error
  }

  async flush(): Promise<void> {
    await this.#send()
    if (this.#failure !== undefined) throw this.#failure.error
  }

  async close(): Promise<void> {
    if (this.#closed) return
    this.#closed = true
    try {
      await this.flush()
    } finally {
      this.#onClose()
    }
  }

  #memoryBytes(): number {
    let sum = this.#collecting.pages.memoryBytes
    for (const { pages } of this.#unwritten) sum += pages.memoryBytes
    return sum
  }

  #collect(pages: readonly PageRecord[]): Promise<void> {
    if (this.#closed) throw new Error('the segment writer is closed')
    if (this.#failure !== undefined) return Promise.reject(this.#failure.error)
    const batch = this.#collecting
    for (const page of pages) batch.pages.add(page)
    this.#cancelTimer ??= this.#clock.after(this.#flushMs, () => this.#flushSoon())
    // Only one part is written at a time; pages added during a write go into the next part.
    if (this.#unwritten.size === 0 && batch.pages.bytes >= this.#partBytes) void this.#send()
    return batch.written
  }

  /** A slow disk must not make more parts wait, each with tables of its own: the pages go into the part after the one being written. */
  #flushSoon(): void {
    if (this.#unwritten.size > 0) this.#isDue = true
    else void this.#send()
  }

  /** Queues the collected pages for writing. Resolves when all pages added so far are written or failed; it never rejects. */
  #send(): Promise<void> {
    this.#cancelTimer?.()
    this.#cancelTimer = undefined
    this.#isDue = false
    const batch = this.#collecting
    if (batch.pages.isEmpty) return this.#lastWrite
    this.#collecting = new Batch(this.#spare ?? new PartTables())
    this.#spare = undefined
    this.#unwritten.add(batch)
    this.#lastWrite = this.#lastWrite.then(() => this.#settle(batch))
    return this.#lastWrite
  }

  async #settle(batch: Batch): Promise<void> {
    try {
      // After a failed part no later part is written: the segment holds a prefix of the added pages.
      if (this.#failure !== undefined) throw this.#failure.error
      await this.#write(batch.pages)
      batch.resolve()
    } catch (error) {
      this.#failure ??= { error }
      batch.reject(error)
    }
    this.#unwritten.delete(batch)
    batch.pages.clear()
    this.#spare = batch.pages
    if (this.#isDue || this.#collecting.pages.bytes >= this.#partBytes) void this.#send()
  }

  async #write(pages: PartTables): Promise<void> {
    const part = { sequence: this.#sequence++, writer: this.#writer }
    try {
      await writePart(this.#files, join(this.#folder.path, this.#name), part, pages)
      await this.#folder.publish(this.#name, partFile(part))
    } catch (error) {
      throw await this.#explain(error)
    }
  }
}

const DEFAULT_WRITER = lockHolderName(false)

/** Pages that become durable together. */
class Batch {
  readonly pages: PartTables
  readonly written: Promise<void>
  readonly resolve: () => void
  readonly reject: (error: unknown) => void

  constructor(pages: PartTables) {
    this.pages = pages
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    this.written = promise
    this.resolve = resolve
    this.reject = reject
    // The callers of `add` handle the error; without them a rejection after a timed flush would be unhandled.
    promise.catch(() => undefined)
  }
}

/**
 * Writes `pages` as one part. Every file is complete and on disk before any of them gets its final name, and `crawl_fetch` gets its name last:
 * that rename commits the part. After an error no file of the part remains.
 */
async function writePart(
  files: DurableFiles,
  segmentPath: string,
  part: PartName,
  { tables }: PartTables,
): Promise<void> {
  const directories = WRITING_ORDER.filter((directory) => tables[directory].rows > 0)
  const pathOf = (directory: PartDirectory) => join(segmentPath, directory, partFile(part))
  const temporaryOf = (directory: PartDirectory) => join(segmentPath, directory, temporaryPartFile(part))
  try {
    for (const directory of directories) {
      await files.write(temporaryOf(directory), await tables[directory].finish())
      tables[directory].clear()
    }
    await Promise.all(directories.map((directory) => files.sync(temporaryOf(directory))))
    for (const directory of directories) {
      if (directory === 'crawl_fetch') continue
      await files.rename(temporaryOf(directory), pathOf(directory))
      await files.sync(join(segmentPath, directory))
    }
    await files.rename(temporaryOf('crawl_fetch'), pathOf('crawl_fetch'))
  } catch (error) {
    // The disk may be full, so free the space. Files that cannot be removed are not committed; the next open removes them.
    const leftovers = directories.flatMap((directory) => [temporaryOf(directory), pathOf(directory)])
    await Promise.allSettled(leftovers.map((path) => rm(path, { force: true })))
    throw error
  }
  await files.sync(join(segmentPath, 'crawl_fetch'))
}

const WRITING_ORDER = ['content', 'parse_text', 'parse_data', 'crawl_parse', 'crawl_fetch'] as const
