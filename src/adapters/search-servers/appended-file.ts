import { type FileHandle, open } from 'node:fs/promises'
import { dirname } from 'node:path'
import { ConfigurationError } from '../../base/crawl-error.ts'
import { diskFiles } from '../../base/durable-files.ts'
import { IndexUnavailable } from '../../domain/indexing/index-writer.ts'

/** Looks at a file that is not empty, and says how many of its bytes are whole records. @throws ConfigurationError for a file of another kind */
export type WholeRecords = (file: FileHandle, bytes: number) => Promise<number>

/** A file that only grows, by whole records. */
export class AppendedFile {
  readonly #name: string
  readonly #file: FileHandle
  #bytes: number

  /**
   * Opens or creates it. What follows the last whole record is cut off: a process was killed while it wrote that.
   * @param name For people. @throws ConfigurationError
   */
  static async open(name: string, path: string, wholeRecords: WholeRecords): Promise<AppendedFile> {
    const file = await open(path, 'a+').catch((error: Error) => {
      throw new ConfigurationError(
        'INDEX_TARGET_INVALID',
        `${name}: the file cannot be opened: ${error.message}`,
      )
    })
    try {
      const { size } = await file.stat()
      const whole = size === 0 ? 0 : await wholeRecords(file, size)
      if (whole < size) await file.truncate(whole)
      // It may be new: its name has to be on the disk, too.
      if (size === 0) await diskFiles.sync(dirname(path))
      return new AppendedFile(name, file, whole)
    } catch (error) {
      await file.close()
      throw error
    }
  }

  private constructor(name: string, file: FileHandle, bytes: number) {
    this.#name = name
    this.#file = file
    this.#bytes = bytes
  }

  get bytes(): number {
    return this.#bytes
  }

  /** All of them, or none. @throws IndexUnavailable */
  async append(records: Iterable<string>): Promise<void> {
    let bytes = this.#bytes
    try {
      for (const record of records) {
        const data = Buffer.from(record)
        await this.#file.appendFile(data)
        bytes += data.length
      }
    } catch (error) {
      // Where this fails too, the next opening does it.
      await this.#file.truncate(this.#bytes).catch(() => {})
      throw this.#unavailable(error as Error)
    }
    this.#bytes = bytes
  }

  /** What was appended outlasts a power cut. @throws IndexUnavailable */
  async sync(): Promise<void> {
    await this.#file.datasync().catch((error: Error) => {
      throw this.#unavailable(error)
    })
  }

  close(): Promise<void> {
    return this.#file.close()
  }

  #unavailable({ message }: Error): IndexUnavailable {
    return new IndexUnavailable(`${this.#name}: it cannot be written: ${message}`)
  }
}

/** The end of the last line that has one, in bytes; searched from the end of the file. */
export async function endOfLastLine(file: FileHandle, bytes: number): Promise<number> {
  for (let end = bytes; end > 0; end -= CHUNK_BYTES) {
    const start = Math.max(0, end - CHUNK_BYTES)
    const newline = (await readAt(file, start, end - start)).lastIndexOf(NEWLINE)
    if (newline >= 0) return start + newline + 1
  }
  return 0
}

/** The end of the last row of a CSV file, in bytes. Rows may hold line ends in quotes, so the whole file is read. */
export async function endOfLastRow(file: FileHandle, bytes: number): Promise<number> {
  let inQuotes = false
  let end = 0
  for (let start = 0; start < bytes; start += CHUNK_BYTES) {
    const chunk = await readAt(file, start, Math.min(CHUNK_BYTES, bytes - start))
    for (let i = 0; i < chunk.length; i++) {
      const byte = chunk[i]
      // A doubled quote closes and opens again.
      if (byte === QUOTE) inQuotes = !inQuotes
      else if (byte === NEWLINE && !inQuotes) end = start + i + 1
    }
  }
  return end
}

/** Fewer bytes than `length` where the file ends. */
export async function readAt(file: FileHandle, position: number, length: number): Promise<Buffer> {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, position)
  return buffer.subarray(0, bytesRead)
}

const CHUNK_BYTES = 1 << 20
const NEWLINE = 0x0a
const QUOTE = 0x22
