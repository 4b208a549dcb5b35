import { mkdir, readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { ifExists } from '../../base/if-exists.ts'
import { SEGMENT_DIRECTORIES, type SegmentDirectory } from '../../domain/segment/segment-columns.ts'

/** The files of each directory that count, in the order they were written. */
export type SegmentFiles = Readonly<Record<SegmentDirectory, readonly string[]>>

/** A part: the rows of some pages, at most one file in each directory, all of the same name. */
export interface PartName {
  readonly sequence: number
  readonly writer: string
}

/** `part-000017-w1.parquet`: sorts by age, and no two writers share a name. */
export function partFile({ sequence, writer }: PartName): string {
  return `part-${String(sequence).padStart(6, '0')}-${writer}.parquet`
}

/** What a part is called while it is being written; `part-*.parquet` does not match it. */
export function temporaryPartFile(part: PartName): string {
  return `.${partFile(part)}.tmp`
}

/**
 * The files that count. A part of the fetcher or the parser counts when its `crawl_fetch` file is there, which is the last
 * to get its name; looking there first makes this right while somebody writes.
 */
export async function segmentFiles(segmentPath: string): Promise<SegmentFiles> {
  const committed = await parquetFiles(join(segmentPath, 'crawl_fetch'))
  const counts = new Set(committed)
  const files: Partial<Record<SegmentDirectory, readonly string[]>> = {}
  for (const directory of SEGMENT_DIRECTORIES) {
    const names = directory === 'crawl_fetch' ? committed : await parquetFiles(join(segmentPath, directory))
    files[directory] = names
      .filter((name) => directory === 'crawl_generate' || counts.has(name))
      .map((name) => join(segmentPath, directory, name))
  }
  return files as SegmentFiles
}

/**
 * Makes a segment ready for `writer`: its directories exist, and what this writer had not finished when it was killed is gone.
 * What other writers are at stays. Returns the first free sequence number.
 */
export async function prepareForAppend(segmentPath: string, writer: string): Promise<number> {
  const committed = new Set(await parquetFiles(join(segmentPath, 'crawl_fetch')))
  let last = 0
  for (const directory of SEGMENT_DIRECTORIES) {
    if (directory === 'crawl_generate') continue
    const path = join(segmentPath, directory)
    await mkdir(path, { recursive: true })
    for (const name of await readdir(path)) {
      const part = PART.exec(name)
      if (part === null) continue
      last = Math.max(last, Number(part[1]))
      if (part[2] === writer && !committed.has(name)) await rm(join(path, name), { force: true })
    }
  }
  return last + 1
}

/**
 * Removes what writers of whatever name had not finished when they were killed. Workers of a fleet hold no lock, so nobody can tell a dead one from
 * one at work, but none takes an hour over a part.
 * @param now by the time of day, as files have it
 */
export async function clearAbandoned(segmentPath: string, now: number): Promise<void> {
  const committed = new Set(await parquetFiles(join(segmentPath, 'crawl_fetch')))
  for (const directory of SEGMENT_DIRECTORIES) {
    if (directory === 'crawl_generate') continue
    const path = join(segmentPath, directory)
    for (const name of await readdir(path).catch(() => [])) {
      if (!PART.test(name) || committed.has(name)) continue
      const file = join(path, name)
      // It may get its name, or be given up, while we look.
      const { mtimeMs } = await stat(file).catch(() => ({ mtimeMs: now }))
      if (now - mtimeMs > ABANDONED_MS) await rm(file, { force: true })
    }
  }
}

const ABANDONED_MS = 3_600_000

const PART = /^\.?part-(\d+)-(.+)\.parquet(?:\.tmp)?$/

async function parquetFiles(path: string): Promise<string[]> {
  const names = (await ifExists(readdir(path))) ?? []
  return names.filter((name) => name.startsWith('part-') && name.endsWith('.parquet')).sort()
}
