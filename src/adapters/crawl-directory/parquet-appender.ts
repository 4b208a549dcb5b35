import type { Clock } from '../../base/clock.ts'
import type { PageRecord } from '../../domain/segment/segment-rows.ts'
import type { SegmentAppender } from '../../domain/segment/segment-store.ts'
import { PartBuffer } from './part-buffer.ts'

export interface AppenderOptions {
  /** A page is written at the latest this long after it was added (and the write before it done). @default 2000 */
  readonly flushMs?: number
  /** A part is written when this much has gathered. @default 16 MiB */
  readonly partBytes?: number
  /** `room` waits while more than this has not been written. The process needs some six times as much. @default 32 MiB */
  readonly bufferBytes?: number
}

/** Gathers pages into parts and has them written, one part at a time, in the order the pages were added. */
export class ParquetAppender implements SegmentAppender {
  readonly #clock: Clock
  readonly #write: (pages: PartBuffer) => Promise<void>
  readonly #release: () => void
  readonly #flushMs: number
  readonly #partBytes: number
  readonly #bufferBytes: number
  /** The buffer that was written last: the next batch need not ask for memory again. */
  #spare: PartBuffer | undefined
  #gathering = new Batch(new PartBuffer())
  /** The batches being written or about to be. */
  #unwritten = 0
  #unwrittenBytes = 0
  #lastWrite: Promise<void> = Promise.resolve()
  #cancelTimer: (() => void) | undefined
  #failure: { readonly error: unknown } | undefined
  #closed = false

  /**
   * @param write makes a part of pages durable, whole or not at all
   * @param release is called once, when the appender is closed
   */
  constructor(
    clock: Clock,
    write: (pages: PartBuffer) => Promise<void>,
    options: AppenderOptions,
    release: () => void,
  ) {
    this.#clock = clock
    this.#write = write
    this.#release = release
    this.#flushMs = options.flushMs ?? 2_000
    this.#partBytes = options.partBytes ?? 16 * 1024 * 1024
    this.#bufferBytes = options.bufferBytes ?? 32 * 1024 * 1024
  }

  add(page: PageRecord): Promise<void> {
    return this.#gather([page])
  }

  addParsed(pages: readonly Omit<PageRecord, 'content'>[]): Promise<void> {
    return this.#gather(pages)
  }

  async room(): Promise<void> {
    while (this.#unwrittenBytes + this.#gathering.pages.bytes >= this.#bufferBytes) {
      await (this.#unwritten > 0 ? this.#lastWrite : this.#send())
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
      this.#release()
    }
  }

  #gather(pages: readonly PageRecord[]): Promise<void> {
    if (this.#closed) throw new Error('the segment appender is closed')
    if (this.#failure !== undefined) return Promise.reject(this.#failure.error)
    const batch = this.#gathering
    for (const page of pages) batch.pages.add(page)
    this.#cancelTimer ??= this.#clock.after(this.#flushMs, () => void this.#send())
    // One part at a time is under way; while it is, more gathers into the next.
    if (batch.pages.bytes >= this.#partBytes && this.#unwritten === 0) void this.#send()
    return batch.written
  }

  /** Has what was gathered written; fulfilled, whatever came of it, when all that was added until now is settled. */
  #send(): Promise<void> {
    this.#cancelTimer?.()
    this.#cancelTimer = undefined
    const batch = this.#gathering
    if (batch.pages.isEmpty) return this.#lastWrite
    this.#gathering = new Batch(this.#spare ?? new PartBuffer())
    this.#spare = undefined
    this.#unwritten++
    this.#unwrittenBytes += batch.pages.bytes
    this.#lastWrite = this.#lastWrite.then(() => this.#settle(batch))
    return this.#lastWrite
  }

  async #settle(batch: Batch): Promise<void> {
    try {
      // What follows a part that could not be written is not written either: what is in the segment stays a beginning.
      if (this.#failure !== undefined) throw this.#failure.error
      await this.#write(batch.pages)
      batch.resolve()
    } catch (error) {
      this.#failure ??= { error }
      batch.reject(error)
    }
    this.#unwritten--
    this.#unwrittenBytes -= batch.pages.bytes
    batch.pages.clear()
    this.#spare = batch.pages
    if (this.#gathering.pages.bytes >= this.#partBytes) void this.#send()
  }
}

/** Pages that become durable together. */
class Batch {
  readonly pages: PartBuffer
  readonly written: Promise<void>
  readonly resolve: () => void
  readonly reject: (error: unknown) => void

  constructor(pages: PartBuffer) {
    this.pages = pages
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    this.written = promise
    this.resolve = resolve
    this.reject = reject
    // Whoever added a page hears of it; a flush by the clock has nobody else to tell.
    promise.catch(() => undefined)
  }
}
