import { steadyClock } from '../../base/clock.ts'
import { releaseBytes } from '../../base/release-bytes.ts'
import { withoutUndefined } from '../../base/without-undefined.ts'
import { parsePage } from '../../domain/parse/parse-page.ts'
import type { PageToParse, ParsedPage } from '../../domain/parse/parsed-page.ts'
import type { PackedRows } from '../../domain/segment/segment-rows.ts'
import { buildRules } from '../config/build-rules.ts'
import { loadSettings } from '../config/load-settings.ts'
import { ParsedTables } from '../crawl-directory/segment-tables.ts'
import type { RulesSource } from './parse-pool.ts'

/** Parses pages and packs their rows. */
export type BatchParser = (batch: readonly PageToParse[]) => Promise<ParsedPage<PackedRows>[]>

/** The parser of one thread of a `ParsePool`. Text and links never become objects of the main thread: their rows are packed here. */
export async function batchParser({ settings, seeds }: RulesSource): Promise<BatchParser> {
  const rules = buildRules(await loadSettings(settings), {
    clock: steadyClock,
    ...withoutUndefined({ seeds }),
  })
  const tables = new ParsedTables()
  return async (batch) => {
    const pages: ParsedPage<PackedRows>[] = []
    for (const page of batch) {
      const parsed = await parsePage(page, rules)
      pages.push({ ...parsed, rows: { packed: tables.pack(parsed.rows) } })
      // The bytes were transferred to this thread, so that it has to release them.
      releaseBytes(page.bytes)
    }
    return pages
  }
}
