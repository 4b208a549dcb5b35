import { CrawlError } from '../base/crawl-error.ts'

/** Somebody else works on the crawl directory. */
export class CrawlDirectoryLocked extends CrawlError {
  readonly code = 'CRAWL_DIRECTORY_LOCKED'
  readonly retryable = true
}

/** There is no crawl where one was to be read. */
export class CrawlDirectoryMissing extends CrawlError {
  readonly code = 'CRAWL_DIRECTORY_MISSING'
  readonly retryable = false
}

/** The database file is damaged, of a newer version, or no database. It was not changed. */
export class DatabaseUnreadable extends CrawlError {
  readonly code = 'DATABASE_UNREADABLE'
  readonly retryable = false
}

/** The disk or the memory that was given did not suffice. The step was undone. */
export class ResourcesExhausted extends CrawlError {
  readonly code = 'RESOURCES_EXHAUSTED'
  readonly retryable = true
}

/** What DuckDB says about a want of resources or a damaged file, told in our words; every other error as it is. */
export function explainFailure(error: unknown, directory: string): unknown {
  const message = error instanceof Error ? error.message : String(error)
  if (/no space left|disk quota|file too large|max_temp_directory_size/i.test(message)) {
    return new ResourcesExhausted(
      `no room left on the disk of ${directory}: the step was undone, the crawl is as it was before; free some space and run it again`,
      { cause: error },
    )
  }
  if (/out of memory error/i.test(message)) {
    return new ResourcesExhausted(
      `the memory given to the database of ${directory} does not suffice: the step was undone; give more with --memory`,
      { cause: error },
    )
  }
  if (/corrupt|checksum/i.test(message)) {
    return new DatabaseUnreadable(
      `the database of ${directory} is damaged: ${message}. Restore it from a copy, or move it away and inject anew; the segments can be folded in again with updatedb`,
      { cause: error },
    )
  }
  return error
}
