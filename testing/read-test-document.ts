import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import type { PageReading } from '../src/domain/content/page-reading.ts'
import { type DocumentOptions, readDocument } from '../src/domain/content/read-document.ts'
import { normalizeUrl } from '../src/domain/url/normalize-url.ts'
import { FakeClock } from './fake-clock.ts'

/** A file of `testing/documents/`. */
export function testDocument(name: string): Buffer {
  const bytes = readFileSync(join(import.meta.dirname, 'documents', name))
  return name.endsWith('.gz') ? gunzipSync(bytes) : bytes
}

/** Reads a body as a crawl does, without a Content-Type. */
export function readTestDocument(
  bytes: Uint8Array,
  options: Partial<DocumentOptions> & { readonly name?: string; readonly contentType?: string } = {},
): Promise<PageReading> {
  const { name = 'document', contentType, ...reading } = options
  return readDocument(
    {
      url: `http://a.test/dir/${name}`,
      headers: contentType === undefined ? [] : [['content-type', contentType]],
      bytes,
    },
    { agent: 'orbweaver', normalize: normalizeUrl, pdf: { clock: new FakeClock() }, ...reading },
  )
}
