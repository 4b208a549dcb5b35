import { CrawlError } from '../base/crawl-error.ts'

/** What went wrong, in one line where it can be told; a mistake of ours keeps its stack, for whoever is going to mend it. */
export function failureText(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  // A code of ours: the message is for people, and says all there is to say.
  if (error instanceof CrawlError) return error.message
  const { code, syscall, path } = error as NodeJS.ErrnoException
  if (code !== undefined && syscall !== undefined)
    return `${path ?? syscall}: ${REASONS[code] ?? error.message}`
  // What the database says about a file that it cannot read or write.
  if (error.message.startsWith('IO Error: ')) return error.message.slice('IO Error: '.length)
  return error.stack ?? error.message
}

const REASONS: Readonly<Record<string, string>> = {
  EACCES: 'permission denied',
  EEXIST: 'there is something of that name already',
  EISDIR: 'is a directory',
  EMFILE: 'too many open files',
  ENOENT: 'no such file or directory',
  ENOSPC: 'no room left on the disk',
  ENOTDIR: 'a part of this path is not a directory',
  EPERM: 'not permitted',
  EROFS: 'the file system is read-only',
}
