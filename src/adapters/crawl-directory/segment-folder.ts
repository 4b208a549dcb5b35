import { rename, rm, stat } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { SEGMENT_DIRECTORIES, type SegmentDirectory } from '../../domain/segment/segment-columns.ts'
import type { Merge } from '../../domain/segment/segment-merger.ts'
import { listSegments, readMerges, type SegmentFiles, segmentFiles } from './segment-files.ts'

/**
 * The files of the segments of a crawl. All of them have a path below `path`, where they are written and read; they may be stored elsewhere,
 * and then a file has to be held before it is read.
 */
export interface SegmentFolder {
  /** The directory `segments` of the crawl directory. */
  readonly path: string
  /** Names, oldest first. */
  list(): Promise<string[]>
  /** The committed files of a segment; `undefined` if there is no such segment. */
  files(name: string): Promise<SegmentFiles | undefined>
  /** Resolves when the files can be read. They stay readable until the returned function is called. */
  hold(files: readonly string[]): Promise<Release>
  /** Replaces a damaged copy of a file by a new one; `false` if the file is stored here and has no other copy. */
  renew(file: string): Promise<boolean>
  /** Makes a new segment visible that is complete below `path`; or one part of it, whose files have their names. */
  publish(name: string, part?: string): Promise<void>
  /** Deletes a segment, or one part of it. */
  remove(name: string, part?: string): Promise<void>
  /** The merges whose new segments all exist. */
  merges(): Promise<readonly Merge[]>
  /** Publishes the work of killed processes that is complete. The caller holds the lock of the crawl directory. */
  recover(): Promise<void>
}

/** Ends the use of held files. */
export type Release = () => void

/** The files of some directories of a segment. */
export function filesIn(files: SegmentFiles, ...directories: readonly SegmentDirectory[]): string[] {
  return directories.flatMap((directory) => files[directory])
}

/** Runs `work` while `files` can be read. */
export async function holding<T>(
  folder: Pick<SegmentFolder, 'hold'>,
  files: readonly string[],
  work: () => Promise<T>,
): Promise<T> {
  const release = await folder.hold(files)
  try {
    return await work()
  } finally {
    release()
  }
}

/** Names of the committed parts of a segment. */
export function committedParts(files: SegmentFiles | undefined): Set<string> {
  return new Set(files?.crawl_fetch.map((file) => basename(file)))
}

/** Segments that are stored in the crawl directory itself. */
export class LocalSegmentFolder implements SegmentFolder {
  readonly path: string

  /** @param path need not exist yet */
  constructor(path: string) {
    this.path = path
  }

  list(): Promise<string[]> {
    return listSegments(this.path)
  }

  async files(name: string): Promise<SegmentFiles | undefined> {
    const path = join(this.path, name)
    return isSegmentName(name) && (await isDirectory(path)) ? segmentFiles(path) : undefined
  }

  async hold(): Promise<Release> {
    return () => {}
  }

  async renew(): Promise<boolean> {
    return false
  }

  async publish(): Promise<void> {}

  async remove(name: string, part?: string): Promise<void> {
    if (part !== undefined) return removePart(join(this.path, name), part)
    // A directory that is half deleted must not look like a segment.
    const removed = join(this.path, `.${name}.removed`)
    await rename(join(this.path, name), removed)
    await rm(removed, { recursive: true })
  }

  async merges(): Promise<readonly Merge[]> {
    return readMerges(this.path, await this.list())
  }

  async recover(): Promise<void> {}
}

/** Segments of other origin may have any name, but never that of a temporary directory or of another place. */
function isSegmentName(name: string): boolean {
  return /^[^./\\][^/\\]*$/.test(name)
}

/** The file of `crawl_fetch` goes first: without it a part does not count. */
async function removePart(segmentPath: string, part: string): Promise<void> {
  for (const directory of SEGMENT_DIRECTORIES.toReversed())
    await rm(join(segmentPath, directory, part), { force: true })
}

async function isDirectory(path: string): Promise<boolean> {
  return (await stat(path).catch(() => undefined))?.isDirectory() === true
}
