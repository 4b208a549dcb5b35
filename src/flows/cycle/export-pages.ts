import { printable } from '../../base/printable.ts'
import type { AiUse } from '../../domain/robots/ai-use.ts'
import { type ExportedPages, exclusionReason, type PageSink } from '../../domain/segment/page-sink.ts'
import type { PageFilter, RecordedPage, SegmentStore } from '../../domain/segment/segment-store.ts'
import { fingerprint64 } from '../../domain/url/fingerprint.ts'

export interface ExportOptions {
  /** @default all */
  readonly names?: readonly string[]
  /** @default pages that were fetched */
  readonly statuses?: NonNullable<PageFilter['statuses']>
  /** Read the responses, too. @default true */
  readonly content?: boolean
  /** Pages that refuse one of these uses are not exported. @default none */
  readonly excludeRefused?: readonly AiUse[]
}

/** Writes the newest version of each page to `sink` and closes it. */
export async function exportPages(
  segments: SegmentStore,
  sink: PageSink,
  { names, statuses = ['fetch_success'], content = true, excludeRefused = [] }: ExportOptions = {},
): Promise<ExportedPages> {
  let pages = 0
  const excluded: Record<string, number> = {}
  for await (const batch of segments.pages(names ?? (await segments.list()), {
    statuses,
    content,
    links: false,
  })) {
    for (const page of batch) {
      const reason = exclusionReason(page.fetch, excludeRefused)
      if (reason === undefined) {
        await sink.write(page)
        pages++
      } else excluded[reason] = (excluded[reason] ?? 0) + 1
    }
  }
  await sink.close()
  return { pages, excluded }
}

/** One line of JSON per page, with the column names of the Parquet export. @param write called with whole lines */
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
    ai_use: fetch.aiUse,
    metadata: Object.keys(metadata).length === 0 ? undefined : metadata,
    segment,
  }
}

/**
 * One Markdown file per page with text: `host/path-of-the-page-1a2b3c4d.md`. The hash makes names unique for URLs that differ only in
 * characters that the name leaves out.
 * @param write called with a relative path of safe characters, separated by `/`
 */
export function markdownSink(write: (path: string, text: string) => Promise<void>): PageSink {
  return {
    async write(page) {
      if (page.parseText !== undefined)
        await write(pathOf(page.fetch.url), markdown(page, page.parseText.text))
    },
    close: async () => undefined,
  }
}

function pathOf(url: string): string {
  const { hostname, pathname } = new URL(url)
  const slug = pathname.replace(/[^A-Za-z0-9]+/g, '-').replace(/^-+|-+$/g, '')
  const host = hostname.replace(/[^A-Za-z0-9.-]/g, '_').replace(/^\.+/, '_')
  const hash = fingerprint64(url).toString(16).padStart(16, '0').slice(0, 8)
  return `${host}/${slug.slice(0, MAX_SLUG) || 'index'}-${hash}.md`
}

/** File systems allow 255 bytes. */
const MAX_SLUG = 120

function markdown({ fetch, parseData }: RecordedPage, text: string): string {
  const title = printable(parseData?.title ?? '', 300)
  // A JSON string is a YAML string.
  const front = {
    url: fetch.url,
    title,
    fetched: new Date(fetch.fetchedAt).toISOString(),
    language: parseData?.language,
    description: parseData?.description,
  }
  const lines = Object.entries(front).flatMap(([key, value]) =>
    value ? [`${key}: ${JSON.stringify(value)}`] : [],
  )
  const heading = title === '' ? '' : `# ${title.replace(/([\\`*_[\]<>#])/g, '\\$1')}\n\n`
  return `---\n${lines.join('\n')}\n---\n\n${heading}${paragraphs(text)}\n`
}

/** Lines of the text become paragraphs; characters that mean markup in Markdown or HTML are escaped. */
function paragraphs(text: string): string {
  return text
    .split(/\n+/)
    .map((line) =>
      line
        .trim()
        .replace(/[\\`*_[\]<]/g, '\\$&')
        .replace(/^(#{1,6}|[-+>=~])(?=\s|$)/, '\\$1')
        .replace(/^(\d{1,9})([.)])(?=\s|$)/, '$1\\$2'),
    )
    .filter((line) => line !== '')
    .join('\n\n')
}
