import { open, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { writeAll } from './write-all.ts'

/** The file system operations that decide whether data survives a crash or a full disk. Tests inject failures into each. */
export interface DurableFiles {
  /** Creates a file with all of `pieces` in it. A file of that name is replaced; a symbolic link is not followed. */
  write(path: string, pieces: Iterable<string | Uint8Array>, mode?: number): Promise<void>
  /** Returns when a file, or the names in a directory, are on the disk. */
  sync(path: string): Promise<void>
  rename(from: string, to: string): Promise<void>
}

export const diskFiles: DurableFiles = {
  async write(path, pieces, mode) {
    // Removed rather than truncated: an open descriptor or a link to the old file must not see the new one.
    await rm(path, { force: true })
    const file = await open(path, 'wx', mode)
    try {
      for (const batch of batches(pieces)) await writeAll(file, batch)
    } finally {
      await file.close()
    }
  },
  async sync(path) {
    const file = await open(path)
    try {
      await file.sync()
    } finally {
      await file.close()
    }
  },
  rename,
}

/**
 * Replaces `file`: after a crash at any moment it has the old content or the new one, and the new one once the promise is fulfilled.
 * One writer at a time.
 * @param pieces each is written before the next is taken, about a mebibyte at a time
 */
export async function replaceFile(
  file: string,
  pieces: Iterable<string | Uint8Array>,
  { mode, disk = diskFiles }: { readonly mode?: number; readonly disk?: DurableFiles } = {},
): Promise<void> {
  const temporary = `${file}.tmp`
  try {
    await disk.write(temporary, pieces, mode)
    await disk.sync(temporary)
    await disk.rename(temporary, file)
  } catch (error) {
    await rm(temporary, { force: true }).catch(() => {})
    throw error
  }
  await disk.sync(dirname(file))
}

/** Few system calls for many small pieces, and little memory for many large ones. */
function* batches(pieces: Iterable<string | Uint8Array>): Generator<Uint8Array[]> {
  let batch: Uint8Array[] = []
  let bytes = 0
  for (const piece of pieces) {
    const data = typeof piece === 'string' ? Buffer.from(piece) : piece
    batch.push(data)
    bytes += data.byteLength
    if (bytes < BATCH_BYTES) continue
    yield batch
    batch = []
    bytes = 0
  }
  if (batch.length > 0) yield batch
}

const BATCH_BYTES = 1024 * 1024
