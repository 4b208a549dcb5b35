import { createHash, type Hash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { type FileHandle, open, rm } from 'node:fs/promises'
import { diskFiles, replaceFile, writeAll } from '../../base/durable-files.ts'

/** What is known about an interrupted download. */
export interface PartialNotes {
  /** Bytes that are certainly on the disk. */
  readonly bytes: number
  /** A strong ETag or a date, for If-Range. Absent: the download cannot be continued. */
  readonly validator?: string
}

/** Unwritten bytes in memory above which the sender has to wait. */
const MAX_WAITING_BYTES = 1024 * 1024
/** A crash of the machine loses at most so much of a download. */
const SYNC_BYTES = 8 * 1024 * 1024
/** Enough to detect the type of a file. */
const HEAD_BYTES = 4096

/**
 * A local file that a download is appended to. Pieces are written in the background, in their order; when they come faster than the disk
 * takes them, the sender waits.
 */
export class PartialFile {
  readonly path: string
  /** Bytes of an earlier attempt, on the disk; 0: none. */
  readonly resumedBytes: number
  /** Of the response that the file is from. */
  notes: PartialNotes
  /** Why the disk took no more. */
  error: Error | undefined
  readonly #file: FileHandle
  /** The first bytes. */
  #head: Buffer
  /** Of all bytes; `undefined`: the first ones are of an earlier attempt, so that the file is read at the end. */
  #hash: Hash | undefined
  #size: number
  #written: number
  #synced: number
  #waiting: Buffer[] = []
  #waitingBytes = 0
  #writing: Promise<void> | undefined

  private constructor(path: string, file: FileHandle, notes: PartialNotes, head: Buffer) {
    this.path = path
    this.#file = file
    this.notes = notes
    this.resumedBytes = notes.bytes
    this.#head = head
    this.#hash = notes.bytes === 0 ? createHash('sha256') : undefined
    this.#size = notes.bytes
    this.#written = notes.bytes
    this.#synced = notes.bytes
  }

  /** @param notes of an earlier attempt, whose bytes are in the file; `bytes: 0`: the file is new */
  static async open(path: string, notes: PartialNotes): Promise<PartialFile> {
    const file = await open(path, notes.bytes === 0 ? 'w+' : 'r+')
    try {
      await file.truncate(notes.bytes)
      const { buffer, bytesRead } = await file.read(Buffer.alloc(HEAD_BYTES), 0, HEAD_BYTES, 0)
      return new PartialFile(path, file, notes, buffer.subarray(0, bytesRead))
    } catch (error) {
      await file.close()
      throw error
    }
  }

  /** Bytes so far, including those that are not written yet. */
  get size(): number {
    return this.#size
  }

  /** The first bytes, at most `HEAD_BYTES`. */
  get head(): Uint8Array {
    return this.#head
  }

  get isHeadComplete(): boolean {
    return this.#head.length === HEAD_BYTES
  }

  /** Forgets all bytes: the server sends the file from its beginning. To be called before the first `append`. */
  restart(): void {
    this.#head = Buffer.alloc(0)
    this.#hash = createHash('sha256')
    this.#size = 0
    this.#written = 0
    this.#synced = 0
    this.notes = { ...this.notes, bytes: 0 }
    this.#writing = this.#writeWaiting(() => this.#file.truncate(0))
  }

  /** Appends a copy of `piece`. A promise: wait for it before the next one. */
  append(piece: Uint8Array): true | Promise<void> {
    const copy = Buffer.from(piece)
    this.#hash?.update(copy)
    this.#size += copy.length
    if (!this.isHeadComplete)
      this.#head = Buffer.concat([this.#head, copy.subarray(0, HEAD_BYTES - this.#head.length)])
    this.#waiting.push(copy)
    this.#waitingBytes += copy.length
    this.#write()
    return this.#waitingBytes < MAX_WAITING_BYTES ? true : this.#drained()
  }

  /** Fulfilled when all bytes are on the disk. @throws what the disk reports */
  async sync(): Promise<void> {
    await this.#drained()
    if (this.error !== undefined) throw this.error
    if (this.#synced === this.#written) return
    await this.#file.sync()
    this.#synced = this.#written
  }

  /** SHA-256 of the file, in hexadecimal. Call it after the last `append`. */
  async digest(): Promise<string> {
    if (this.#hash !== undefined) return this.#hash.digest('hex')
    const hash = createHash('sha256')
    for await (const piece of createReadStream(this.path)) hash.update(piece as Buffer)
    return hash.digest('hex')
  }

  /** Writes down how much can be resumed. */
  async keepNotes(): Promise<void> {
    await replaceFile(`${this.path}.json`, [JSON.stringify({ ...this.notes, bytes: this.#synced })], {
      // The notes may be lost in a crash; then the download starts again.
      disk: { ...diskFiles, sync: () => Promise.resolve() },
    })
  }

  /** Closes the file; what was appended and is not written yet is lost. */
  async close(): Promise<void> {
    this.#waiting = []
    this.#waitingBytes = 0
    await this.#writing
    await this.#file.close()
  }

  /** Closes and deletes it. */
  async remove(): Promise<void> {
    await this.close()
    await rm(this.path, { force: true })
    await rm(`${this.path}.json`, { force: true })
  }

  async #drained(): Promise<void> {
    while (this.#writing !== undefined) await this.#writing
  }

  #write(): void {
    const before = this.#writing
    if (before === undefined) this.#writing = this.#writeWaiting()
    else if (this.#waiting.length === 1) void before.then(() => this.#waiting.length > 0 && this.#write())
  }

  async #writeWaiting(first = (): Promise<void> => Promise.resolve()): Promise<void> {
    try {
      await first()
      while (this.#waiting.length > 0 && this.error === undefined) {
        const pieces = this.#waiting
        this.#waiting = []
        await writeAll(this.#appender(), pieces)
        this.#waitingBytes -= pieces.reduce((sum, { length }) => sum + length, 0)
        if (this.#written - this.#synced < SYNC_BYTES) continue
        await this.#file.datasync()
        this.#synced = this.#written
        await this.keepNotes()
      }
    } catch (error) {
      this.error = error as Error
    } finally {
      this.#writing = undefined
    }
  }

  #appender() {
    return {
      writev: async (pieces: Uint8Array[]) => {
        const result = await this.#file.writev(pieces, this.#written)
        this.#written += result.bytesWritten
        return result
      },
    }
  }
}
