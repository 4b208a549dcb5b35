import { mkdir, readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { ifExists } from '../../base/if-exists.ts'
import { SEGMENT_DIRECTORIES, type SegmentDirectory } from '../../domain/segment/segment-columns.ts'

/** The name of a segment: yyyyMMddHHmmss, UTC. */
export function segmentName(atMs: number): string {
  return new Date(atMs).toISOString().replace(/\D/g, '').slice(0, 14)
}

/** Names of the segments below `segmentsPath`, oldest first. */
export async function listSegments(segmentsPath: string): Promise<string[]> {
  const names = (await ifExists(readdir(segmentsPath))) ?? []
  return names.filter((name) => /^\d{14}$/.test(name)).sort()
}

/** Creates a segment without a fetch list and returns its name: the current second, or the next one that is free. */
export async function createSegment(segmentsPath: string, nowMs: number): Promise<string> {
  for (let at = nowMs; ; at += 1000) {
    const name = segmentName(at)
    try {
      await mkdir(join(segmentsPath, name))
      return name
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    }
  }
}

/** The committed files of each directory, oldest first. */
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

/** The name of a part while it is written; `part-*.parquet` does not match it. */
export function temporaryPartFile(part: PartName): string {
  return `.${partFile(part)}.tmp`
}

/**
 * The committed files. A part is committed when its `crawl_fetch` file exists, which gets its name last; that directory is listed first, so that
 * the result is consistent during a write.
 */
export async function segmentFiles(segmentPath: string): Promise<SegmentFiles> {
  const committed = await parquetFiles(join(segmentPath, 'crawl_fetch'))
  const isCommitted = new Set(committed)
  const files: Partial<Record<SegmentDirectory, readonly string[]>> = {}
  for (const directory of SEGMENT_DIRECTORIES) {
    const names = directory === 'crawl_fetch' ? committed : await parquetFiles(join(segmentPath, directory))
    files[directory] = names
      .filter((name) => directory === 'crawl_generate' || isCommitted.has(name))
      .map((name) => join(segmentPath, directory, name))
  }
  return files as SegmentFiles
}

/**
 * Creates the directories of a segment and removes unfinished files of `writer`, left by a killed process. Files of other writers stay.
 * Returns the first free sequence number.
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
 * Removes unfinished files of all writers that are older than an hour. Workers of a fleet hold no lock, so a killed one cannot be told from a
 * running one, but writing a part never takes an hour.
 * @param now wall-clock time, comparable with file times
 */
export async function clearAbandoned(segmentPath: string, now: number): Promise<void> {
  const committed = new Set(await parquetFiles(join(segmentPath, 'crawl_fetch')))
  for (const directory of SEGMENT_DIRECTORIES) {
    if (directory === 'crawl_generate') continue
    const path = join(segmentPath, directory)
    for (const name of await readdir(path).catch(() => [])) {
      if (!PART.test(name) || committed.has(name)) continue
      const file = join(path, name)
      // The writer may rename or remove it at the same time.
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
