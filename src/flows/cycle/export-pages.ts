import { withoutUndefined } from '../../base/without-undefined.ts'
import { storedContent } from '../../domain/extraction/stored-content.ts'
import type { NearPage } from '../../domain/novelty/novelty-report.ts'
import type { AiUse } from '../../domain/robots/ai-use.ts'
import { type ExportedPages, exclusionReason, type PageSink } from '../../domain/segment/page-sink.ts'
import type { PageFilter, RecordedPage, SegmentStore } from '../../domain/segment/segment-store.ts'

export interface ExportOptions {
  /** @default all */
  readonly names?: readonly string[]
  /** @default pages that were fetched */
  readonly statuses?: NonNullable<PageFilter['statuses']>
  /** Read the responses, too. @default true */
  readonly content?: boolean
  /** Pages that refuse one of these uses are not exported. @default none */
  readonly excludeRefused?: readonly AiUse[]
  /** Pages with near-duplicates, by URL. @default none */
  readonly near?: ReadonlyMap<string, NearPage>
  /** Whether pages that have a representative are exported, too. @default true */
  readonly nearDuplicates?: boolean
  /** Interrupts it, which fails then. */
  readonly signal?: AbortSignal
}

/** Writes the newest version of each page to `sink` and closes it. */
export async function exportPages(
  segments: SegmentStore,
  sink: PageSink,
  options: ExportOptions = {},
): Promise<ExportedPages> {
  const { names, statuses = ['fetch_success'], content = true, excludeRefused = [] } = options
  const { near = new Map<string, NearPage>(), nearDuplicates = true } = options
  let pages = 0
  const excluded: Record<string, number> = {}
  for await (const batch of segments.pages(names ?? (await segments.list()), {
    statuses,
    content,
    links: false,
    ...withoutUndefined({ signal: options.signal }),
  })) {
    for (const page of batch) {
      const isRepeated = !nearDuplicates && near.get(page.fetch.url)?.kept === false
      const reason = isRepeated ? NEAR_DUPLICATE : exclusionReason(page.fetch, excludeRefused)
      if (reason === undefined) {
        await sink.write(page)
        pages++
      } else excluded[reason] = (excluded[reason] ?? 0) + 1
    }
  }
  await sink.close()
  return { pages, excluded }
}

const NEAR_DUPLICATE = 'near-duplicate'

/**
 * One line of JSON per page, with the column names of the Parquet export.
 * @param write called with whole lines
 * @param near pages with near-duplicates, by URL, whose cluster is added
 * @param clean whether `text` is the main content, and structured data is added; needs the bodies of pages
 */
export function jsonlSink(
  write: (line: string) => Promise<void>,
  clean = false,
  near: ReadonlyMap<string, NearPage> = new Map(),
): PageSink {
  return {
    write: (page) => {
      const cluster = near.get(page.fetch.url)?.cluster
      return write(`${JSON.stringify({ ...exportedPage(page), cluster, ...(clean && cleanFields(page)) })}\n`)
    },
    close: async () => undefined,
  }
}

function cleanFields(page: RecordedPage): object {
  const content = storedContent(page)
  if (content === undefined) return {}
  const { byline, published, modified, siteName } = content.details()
  const { jsonLd, openGraph, microdata } = content.structured
  return {
    text: content.text(),
    ...{ byline, published, modified, site_name: siteName },
    json_ld: jsonLd.length === 0 ? undefined : jsonLd,
    open_graph: Object.keys(openGraph).length === 0 ? undefined : openGraph,
    microdata: microdata.length === 0 ? undefined : microdata,
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
    ai_use: fetch.aiUse,
    metadata: Object.keys(metadata).length === 0 ? undefined : metadata,
    segment,
  }
}
