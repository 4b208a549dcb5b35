import { mkdtemp, rm, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { type DurableFiles, diskFiles } from './durable-files.ts'

/**
 * Has `write` make a file in a new folder next to `file` that only this user can enter, and moves it to its place when it is whole. For programs that open
 * files by name: no symbolic link can be put in the way. What is not a regular file, such as /dev/stdout, is written to directly.
 */
export async function writeByName<T>(
  file: string,
  write: (path: string) => Promise<T>,
  disk: DurableFiles = diskFiles,
): Promise<T> {
  const existing = await stat(file).catch(() => undefined)
  if (existing !== undefined && !existing.isFile()) return write(file)
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

/** A new folder next to `file` that only this user can enter. @throws an error with the path of `file` when there can be none */
export function privateFolder(file: string): Promise<string> {
  return mkdtemp(join(dirname(file), '.orbweaver-')).catch((error: NodeJS.ErrnoException) => {
    // What the user named cannot be written; the name of our folder would tell them nothing.
    throw Object.assign(error, { path: file })
  })
}
