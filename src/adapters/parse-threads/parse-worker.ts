import { threadId, workerData } from 'node:worker_threads'
import { move, transferableSymbol, valueSymbol } from 'piscina'
import { saveThreadCode } from '../../base/load-thread.ts'
import type { ParsedPage } from '../../domain/parse/parsed-page.ts'
import type { PackedRows } from '../../domain/segment/segment-rows.ts'
import { markStart, type ParseBatch } from './batch-start.ts'
import { batchParser } from './parse-batch.ts'
import type { RulesSource } from './parse-pool.ts'

/** The function that each thread of a `ParsePool` calls. Not awaited here: the bundle is CommonJS. */
export const parseAll: Promise<(batch: ParseBatch) => Promise<ParsedPage<PackedRows>[]>> = batchParser(
  workerData as RulesSource,
).then((parse) => async (batch) => {
  markStart(batch.start, threadId, process.threadCpuUsage?.())
  const pages = await parse(batch.pages)
  saveThreadCode()
  return moved(pages)
})

/** Sends the packed rows without a copy: those of a page with many links are larger than the page. The pool receives the pages. */
function moved(pages: ParsedPage<PackedRows>[]): ParsedPage<PackedRows>[] {
  return move({
    [valueSymbol]: pages,
    [transferableSymbol]: pages.map(({ rows }) => rows.packed.buffer),
  }) as unknown as ParsedPage<PackedRows>[]
}
