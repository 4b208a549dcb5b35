import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { CrawlDbReader, DumpOptions } from '../domain/crawldb/crawl-db-reader.ts'

/** A row of the view `crawldb`. */
export interface DumpedRecord {
  readonly url: string
  readonly status: string
  readonly score: number
  readonly [column: string]: unknown
}

/** The records that `options` select, best score first. They pass through a file, which every engine and a running crawl can write. */
export async function topRecords(
  reader: Pick<CrawlDbReader, 'dump'>,
  options: Omit<DumpOptions, 'format'>,
): Promise<DumpedRecord[]> {
  const folder = await mkdtemp(join(tmpdir(), 'orbweaver-top-'))
  try {
    const file = join(folder, 'records.jsonl')
    await reader.dump(file, { ...options, format: 'jsonl' })
    const lines = (await readFile(file, 'utf8')).split('\n')
    return lines.filter((line) => line !== '').map((line) => JSON.parse(line) as DumpedRecord)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
