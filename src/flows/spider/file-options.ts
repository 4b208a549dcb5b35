import type { FileContent } from '../../domain/files/file-store.ts'

/**
 * How the files of a spider are downloaded.
 * @example
 * ```ts
 * files: { types: ['image/*'], maxBytes: 20_000_000 },
 * ```
 */
export interface FileOptions {
  /** A folder, or `s3://bucket/prefix`. @default `files/` in the crawl directory */
  readonly store?: string
  /** Maximum size of a file; a larger one fails, and nothing of it is kept. @default 1073741824 (1 GiB) */
  readonly maxBytes?: number
  /** Content types of files to store, such as `image/*`; others fail. Detected from the content and the response. @default all */
  readonly types?: readonly string[]
  /**
   * A file that was downloaded or revalidated less than so many days ago is not requested again. After that, it is only downloaded if it
   * changed. Scrapy's FILES_EXPIRES. @default 1
   */
  readonly expiresDays?: number
  /** Maximum time of one request for a file; the next attempt continues where it ended, if the server permits it. @default 3600 */
  readonly timeoutSeconds?: number
}

/** A file in an item, as `page.download` adds it. */
export type ItemFile =
  | ({
      /** As the page has it, made absolute. */
      readonly url: string
      /**
       * `downloaded`; `not-modified`: the server confirmed the stored file; `cached`: it was stored less than `expiresDays` ago, and not
       * requested.
       */
      readonly status: 'downloaded' | 'not-modified' | 'cached'
    } & FileContent)
  | {
      readonly url: string
      readonly status: 'failed'
      /** As in dead letters: `http-404`, `file-too-large`, `file-type`, `file-incomplete`, … */
      readonly code: string
      readonly reason: string
    }

const DAY_MS = 86_400_000

export type ResolvedFileOptions = ReturnType<typeof fileOptions>

export function fileOptions({
  maxBytes = 1024 ** 3,
  types = [],
  expiresDays = 1,
  timeoutSeconds = 3_600,
}: FileOptions) {
  return {
    limits: { maxBytes, types },
    expiresMs: expiresDays * DAY_MS,
    timeoutMs: timeoutSeconds * 1_000,
  }
}
