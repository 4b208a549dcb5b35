import { CommanderError } from 'commander'
import { CrawlDirectoryMissing } from '../adapters/crawl-directory/crawl-directory-error.ts'
import { IndexMissing } from '../adapters/sqlite-index/index-file.ts'
import { ConfigurationError } from '../base/crawl-error.ts'
import { EXIT, type ExitCode } from './command-context.ts'

/** Errors that the user corrects on the command line or in a file, before anything was started. */
export const USAGE_ERRORS = [CommanderError, ConfigurationError, CrawlDirectoryMissing, IndexMissing] as const

/** The exit code of a command that this error ended. */
export function exitCodeOf(error: unknown): ExitCode {
  return USAGE_ERRORS.some((type) => error instanceof type) ? EXIT.usage : EXIT.failed
}
