import { randomBytes } from 'node:crypto'
import { mkdir, readdir, readFile, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { z } from 'zod'
import type { DurableFiles } from '../../base/durable-files.ts'
import { ifExists } from '../../base/if-exists.ts'
import { SEGMENT_DIRECTORIES, type SegmentDirectory } from '../../domain/segment/segment-columns.ts'
import type { UnreadableFile } from '../../domain/segment/segment-inspector.ts'
import type { Merge } from '../../domain/segment/segment-merger.ts'

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
 * @param committed names of the committed parts
 */
export async function prepareForAppend(
  segmentPath: string,
  writer: string,
  committed: ReadonlySet<string>,
): Promise<number> {
  let last = 0
  for (const name of committed) last = Math.max(last, Number(PART.exec(name)?.[1] ?? 0))
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
 * Removes unfinished files of other processes, for the one that holds the lock of the crawl directory: all of earlier holders of the lock, and
 * those of workers that are older than an hour. Workers of a fleet hold no lock, so a killed one cannot be told from a running one, but
 * writing a part never takes an hour.
 * @param now wall-clock time, comparable with file times
 * @param committed names of the committed parts
 */
export async function clearAbandoned(
  segmentPath: string,
  now: number,
  committed: ReadonlySet<string>,
): Promise<void> {
  for (const directory of SEGMENT_DIRECTORIES) {
    if (directory === 'crawl_generate') continue
    const path = join(segmentPath, directory)
    for (const name of await readdir(path).catch(() => [])) {
      const part = PART.exec(name)
      if (part === null || committed.has(name)) continue
      const file = join(path, name)
      if (LOCK_HOLDER.test(part[2] ?? '')) {
        await rm(file, { force: true })
        continue
      }
      // The writer may rename or remove it at the same time.
      const { mtimeMs } = await stat(file).catch(() => ({ mtimeMs: now }))
      if (now - mtimeMs > ABANDONED_MS) await rm(file, { force: true })
    }
  }
}

const ABANDONED_MS = 3_600_000

/** The name of a writer that holds the lock of its crawl directory. @param unique whether no other process on any machine has the same name */
export function lockHolderName(unique: boolean): string {
  return unique ? `w0x${randomBytes(6).toString('hex')}` : 'w0'
}

const LOCK_HOLDER = /^w0(?:x[0-9a-f]+)?$/

/** A name that no other worker on any machine gives to its parts of a segment. */
export function workerName(): string {
  return `w${randomBytes(6).toString('hex')}`
}

const PART = /^\.?part-(\d+)-(.+)\.parquet(?:\.tmp)?$/

async function parquetFiles(path: string): Promise<string[]> {
  const names = (await ifExists(readdir(path))) ?? []
  return names.filter((name) => name.startsWith('part-') && name.endsWith('.parquet')).sort()
}

/**
 * Moves all files of these parts to `damaged/<time>/<segment>/<directory>/` of the crawl directory. The file of `crawl_fetch` goes first: without it
 * a part does not count, so that nothing ever reads half of it.
 */
export async function setPartsAside(
  disk: DurableFiles,
  directory: string,
  parts: readonly Pick<UnreadableFile, 'segment' | 'part'>[],
  now: number,
): Promise<string> {
  const folder = await newFolder(join(directory, 'damaged'), now)
  for (const { segment, part } of parts) {
    for (const name of SEGMENT_DIRECTORIES.toReversed()) {
      const from = join(directory, 'segments', segment, name, part)
      const to = join(folder, segment, name, part)
      if ((await stat(from).catch(() => undefined)) === undefined) continue
      await mkdir(dirname(to), { recursive: true })
      await disk.rename(from, to)
      await disk.sync(dirname(to))
      await disk.sync(dirname(from))
    }
  }
  return folder
}

/** `20260115080000`, or `20260115080000-2` when there is one: files of an earlier repair are never replaced. */
async function newFolder(parent: string, now: number): Promise<string> {
  await mkdir(parent, { recursive: true })
  const time = new Date(now).toISOString().replaceAll(/\D/g, '').slice(0, 14)
  for (let n = 1; ; n++) {
    const folder = join(parent, n === 1 ? time : `${time}-${n}`)
    try {
      await mkdir(folder)
      return folder
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    }
  }
}

/** In the directory of a segment that was merged from others: which, and how. It comes with the segment, whole or not at all. */
export const MERGE_FILE = 'merged.json'

const mergeRecord = z.object({ from: z.array(z.string()), into: z.array(z.string()), how: z.string() })

export async function writeMerge(disk: DurableFiles, segmentPath: string, merge: Merge): Promise<void> {
  const file = join(segmentPath, MERGE_FILE)
  await disk.write(file, [`${JSON.stringify(merge)}\n`])
  await disk.sync(file)
  await disk.sync(segmentPath)
}

/** The merges whose new segments are all among `names`. A record that cannot be read is none: the merge can be made again. */
export async function readMerges(segmentsPath: string, names: readonly string[]): Promise<Merge[]> {
  const merges: Merge[] = []
  for (const name of names) {
    const text = await readFile(join(segmentsPath, name, MERGE_FILE), 'utf8').catch(() => undefined)
    const merge = text === undefined ? undefined : parseMerge(text)
    if (merge !== undefined) merges.push(merge)
  }
  return completeMerges(merges, names)
}

/** The merges whose new segments are all among `names`, each once. */
export function completeMerges(merges: readonly Merge[], names: readonly string[]): Merge[] {
  const complete = merges.filter(({ into }) => into.every((name) => names.includes(name)))
  return [...new Map(complete.map((merge) => [merge.into.join(), merge])).values()]
}

/** `undefined` for text that is not a record. */
export function parseMerge(text: string): Merge | undefined {
  try {
    return mergeRecord.parse(JSON.parse(text))
  } catch {
    return undefined
  }
}
