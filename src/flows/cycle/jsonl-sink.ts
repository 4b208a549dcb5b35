import type { PageSink } from '../../domain/segment/page-sink.ts'
import type { RecordedPage } from '../../domain/segment/segment-store.ts'

/** One line of JSON for each page, with the names that the Parquet export has. @param write is given whole lines */
export function jsonlSink(write: (line: string) => Promise<void>): PageSink {
  return {
    write: (page) => write(`${JSON.stringify(exportedPage(page))}\n`),
    close: async () => undefined,
  }
}

function exportedPage({ segment, fetch, parseText, parseData }: RecordedPage): object {
  const { metadata = {} } = parseData ?? {}
  return {
    url: fetch.url,
    fetched_at: new Date(fetch.fetchedAt).toISOString(),
    status: fetch.status,
    http_status: fetch.httpStatus,
    content_type: fetch.contentType,
    title: parseData?.title,
    description: parseData?.description,
    language: parseData?.language,
    canonical: parseData?.canonical,
    noindex: parseData?.noindex,
    text: parseText?.text,
    signature: fetch.signature,
    bytes: fetch.bytes,
    etag: fetch.validators?.etag,
    last_modified: fetch.validators?.lastModified,
    metadata: Object.keys(metadata).length === 0 ? undefined : metadata,
    segment,
  }
}
