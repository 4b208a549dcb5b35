import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { processExists } from '../process-start.ts'

let opened = 0

/**
 * Where a database goes on when its memory is used up. One for each: DuckDB gives its files there the same names in every process, and
 * several may read a crawl directory at once. It makes the folder when it needs it, and removes it when it is closed.
 */
export function spillFolder(directory: string): string {
  return join(directory, `.segments-tmp-${process.pid}-${++opened}`)
}

/** Removes what killed processes left. Only for whoever holds the lock of the directory: others cannot know who is at work in it. */
export async function clearSpills(directory: string): Promise<void> {
  for (const name of await readdir(directory)) {
    const pid = /^\.segments-tmp-(\d+)-\d+$/.exec(name)?.[1]
    if (pid !== undefined && !processExists(Number(pid))) await rm(join(directory, name), { recursive: true })
  }
}
