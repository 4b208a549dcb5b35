import type { BodySink } from '../fetch/body-sink.ts'
import type { Truncation } from '../fetch/fetch-outcome.ts'
import type { Validators } from '../fetch/fetcher.ts'

/** The content of a file. Equal contents are one file, whatever their URLs. */
export interface FileContent {
  /** Relative to the store: `3f/3f2a….jpg`. */
  readonly path: string
  /** SHA-256, in hexadecimal. */
  readonly hash: string
  /** In bytes. */
  readonly size: number
  /** Content type, from the content and the response: `image/jpeg`. */
  readonly type: string
}

/** The file that a URL had when it was last downloaded or revalidated. */
export interface StoredFile extends FileContent {
  readonly url: string
  /** When that was (ms since the epoch). */
  readonly checkedAt: number
  /** Absent: the URL redirected, or its response had none. */
  readonly validators?: Validators
}

/** Which files are stored. */
export interface FileLimits {
  readonly maxBytes: number
  /** Content types: `image/*`, `application/pdf`. Empty: all. */
  readonly types: readonly string[]
}

/** Stores downloaded files by the hash of their content, and remembers which URL has which file. */
export interface FileStore {
  /** `undefined`: the URL was never downloaded, or its file is gone. */
  find(url: string): Promise<StoredFile | undefined>
  /** Remembers the file of a URL. */
  remember(file: StoredFile): Promise<void>
  /** Starts a download, or continues one that was interrupted. The caller finishes or suspends it. */
  begin(url: string, limits: FileLimits): Promise<FileDraft>
  close(): Promise<void>
}

/** A file that is being downloaded. Its content appears in the store when it is complete. */
export interface FileDraft extends BodySink {
  /** For a request that continues the download: Range and If-Range; empty: it starts from the beginning. */
  readonly headers: Readonly<Record<string, string>>
  /**
   * Ends the draft after a success.
   * @param truncated why the body is incomplete; then it is kept for the next attempt, if the server can continue it
   * @throws when the store fails
   */
  finish(truncated: Truncation | undefined): Promise<DraftEnd>
  /** Ends the draft after any other outcome, and keeps what was received for the next attempt. */
  suspend(): Promise<void>
  /** Ends the draft and deletes what was received. */
  discard(): Promise<void>
}

export type DraftEnd =
  | { readonly kind: 'stored'; readonly file: FileContent }
  /** Over a limit. */
  | { readonly kind: 'rejected'; readonly code: 'file-too-large' | 'file-type'; readonly reason: string }
  /** The same request may succeed. */
  | { readonly kind: 'incomplete'; readonly reason: string }
