import { CrawlError } from '../../base/crawl-error.ts'

/** An object of a store, as `list` returns it. */
export interface StoredObject {
  /** Relative to the prefix of the store. */
  readonly key: string
  readonly bytes: number
  /** Changes when the object is replaced. Opaque: not always a hash of the content. */
  readonly etag: string
}

/** The content of an object: bytes in memory, or a local file, which may be of any size. */
export type ObjectContent = Uint8Array | { readonly file: string }

export interface PutOptions {
  /** Keep an existing object, instead of replacing it. @default false */
  readonly ifAbsent?: boolean
}

/**
 * A store of objects: keys with bytes. A put is atomic: readers see the whole object, or the earlier one, or none. Keys are relative to the
 * prefix of the store, with `/` between their parts.
 *
 * A store retries transient failures itself (busy server, broken connection). When it gives up, the method rejects with
 * `ObjectStoreUnavailable`; when the server rejects the request, with `ObjectStoreRefused`. Puts and deletes can be repeated.
 */
export interface ObjectStore {
  /** `s3://bucket/prefix`, for people. */
  readonly url: string
  /** Resolves when the object is durable. `exists`: there is one already, put by another writer (with `ifAbsent`). */
  put(key: string, content: ObjectContent, options?: PutOptions): Promise<'put' | 'exists'>
  /** Rejects as a put of this key would, if the bucket is missing or the credentials do not permit puts. Leaves no object. */
  checkPut(key: string): Promise<void>
  /** The content, or `undefined` if there is no such object. */
  get(key: string): Promise<Uint8Array | undefined>
  /** The content in pieces of one version of the object, also if it is replaced meanwhile; `undefined` if there is no such object. */
  read(key: string): Promise<AsyncIterable<Uint8Array> | undefined>
  /** Writes the content to a local file that appears when it is complete. `false` if there is no such object. */
  download(key: string, file: string): Promise<boolean>
  /** Objects whose key starts with `prefix`, in the order of their keys. Pages are requested as they are read. */
  list(prefix: string): AsyncIterable<StoredObject>
  /** Keys without an object are ignored. */
  delete(keys: readonly string[]): Promise<void>
  close(): Promise<void>
}

/**
 * The object store cannot be reached, or accepted no requests for a minute.
 * Remedy: Check its endpoint and the network, then run the same command again: it resumes.
 */
export class ObjectStoreUnavailable extends CrawlError {
  readonly code = 'OBJECT_STORE_UNAVAILABLE'
  readonly retryable = true
}

/** Why a store rejects requests until its user changes something. */
export type RefusalReason =
  | 'bucket-missing'
  | 'clock-skew'
  | 'credentials-expired'
  | 'credentials-missing'
  | 'credentials-unknown'
  | 'not-a-store'
  | 'other'
  | 'permission-denied'
  | 'wrong-region'

/**
 * The object store rejects the credentials, the bucket, the region or the clock, or a permission is missing.
 * Remedy: The message says what to change. Then run the same command again.
 *
 * The store would reject the request again.
 */
export class ObjectStoreRefused extends CrawlError {
  readonly code = 'OBJECT_STORE_REFUSED'
  readonly retryable = false
  readonly reason: RefusalReason

  constructor(reason: RefusalReason, message: string, options?: ErrorOptions) {
    super(message, options)
    this.reason = reason
  }
}
