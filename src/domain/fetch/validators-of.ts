import { withoutUndefined } from '../../base/without-undefined.ts'
import type { Validators } from './fetcher.ts'
import { type HeaderList, header } from './headers.ts'

/** What a response gives to ask later whether the page has changed; `undefined`: nothing. */
export function validatorsOf(headers: HeaderList): Validators | undefined {
  const etag = header(headers, 'etag')
  const lastModified = header(headers, 'last-modified')
  if (etag === undefined && lastModified === undefined) return undefined
  return withoutUndefined({ etag, lastModified })
}
