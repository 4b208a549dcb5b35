import { resolve } from 'node:path'
import { databaseOf } from '../adapters/duckdb/merge-from.ts'
import { ConfigurationError } from '../base/crawl-error.ts'

/**
 * Checks the crawls whose data a merge adds to the crawl at `path`, before anything is created or changed.
 * @throws ConfigurationError if one of them is not a crawl directory, or is the crawl itself
 */
export function checkMergeSources(path: string, directories: readonly string[]): void {
  for (const directory of directories) {
    if (resolve(directory) === resolve(path))
      throw new ConfigurationError(
        'OPTION_INVALID',
        `${directory} is the crawl directory itself: name the others whose data to add`,
      )
    databaseOf(directory)
  }
}
