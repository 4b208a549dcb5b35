import type { PageSink } from '../../domain/segment/page-sink.ts'
import type { PageFilter, SegmentStore } from '../../domain/segment/segment-store.ts'

export interface ExportOptions {
  /** @default all */
  readonly names?: readonly string[]
  /** @default pages that were fetched */
  readonly statuses?: NonNullable<PageFilter['statuses']>
  /** Whether the sink wants bodies. @default true */
  readonly body?: boolean
}

/** Hands the newest version of each page to `sink`, and closes it; returns how many there were. */
export async function exportPages(
  segments: SegmentStore,
  sink: PageSink,
  { names, statuses = ['fetch_success'], body = true }: ExportOptions = {},
): Promise<number> {
  let pages = 0
  for await (const batch of segments.pages(names ?? (await segments.list()), {
    statuses,
    body,
    links: false,
  })) {
    for (const page of batch) await sink.write(page)
    pages += batch.length
  }
  await sink.close()
  return pages
}
