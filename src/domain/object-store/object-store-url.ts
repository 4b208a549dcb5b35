import { ConfigurationError } from '../../base/crawl-error.ts'
import { printable } from '../../base/printable.ts'

/** A place in an object store: `s3://bucket/prefix`. */
export interface ObjectStoreUrl {
  readonly bucket: string
  /** Without slashes at its ends; empty for the whole bucket. */
  readonly prefix: string
}

/** Whether a path that a user gives names an object store rather than a file. */
export function isObjectStoreUrl(path: string): boolean {
  return /^s3:\/\//i.test(path)
}

/** @throws ConfigurationError with code OBJECT_STORE_URL_INVALID */
export function parseObjectStoreUrl(url: string): ObjectStoreUrl {
  const [, bucket = '', path = ''] = /^s3:\/\/([^/]*)(?:\/(.*))?$/is.exec(url) ?? []
  if (!/^[a-z0-9][a-z0-9._-]{1,61}[a-z0-9]$/i.test(bucket))
    throw invalid(url, 'a bucket has 3 to 63 letters, digits, dots and hyphens')
  const prefix = path.replace(/^\/+|\/+$/g, '')
  checkKey(prefix, (why) => invalid(url, why))
  return { bucket, prefix }
}

/** The key in the bucket. @throws RangeError for a key that HTTP cannot carry unchanged */
export function fullKey({ prefix }: ObjectStoreUrl, key: string): string {
  const full = prefix === '' ? key : `${prefix}/${key}`
  checkKey(full, (why) => new RangeError(`object key ${printable(full)}: ${why}`))
  return full
}

function checkKey(key: string, error: (why: string) => Error): void {
  // The URL standard resolves these, so the request would be for another key.
  if (key.split('/').some((part) => part === '.' || part === '..'))
    throw error('"." and ".." are not allowed')
  if (/\p{Cc}/u.test(key)) throw error('control characters are not allowed')
  if (Buffer.byteLength(key) > MAX_KEY_BYTES) throw error(`at most ${MAX_KEY_BYTES} bytes`)
}

const MAX_KEY_BYTES = 1024

function invalid(url: string, why: string): ConfigurationError {
  return new ConfigurationError(
    'OBJECT_STORE_URL_INVALID',
    `${printable(url)} is not an address in an object store: ${why}. Example: s3://bucket/prefix`,
  )
}
