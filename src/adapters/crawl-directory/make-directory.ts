import { existsSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { dirname } from 'node:path'

/** Creates a directory and those above it. Of a file system that cannot be written to it throws EROFS, where Node alone says ENOENT. */
export async function makeDirectory(path: string): Promise<void> {
  try {
    await mkdir(path, { recursive: true })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') await mkdir(firstMissing(path))
    throw error
  }
}

function firstMissing(path: string): string {
  const parent = dirname(path)
  return parent === path || existsSync(parent) ? path : firstMissing(parent)
}
