import { workerData } from 'node:worker_threads'
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

const { settings, seeds } = (workerData as { readonly rules: RulesSource }).rules
const rules = buildRules(await loadSettings(settings), {
  clock: steadyClock,
  ...withoutUndefined({ seeds }),
})

const tables = new ParsedTables()

/** Runs in each thread of a `ParsePool`. Text and links never become objects of the main thread: their rows are packed here. */
export async function parseAll(batch: readonly PageToParse[]): Promise<ParsedPage<PackedRows>[]> {
  const pages: ParsedPage<PackedRows>[] = []
  for (const page of batch) {
    const parsed = await parsePage(page, rules)
    pages.push({ ...parsed, rows: { packed: tables.pack(parsed.rows) } })
    // The bytes were transferred to this thread, so that it has to release them.
    releaseBytes(page.bytes)
  }
  return pages
}
