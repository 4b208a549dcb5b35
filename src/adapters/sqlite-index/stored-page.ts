import { inflateRawSync } from 'node:zlib'
import type { IndexDocument } from '../../domain/indexing/index-document.ts'

/** A row of `pages` joined with that of `texts`. */
export interface StoredPage {
  readonly row: number
  readonly id: string
  readonly url: string
  readonly host: string
  readonly domain: string | null
  readonly title: string | null
  readonly type: string | null
  readonly lang: string | null
  readonly boost: number
  readonly tstamp: number
  readonly last_modified: number | null
  readonly published: number | null
  readonly digest: string | null
  readonly segment: string
  readonly cluster: string | null
  readonly headings: string
  readonly anchors: string
  readonly description: string | null
  readonly metadata: string
  readonly content: Uint8Array
}

/** The document as it was indexed. */
export function documentOf(row: StoredPage): IndexDocument {
  const { id, url, host, domain, title, digest, boost, tstamp, type, lang, segment, cluster } = row
  const { last_modified: lastModified, published, description } = row
  const headings = JSON.parse(row.headings) as string[]
  return {
    ...{ id, url, host, boost, tstamp, segment },
    ...(domain !== null && { domain }),
    ...(title !== null && { title }),
    ...(description !== null && { description }),
    ...(headings.length > 0 && { headings }),
    content: textOf(row.content),
    anchors: JSON.parse(row.anchors) as string[],
    ...(digest !== null && { digest }),
    ...(lastModified !== null && { lastModified }),
    ...(published !== null && { published }),
    ...(type !== null && { type }),
    ...(lang !== null && { lang }),
    ...(cluster !== null && { cluster }),
    metadata: JSON.parse(row.metadata) as IndexDocument['metadata'],
  }
}

export function textOf(deflated: Uint8Array): string {
  return deflated.length === 0 ? '' : inflateRawSync(deflated).toString()
}
