import { hash } from 'node:crypto'

/** MD5 of the content in hex; of the URL when there is none, so that empty pages are not duplicates of each other. */
export function md5Signature(bytes: Uint8Array, url: string): string {
  return hash('md5', bytes.length === 0 ? url : bytes)
}
