import type { PageParser } from '../../domain/parse/parsed-page.ts'
import { type ParseFindings, parsedRow } from '../../domain/segment/fetch-row.ts'
import type { PageRecord } from '../../domain/segment/segment-rows.ts'
import type { SegmentStore, UnparsedPage } from '../../domain/segment/segment-store.ts'

export interface ParseOptions {
  /** See `ParseRules`. @default false */
  readonly markFailed?: boolean
  /** Stops it after the current batch. */
  readonly signal?: AbortSignal
}

/** How many pages of a segment were parsed. `skipped`: of a type that is not parsed. */
export interface ParseResult {
  readonly segment: string
  readonly parsed: number
  readonly failed: number
  readonly skipped: number
  /** `false`: it was interrupted; the next call resumes. */
  readonly complete: boolean
}

/** Parses the fetched pages of a segment that are not parsed yet. After an interruption the same call resumes. */
export async function parseSegment(
  segments: Pick<SegmentStore, 'append' | 'unparsed'>,
  name: string,
  parser: PageParser,
  { markFailed = false, signal }: ParseOptions = {},
): Promise<ParseResult> {
  const counts = { parsed: 0, failed: 0, skipped: 0 }
  const result = (complete: boolean): ParseResult => ({ segment: name, ...counts, complete })
  const appender = await segments.append(name)
  try {
    for await (const pages of segments.unparsed(name)) {
      if (signal?.aborted) return result(false)
      await appender.room()
      const parsed = await Promise.all(pages.map((page) => parseOne(page, parser, markFailed)))
      for (const { status } of parsed) counts[status]++
      // A write error is thrown by the next `room`, or by `close`.
      appender.addParsed(parsed.map(({ record }) => record)).catch(() => {})
    }
    return result(true)
  } finally {
    await appender.close()
  }
}

async function parseOne(
  { content, fetch, score, metadata }: UnparsedPage,
  parser: PageParser,
  markFailed: boolean,
): Promise<{ readonly status: ParseFindings['status']; readonly record: PageRecord }> {
  const { url, headers, body: bytes, truncated } = content
  const page = { url, headers, bytes, truncated: truncated !== undefined, score, metadata }
  const parsed = await parser.parse(page)
  return {
    status: parsed.status,
    record: { fetch: parsedRow(fetch, parsed, markFailed), ...parsed.rows },
  }
}
