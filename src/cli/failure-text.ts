import { CrawlError } from '../base/crawl-error.ts'

/** The message of an error in one line. Unexpected errors keep their stack. */
export function failureText(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  if (error instanceof CrawlError) return error.message
  const { code, syscall, path } = error as NodeJS.ErrnoException
  if (code !== undefined && syscall !== undefined)
    return `${path ?? syscall}: ${REASONS[code] ?? error.message}`
  // A file that DuckDB cannot read or write.
  if (error.message.startsWith('IO Error: ')) return error.message.slice('IO Error: '.length)
  return error.stack ?? error.message
}

/**
 * The error that came first: when closing a crawl fails after a step has failed, `await using` throws both in one.
 * By name, as Node.js 22 has no SuppressedError.
 */
export function firstError(error: unknown): unknown {
  const isPair = error instanceof Error && error.name === 'SuppressedError' && 'suppressed' in error
  return isPair ? firstError(error.suppressed) : error
}

const REASONS: Readonly<Record<string, string>> = {
  EACCES: 'permission denied',
  EEXIST: 'already exists',
  EISDIR: 'is a directory',
  EMFILE: 'too many open files',
  ENOENT: 'no such file or directory',
  ENOSPC: 'no space left on the device',
  ENOTDIR: 'a part of this path is not a directory',
  EPERM: 'not permitted',
  EROFS: 'the file system is read-only',
}
