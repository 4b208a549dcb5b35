import { CrawlError } from '../../base/crawl-error.ts'

/**
 * Another process works on the crawl directory.
 * Remedy: Wait for it. Use `--force` only if that process no longer runs, for example on another machine.
 */
export class CrawlDirectoryLocked extends CrawlError {
  readonly code = 'CRAWL_DIRECTORY_LOCKED'
  readonly retryable = true
}

/**
 * There is no crawl in this directory.
 * Remedy: Check the path; `orbweaver crawl <dir> <url>` creates a crawl.
 */
export class CrawlDirectoryMissing extends CrawlError {
  readonly code = 'CRAWL_DIRECTORY_MISSING'
  readonly retryable = false
}

/**
 * The CrawlDb is damaged, was written by a newer version, or is not a database. It was not changed.
 * Remedy: Run `orbweaver doctor <dir>`, update Orbweaver, or restore a copy.
 */
export class DatabaseUnreadable extends CrawlError {
  readonly code = 'DATABASE_UNREADABLE'
  readonly retryable = false
}

/**
 * The disk is full, or the memory of the database did not suffice. The step was undone.
 * Remedy: Free some disk space, or raise `--memory`, then run the command again.
 */
export class ResourcesExhausted extends CrawlError {
  readonly code = 'RESOURCES_EXHAUSTED'
  readonly retryable = true
}

/**
 * A file of a segment is damaged: truncated, overwritten, or not Parquet. It was not changed.
 * Remedy: Run `orbweaver doctor <dir> --repair`.
 */
export class PartUnreadable extends CrawlError {
  readonly code = 'PART_UNREADABLE'
  readonly retryable = false
  readonly file: string

  /**
   * @param directory the crawl directory
   * @param reason what DuckDB says about the file
   */
  constructor(file: string, directory: string, reason: string, options?: ErrorOptions) {
    super(
      `${file} cannot be read: ${reason}. Nothing was changed. Run "orbweaver doctor ${directory} --repair" to move it aside and fetch its pages again`,
      options,
    )
    this.file = file
  }
}
