import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { DurableFiles } from '../../base/durable-files.ts'
import type { PartBuffer, PartDirectory } from './part-buffer.ts'
import { type PartName, partFile, temporaryPartFile } from './segment-files.ts'

/**
 * Writes the pages of `buffer` as one part. Every file is whole and on the disk before any of them gets its name, and that of
 * `crawl_fetch` gets it last: it makes the part count. When something fails, nothing of the part stays.
 */
export async function writePart(
  files: DurableFiles,
  segmentPath: string,
  part: PartName,
  buffer: PartBuffer,
): Promise<void> {
  const directories = WRITING_ORDER.filter((directory) => buffer.tables[directory].rows > 0)
  const pathOf = (directory: PartDirectory) => join(segmentPath, directory, partFile(part))
  const temporaryOf = (directory: PartDirectory) => join(segmentPath, directory, temporaryPartFile(part))
  try {
    for (const directory of directories)
      await files.write(temporaryOf(directory), await buffer.tables[directory].finish())
    await Promise.all(directories.map((directory) => files.sync(temporaryOf(directory))))
    for (const directory of directories) {
      if (directory === 'crawl_fetch') continue
      await files.rename(temporaryOf(directory), pathOf(directory))
      await files.sync(join(segmentPath, directory))
    }
    await files.rename(temporaryOf('crawl_fetch'), pathOf('crawl_fetch'))
  } catch (error) {
    // The disk may be full: make room. What cannot be removed does not count, and goes when the segment is opened again.
    const leftovers = directories.flatMap((directory) => [temporaryOf(directory), pathOf(directory)])
    await Promise.allSettled(leftovers.map((path) => rm(path, { force: true })))
    throw error
  }
  await files.sync(join(segmentPath, 'crawl_fetch'))
}

const WRITING_ORDER = ['content', 'parse_text', 'parse_data', 'crawl_parse', 'crawl_fetch'] as const
