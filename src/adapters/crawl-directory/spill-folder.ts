import { readdir, rm } from 'node:fs/promises'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { processExists } from './process-start.ts'

let opened = 0

/**
 * Where a database goes on when its memory is used up. One for each: DuckDB gives its files there the same names in every process, and
 * several may work in a crawl directory at once, also on several machines. It makes the folder when it needs it, and removes it when it is closed.
 */
export function spillFolder(directory: string): string {
  return join(directory, `${PREFIX}${process.pid}-${++opened}@${hostname()}`)
}

/** Removes what killed processes of this machine left; of those of others nobody here can say whether they live. */
export async function clearSpills(directory: string): Promise<void> {
  for (const name of await readdir(directory)) {
    const [, pid, machine] = SPILLS.exec(name) ?? []
    if (pid === undefined || machine !== hostname() || processExists(Number(pid))) continue
    await rm(join(directory, name), { recursive: true, force: true })
  }
}

const PREFIX = '.segments-tmp-'
const SPILLS = /^\.segments-tmp-(\d+)-\d+@(.+)$/
