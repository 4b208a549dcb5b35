import { join } from 'node:path'
import { CrawlError } from '../../base/crawl-error.ts'
import {
  DatabaseUnreadable,
  PartUnreadable,
  ResourcesExhausted,
} from '../crawl-directory/crawl-directory-error.ts'
import { LocalSegmentFolder } from '../crawl-directory/segment-folder.ts'
import { isDamage, readFiles, reasonOf } from './segments/unreadable-files.ts'

/**
 * Maps what DuckDB reports about missing resources and damaged files to errors with a remedy; every other error is returned as it is.
 * @param directory the crawl directory
 */
export async function explainFailure(error: unknown, directory: string): Promise<unknown> {
  if (error instanceof CrawlError) return error
  const message = error instanceof Error ? error.message : String(error)
  if (/no space left|disk quota|file too large|max_temp_directory_size/i.test(message)) {
    return new ResourcesExhausted(
      `no room left on the disk of ${directory}: the step was undone and changed nothing; free some space and run it again`,
      { cause: error },
    )
  }
  if (/out of memory error/i.test(message)) {
    return new ResourcesExhausted(
      `the database of ${directory} needs more memory than its limit: the step was undone; raise the limit with --memory`,
      { cause: error },
    )
  }
  if (isDamage(error) && !/checksum/i.test(message)) {
    const file = /["']([^"']+\.parquet)["']/.exec(message)?.[1] ?? (await firstUnreadable(directory))
    if (file !== undefined) return new PartUnreadable(file, directory, reasonOf(error), { cause: error })
  }
  if (/corrupt|checksum/i.test(message)) {
    return new DatabaseUnreadable(
      `the database of ${directory} is damaged: ${message}. Restore it from a copy, or move it away and inject again; updatedb can merge the segments again`,
      { cause: error },
    )
  }
  return error
}

/** For the failures that DuckDB reports without the name of the file: all files are read until one fails in the same way. */
async function firstUnreadable(directory: string): Promise<string | undefined> {
  const folder = new LocalSegmentFolder(join(directory, 'segments'))
  for await (const { damage } of readFiles(folder)) if (damage) return damage.file
  return undefined
}
