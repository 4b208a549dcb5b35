import { type AiUse, refusalOf, statementOrigin } from '../robots/ai-use.ts'
import type { FetchRow } from './segment-rows.ts'
import type { PageFilter, RecordedPage } from './segment-store.ts'

/** Destination of exported pages in one format. */
export interface PageSink {
  write(page: RecordedPage): Promise<void>
  /** Resolves when all pages are written. No `write` may follow. */
  close(): Promise<void>
}

export interface ExportedPages {
  readonly pages: number
  /** Pages that were not exported, by reason. */
  readonly excluded: Readonly<Record<string, number>>
}

/** Why a page is not exported: `train refused by Content-Signal in robots.txt`; `undefined` if it does not refuse one of `uses`. */
export function exclusionReason(
  { aiUse }: Pick<FetchRow, 'aiUse'>,
  uses: readonly AiUse[],
): string | undefined {
  const refusal = refusalOf(aiUse, uses)
  return refusal && `${refusal.use} refused by ${statementOrigin(refusal)}`
}

/** Writes pages as one table, for programs that read tables. */
export interface PageTable {
  /**
   * One Parquet file with a row for each page, the newest version; it gets its name when it is whole.
   * @param excludeRefused pages that refuse one of these uses are not exported
   * @throws when its directory is not there
   */
  exportParquet(
    names: readonly string[],
    file: string,
    filter?: PageFilter,
    excludeRefused?: readonly AiUse[],
  ): Promise<ExportedPages>
}
