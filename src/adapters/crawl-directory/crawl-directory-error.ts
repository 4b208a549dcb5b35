import { CrawlError } from '../../base/crawl-error.ts'

/** Another process works on the crawl directory. */
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

/** A file of a segment is damaged: truncated, overwritten, or not Parquet. It was not changed. */
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
