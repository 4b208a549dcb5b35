import { workerData } from 'node:worker_threads'
import { steadyClock } from '../../base/clock.ts'
import { releaseBytes } from '../../base/release-bytes.ts'
import { withoutUndefined } from '../../base/without-undefined.ts'
import { parsePage } from '../../domain/parse/parse-page.ts'
import type { PackedPage, PageToParse } from '../../domain/parse/parsed-page.ts'
import { buildRules } from '../config/build-rules.ts'
import { loadSettings } from '../config/load-settings.ts'
import { ByteBuffer } from '../crawl-directory/parquet/byte-buffer.ts'
import { ParsedTables } from '../crawl-directory/parsed-tables.ts'
import type { RulesSource } from './rules-source.ts'

// What runs in each thread of a `ParsePool`.

const { settings, seeds } = (workerData as { readonly rules: RulesSource }).rules
const rules = buildRules(await loadSettings(settings), {
  clock: steadyClock,
  ...withoutUndefined({ seeds }),
})

const tables = new ParsedTables()
const buffer = new ByteBuffer()

export async function parseAll(batch: readonly PageToParse[]): Promise<PackedPage[]> {
  const pages: PackedPage[] = []
  for (const page of batch) {
    const { parseText, parseData, links, ...findings } = await parsePage(page, rules)
    tables.add({ parseData, links, ...withoutUndefined({ parseText }) })
    buffer.clear()
    tables.pack(buffer)
    const { status, reason, contentType } = parseData
    pages.push({
      ...findings,
      parseData: { status, contentType, ...withoutUndefined({ reason }) },
      // A copy: of a view, the whole buffer would be sent.
      packed: new Uint8Array(buffer.view()),
    })
    // It was sent to us, not lent.
    releaseBytes(page.bytes)
  }
  return pages
}
