import { mkdir, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { SEGMENT_COLUMNS } from '../src/domain/segment/segment-columns.ts'
import type { FetchRow, LinkRow, ParseDataRow } from '../src/domain/segment/segment-rows.ts'
import { connectToMemory } from './memory-database.ts'

/** What one part of a made-up segment says; what a row leaves out is null. */
export interface MadeUpPart {
  readonly fetch?: readonly Partial<FetchRow>[]
  readonly links?: readonly Partial<LinkRow>[]
  readonly pages?: readonly Partial<ParseDataRow>[]
  /** Columns of `crawl_fetch` that the file lacks, as in one that an older program wrote. */
  readonly without?: readonly string[]
}

/** Writes one more part into a segment, as a fetcher would. */
export async function writeSegmentPart(segmentPath: string, part: MadeUpPart): Promise<void> {
  const { fetch = [], links = [], pages = [], without = [] } = part
  const before = await readdir(join(segmentPath, 'crawl_fetch')).catch(() => [])
  const name = `part-${String(before.length + 1).padStart(6, '0')}-test.parquet`
  const connection = await connectToMemory()
  for (const [directory, rows] of [
    ['parse_data', pages],
    ['crawl_parse', links],
    ['crawl_fetch', fetch],
  ] as const) {
    await mkdir(join(segmentPath, directory), { recursive: true })
    const columns = Object.entries(SEGMENT_COLUMNS[directory]).filter(([column]) => !without.includes(column))
    const shape = JSON.stringify(Object.fromEntries(columns))
    const json = JSON.stringify(rows.map(snakeCase))
    await connection.run(
      `COPY (SELECT row.* FROM (SELECT unnest(from_json($1::VARCHAR, '[${shape}]')) AS row))
       TO '${join(segmentPath, directory, name)}' (FORMAT parquet)`,
      [json],
    )
  }
  connection.disconnectSync()
}

function snakeCase(row: object): Record<string, unknown> {
  const { validators, ...rest } = row as { validators?: object }
  const columns = Object.entries({ ...rest, ...validators }).map(([key, value]) => [
    key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
    key === 'metadata' || key === 'dropped' ? JSON.stringify(value) : value,
  ])
  return Object.fromEntries(columns)
}
