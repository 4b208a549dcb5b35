import { sniffType } from '../../domain/content/sniff-type.ts'
import { header } from '../../domain/fetch/headers.ts'
import type { PageToParse } from '../../domain/parse/parsed-page.ts'

/**
 * Whether the main thread may parse a page. Our readers take time linear in the number of bytes, so that the size limits the time: the worst
 * page of this size that we know, 13,000 links and nothing else, takes 0.2 s before V8 has compiled the code, and 0.05 s after. A PDF
 * or a mail is read by a library that promises nothing about time, and a compressed file may be a thousand times as large as its bytes.
 */
export function isSmallPage(page: PageToParse): boolean {
  const { url, headers, bytes } = page
  return (
    bytes.length <= MAX_BYTES && !NEVER_SMALL.has(sniffType(bytes, header(headers, 'content-type'), url).kind)
  )
}

const MAX_BYTES = 128 * 1024
const NEVER_SMALL: ReadonlySet<string> = new Set(['pdf', 'document', 'gzip'])
