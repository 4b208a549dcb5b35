import { workerData } from 'node:worker_threads'
import { steadyClock } from '../base/clock.ts'
import { buildRules } from '../config/build-rules.ts'
import { loadSettings } from '../config/load-settings.ts'
import { ByteBuffer } from '../parquet/byte-buffer.ts'
import { parsePage } from '../parse/parse-page.ts'
import type { PageToParse, ParseFindings } from '../parse/parsed-page.ts'
import { ParsedTables } from '../segment/parsed-tables.ts'
import type { RulesSource } from './rules-source.ts'

// What runs in each thread of a `ParsePool`.

const { settings, seeds } = (workerData as { readonly rules: RulesSource }).rules
const rules = buildRules(await loadSettings(settings), {
  clock: steadyClock,
  ...(seeds !== undefined && { seeds }),
})

/** The pages of one message, parsed. */
export interface ParsedBatch {
  readonly pages: ReadonlyArray<ParseFindings & { readonly packedBytes: number }>
  /** The rows of the pages, one after the other. */
  readonly packed: Uint8Array
}

const tables = new ParsedTables()
const packed = new ByteBuffer()

export async function parseAll(batch: readonly PageToParse[]): Promise<ParsedBatch> {
  packed.clear()
  const pages: ParsedBatch['pages'][number][] = []
  for (const page of batch) {
    const { parseText, parseData, links, ...findings } = await parsePage(page, rules)
    const start = packed.length
    tables.add({ parseData, links, ...(parseText !== undefined && { parseText }) })
    tables.pack(packed)
    const { status, reason, contentType } = parseData
    pages.push({
      ...findings,
      parseData: { status, contentType, ...(reason !== undefined && { reason }) },
      packedBytes: packed.length - start,
    })
  }
  // A copy: of a view, the whole buffer would be sent.
  return { pages, packed: packed.view().slice() }
}
