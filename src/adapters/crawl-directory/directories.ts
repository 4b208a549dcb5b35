import { existsSync } from 'node:fs'
import { mkdir, readdir, rm, rmdir } from 'node:fs/promises'
import { hostname } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { processExists } from './process-start.ts'

/** Creates a directory and its parents; returns the first that it created. On a read-only file system it throws EROFS, where Node.js throws ENOENT. */
export async function makeDirectory(path: string): Promise<string | undefined> {
  try {
    return await mkdir(path, { recursive: true })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') await mkdir(firstMissing(path))
    throw error
  }
}

/** Deletes `path` and its parents up to `first`, as long as they are empty. */
export async function removeEmptyDirectories(path: string, first: string): Promise<void> {
  try {
    await rmdir(path)
  } catch {
    return
  }
  if (resolve(path) !== resolve(first)) await removeEmptyDirectories(dirname(path), first)
}

function firstMissing(path: string): string {
  const parent = dirname(path)
  return parent === path || existsSync(parent) ? path : firstMissing(parent)
}

let opened = 0

/**
 * A folder for DuckDB's temporary files, one per database: DuckDB uses the same file names in every process, and several processes, also on several
 * machines, may use a crawl directory at once. DuckDB creates it on demand and removes it when it closes.
 */
export function spillFolder(directory: string): string {
  return join(directory, `${PREFIX}${process.pid}-${++opened}@${hostname()}`)
}

/** Removes the folders of killed processes of this machine. Processes of other machines cannot be checked from here. */
export async function clearSpills(directory: string): Promise<void> {
  for (const name of await readdir(directory)) {
    const [, pid, machine] = SPILLS.exec(name) ?? []
    if (pid === undefined || machine !== hostname() || processExists(Number(pid))) continue
    await rm(join(directory, name), { recursive: true, force: true })
  }
}

const PREFIX = '.segments-tmp-'
const SPILLS = /^\.segments-tmp-(\d+)-\d+@(.+)$/
