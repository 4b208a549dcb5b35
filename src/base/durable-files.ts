import { mkdtemp, open, rename, rm, stat } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'

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
    // Removed, not truncated: open descriptors and hard links keep the old content.
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
 * Replaces `file` atomically: after a crash it has the old or the new content, and the new content once the promise is fulfilled.
 * One writer at a time.
 * @param pieces written in batches of about one mebibyte; each is read when it is needed
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

/** Batches of about one mebibyte: few system calls for small pieces, little memory for large ones. */
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

/**
 * Replaces `file` by one that `write` creates in a new private folder next to it. For programs that open files by name: other users cannot
 * place a symbolic link there. A file that is not regular or is a descriptor, such as /dev/stdout, is written to directly.
 */
export async function writeByName<T>(
  file: string,
  write: (path: string) => Promise<T>,
  disk: DurableFiles = diskFiles,
): Promise<T> {
  const existing = await stat(file).catch(() => undefined)
  if (existing !== undefined && (!existing.isFile() || isDescriptor(file))) return write(file)
  const folder = await privateFolder(file)
  try {
    const temporary = join(folder, basename(file))
    const result = await write(temporary)
    await disk.sync(temporary)
    await disk.rename(temporary, file)
    await disk.sync(dirname(file))
    return result
  } finally {
    await rm(folder, { recursive: true, force: true }).catch(() => {})
  }
}

/** Whether a name is that of an open descriptor. `stat` shows the file behind it, and a rename would replace the name for the whole system. */
export function isDescriptor(file: string): boolean {
  return /^\/(?:dev|proc)\//.test(resolve(file))
}

/** Creates a folder next to `file` that only this user can access. @throws an error with the path of `file` */
export function privateFolder(file: string): Promise<string> {
  return mkdtemp(join(dirname(file), '.orbweaver-')).catch((error: NodeJS.ErrnoException) => {
    // The user knows the name of the file, not that of the folder.
    throw Object.assign(error, { path: file })
  })
}

/** The part of a file handle that `writeAll` needs. */
export interface VectorWriter {
  writev(pieces: Uint8Array[]): Promise<{ readonly bytesWritten: number }>
}

/**
 * Writes all of `pieces`. A disk that becomes full takes the first bytes and reports their number as a success; only the next write fails.
 * @throws what `writev` throws; also when it makes no progress
 */
export async function writeAll(file: VectorWriter, pieces: readonly Uint8Array[]): Promise<void> {
  let remaining = pieces.filter(({ byteLength }) => byteLength > 0)
  while (remaining.length > 0) {
    const { bytesWritten } = await file.writev(remaining)
    if (bytesWritten <= 0)
      throw Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' })
    remaining = withoutFirst(remaining, bytesWritten)
  }
}

function withoutFirst(pieces: readonly Uint8Array[], bytes: number): Uint8Array[] {
  let skipped = 0
  for (const [i, piece] of pieces.entries()) {
    if (skipped + piece.byteLength > bytes) return [piece.subarray(bytes - skipped), ...pieces.slice(i + 1)]
    skipped += piece.byteLength
  }
  return []
}
