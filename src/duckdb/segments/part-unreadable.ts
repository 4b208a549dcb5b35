import { CrawlError } from '../../base/crawl-error.ts'

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
